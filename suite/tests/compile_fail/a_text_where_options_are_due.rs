//! The name of a tool is an option.
use plainwire::prelude::*;

#[tool("add")]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
