//! A range needs at least one end.
use plainwire::prelude::*;

#[tool]
async fn add(#[range(..)] a: u32) -> u32 {
    1
}

fn main() {}
