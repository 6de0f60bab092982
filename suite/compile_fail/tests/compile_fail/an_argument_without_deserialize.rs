//! An argument is read from JSON.
use plainwire::prelude::*;

#[derive(JsonSchema)]
struct Number(u32);

#[tool]
async fn add(a: Number) -> u32 {
    a.0
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
