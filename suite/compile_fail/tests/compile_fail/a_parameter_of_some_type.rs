//! The type of an argument has to be known before the first call.
use plainwire::prelude::*;

#[tool]
async fn add(text: impl Into<String>) -> u32 {
    1
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
