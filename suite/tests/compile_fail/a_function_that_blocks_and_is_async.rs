//! It can not be both.
use plainwire::prelude::*;

#[tool(blocking)]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
