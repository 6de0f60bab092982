//! A destructive tool is not read-only.
use plainwire::prelude::*;

#[tool(read_only, destructive)]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
