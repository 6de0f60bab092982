//! The page of a tool has a `ui://` URI.
use plainwire::prelude::*;

#[tool(ui = "https://example.com/add.html")]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
