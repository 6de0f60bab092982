//! The name of a tool is the option `name`.
use plainwire::prelude::*;

#[tool("add")]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
