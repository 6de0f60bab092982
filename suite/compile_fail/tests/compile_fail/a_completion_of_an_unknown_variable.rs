//! Only variables of the URI can be completed.
use plainwire::prelude::*;

#[resource("file://{path}", complete(directory = directories))]
async fn file(path: String) -> String {
    String::new()
}

async fn directories(_: Completing) -> Vec<String> {
    vec![]
}

fn main() {}
