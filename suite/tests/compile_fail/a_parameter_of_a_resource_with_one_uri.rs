//! Where should the path come from?
use plainwire::prelude::*;

#[resource("file://readme")]
async fn file(path: String) -> String {
    String::new()
}

fn main() {}
