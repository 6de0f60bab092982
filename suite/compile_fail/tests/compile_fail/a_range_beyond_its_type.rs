//! No `u8` is that large.
use plainwire::prelude::*;

#[tool]
async fn wait(#[range(1..=400)] hours: u8) -> u8 {
    hours
}

fn main() {}
