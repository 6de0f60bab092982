//! Clients see the schema of each argument.
use plainwire::prelude::*;

#[derive(Deserialize)]
struct Number(u32);

#[tool]
async fn add(a: Number) -> u32 {
    a.0
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
