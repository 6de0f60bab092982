//! Only texts have patterns.
use plainwire::prelude::*;

#[tool]
async fn add(#[pattern("^[0-9]+$")] a: u32) -> u32 {
    1
}

fn main() {}
