//! The URI has no variable for the parameter.
use plainwire::prelude::*;

#[resource("file://readme")]
async fn file(path: String) -> String {
    String::new()
}

fn main() {}
