//! `#[default]` needs a value.
use plainwire::prelude::*;

#[tool]
async fn add(#[default] a: u32) -> u32 {
    1
}

fn main() {}
