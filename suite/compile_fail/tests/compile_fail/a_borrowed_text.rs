//! The type of an argument must be owned: it can't borrow a text.
use plainwire::prelude::*;

#[tool]
async fn add(text: &str) -> u32 {
    1
}

#[tool]
async fn optional(text: Option<&str>) -> u32 {
    1
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
