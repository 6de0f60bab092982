//! The visibility of a tool is one of three words.
use plainwire::prelude::*;

#[tool(visibility = nobody)]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
