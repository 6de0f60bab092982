//! Clients see the schema of all arguments.
use plainwire::prelude::*;

#[derive(Deserialize)]
struct Numbers {
    a: u32,
}

#[tool]
async fn add(#[arguments] numbers: Numbers) -> u32 {
    numbers.a
}

fn main() {}
