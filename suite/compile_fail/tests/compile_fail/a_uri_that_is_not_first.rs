//! The URI comes before the options.
use plainwire::prelude::*;

#[resource(mime_type = "text/plain", "file://{path}")]
async fn file(path: String) -> String {
    String::new()
}

fn main() {}
