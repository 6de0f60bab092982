//! Names of tools have no spaces.
use plainwire::prelude::*;

#[tool(name = "add numbers")]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
