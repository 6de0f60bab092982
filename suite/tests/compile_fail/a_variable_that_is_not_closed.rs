//! One brace is missing.
use plainwire::prelude::*;

#[resource("file://{path")]
async fn file(path: String) -> String {
    String::new()
}

fn main() {}
