//! Query variables in templates are not supported.
use plainwire::prelude::*;

#[resource("file://all{?path}")]
async fn file(path: String) -> String {
    String::new()
}

fn main() {}
