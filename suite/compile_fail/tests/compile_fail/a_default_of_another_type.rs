//! The default has the type of the argument.
use plainwire::prelude::*;

#[tool]
async fn add(#[default("one")] a: u32) -> u32 {
    a
}

fn main() {}
