//! A timeout is longer than zero.
use plainwire::prelude::*;

#[tool(timeout = "0s")]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
