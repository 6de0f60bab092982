//! The URI lacks a brace.
use plainwire::prelude::*;

#[resource("file://{path")]
async fn file(path: String) -> String {
    String::new()
}

fn main() {}
