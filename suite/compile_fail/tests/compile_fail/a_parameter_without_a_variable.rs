//! The function has a parameter that is not in the URI.
use plainwire::prelude::*;

#[resource("file://{path}")]
async fn file(path: String, line: u32) -> String {
    String::new()
}

fn main() {}
