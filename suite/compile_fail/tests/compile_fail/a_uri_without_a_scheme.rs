//! A path alone is no URI.
use plainwire::prelude::*;

#[resource("/files/{path}")]
async fn file(path: String) -> String {
    String::new()
}

fn main() {}
