//! No number is in an empty range.
use plainwire::prelude::*;

#[tool]
async fn wait(#[range(24..=1)] hours: u32) -> u32 {
    hours
}

fn main() {}
