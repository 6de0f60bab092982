//! The type of a result has to be known, because its schema is sent.
use plainwire::prelude::*;

#[tool]
async fn add(a: u32) -> impl Into<String> {
    a.to_string()
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
