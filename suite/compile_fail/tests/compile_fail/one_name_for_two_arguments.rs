//! Both arguments are called `b` by clients.
use plainwire::prelude::*;

#[tool]
async fn add(#[serde(rename = "b")] a: u8, b: u8) -> u8 {
    a + b
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
