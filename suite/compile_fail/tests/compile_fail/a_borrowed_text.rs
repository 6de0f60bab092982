//! An argument borrows nothing.
use plainwire::prelude::*;

#[tool]
async fn add(text: &str) -> u32 {
    1
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
