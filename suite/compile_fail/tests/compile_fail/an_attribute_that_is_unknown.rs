//! A misspelt attribute.
use plainwire::prelude::*;

#[tool]
async fn add(#[rang(1..=10)] a: u32) -> u32 {
    1
}

fn main() {}
