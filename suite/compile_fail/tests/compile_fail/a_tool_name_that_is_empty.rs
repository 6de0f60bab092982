//! A name has at least one character.
use plainwire::prelude::*;

#[tool(name = "")]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
