//! `time` is a format that nobody checks.
use plainwire::prelude::*;

#[tool]
async fn add(#[format("time")] text: String) -> u32 {
    1
}

fn main() {}
