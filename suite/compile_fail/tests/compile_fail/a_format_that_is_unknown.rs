//! The server has no check for the format `time`.
use plainwire::prelude::*;

#[tool]
async fn add(#[format("time")] text: String) -> u32 {
    1
}

fn main() {}
