//! A variable appears once in a URI.
use plainwire::prelude::*;

#[resource("file://{path}/{path}")]
async fn file(path: String) -> String {
    String::new()
}

fn main() {}
