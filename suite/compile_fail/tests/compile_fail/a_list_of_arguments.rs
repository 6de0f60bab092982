//! Arguments are an object, not a list.
use plainwire::prelude::*;

#[tool]
async fn add(#[arguments] numbers: Vec<u32>) -> u32 {
    1
}

fn main() {}
