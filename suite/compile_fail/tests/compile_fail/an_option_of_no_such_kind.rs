//! No option has a similar name.
use plainwire::prelude::*;

#[tool(secret)]
async fn add(a: u32) -> u32 {
    a
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
