//! `add` is a tool.
use plainwire::prelude::*;

#[tool]
async fn add(a: u32) -> u32 {
    a
}

fn main() {
    drop(plainwire::server!("wrong").resource(add));
}
