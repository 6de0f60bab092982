//! A blocking handler is not async.
use plainwire::prelude::*;

#[tool(blocking)]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
