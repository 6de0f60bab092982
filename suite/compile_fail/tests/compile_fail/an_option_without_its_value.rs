//! A title needs a text.
use plainwire::prelude::*;

#[tool(title)]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
