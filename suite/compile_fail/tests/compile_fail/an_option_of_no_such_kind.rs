//! An unknown option whose name is similar to no known one, so the message suggests none.
use plainwire::prelude::*;

#[tool(secret)]
async fn add(a: u32) -> u32 {
    a
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
