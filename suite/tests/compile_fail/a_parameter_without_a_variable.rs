//! The function takes more than the URI says.
use plainwire::prelude::*;

#[resource("file://{path}")]
async fn file(path: String, line: u32) -> String {
    String::new()
}

fn main() {}
