//! The type of an argument must be owned: it can't borrow a slice.
use plainwire::prelude::*;

#[tool]
async fn add(numbers: &[u32]) -> u32 {
    1
}

fn main() {}
