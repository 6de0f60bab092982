//! Two adjacent variables cannot be told apart.
use plainwire::prelude::*;

#[resource("file://{path}{name}")]
async fn file(path: String, name: String) -> String {
    String::new()
}

fn main() {}
