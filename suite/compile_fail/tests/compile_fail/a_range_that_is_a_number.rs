//! A range has two dots.
use plainwire::prelude::*;

#[tool]
async fn add(#[range(10)] a: u32) -> u32 {
    1
}

fn main() {}
