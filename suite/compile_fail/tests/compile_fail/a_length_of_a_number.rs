//! Numbers have ranges, not lengths.
use plainwire::prelude::*;

#[tool]
async fn add(#[length(1..=10)] a: u32) -> u32 {
    1
}

fn main() {}
