//! An argument has one default.
use plainwire::prelude::*;

#[tool]
async fn add(#[default(1)] #[default(2)] a: u32) -> u32 {
    1
}

fn main() {}
