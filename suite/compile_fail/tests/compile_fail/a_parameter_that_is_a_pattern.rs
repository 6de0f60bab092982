//! A pattern has no name for clients to use.
use plainwire::prelude::*;

#[tool]
async fn add((a, b): (u32, u32)) -> u32 {
    1
}

fn main() {}
