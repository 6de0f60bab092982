//! A call has one object of arguments.
use plainwire::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Numbers {
    a: u32,
}

#[tool]
async fn add(#[arguments] numbers: Numbers, b: u32) -> u32 {
    numbers.a + b
}

fn main() {}
