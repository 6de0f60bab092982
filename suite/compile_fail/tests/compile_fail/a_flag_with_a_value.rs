//! A flag has no value.
use plainwire::prelude::*;

#[tool(read_only = true)]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
