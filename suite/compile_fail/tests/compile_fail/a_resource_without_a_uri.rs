//! A resource has a URI before all options.
use plainwire::prelude::*;

#[resource]
async fn file(path: String) -> String {
    String::new()
}

fn main() {}
