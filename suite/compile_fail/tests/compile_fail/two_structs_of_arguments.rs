//! A call has one object of arguments.
use plainwire::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Numbers {
    a: u32,
}

#[tool]
async fn add(#[arguments] one: Numbers, #[arguments] other: Numbers) -> u32 {
    one.a + other.a
}

fn main() {}
