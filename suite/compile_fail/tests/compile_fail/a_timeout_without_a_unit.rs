//! A timeout needs a unit.
use plainwire::prelude::*;

#[tool(timeout = "30")]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
