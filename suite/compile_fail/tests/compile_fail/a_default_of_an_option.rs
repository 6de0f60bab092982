//! A missing argument would be both `None` and the default.
use plainwire::prelude::*;

#[tool]
async fn add(#[default(1)] a: Option<u32>) -> u32 {
    1
}

fn main() {}
