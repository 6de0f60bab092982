//! An argument borrows nothing.
use plainwire::prelude::*;

#[tool]
async fn add(numbers: &[u32]) -> u32 {
    1
}

fn main() {}
