//! An option can be given once: one of the two titles would be lost.
use plainwire::prelude::*;

#[tool(title = "Add", read_only, title = "Sum")]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
