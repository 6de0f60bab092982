//! Neither async, nor said to block.
use plainwire::prelude::*;

#[tool]
fn add(a: u32) -> u32 {
    a
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
