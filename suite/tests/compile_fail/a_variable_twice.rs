//! Which of the two would be the argument?
use plainwire::prelude::*;

#[resource("file://{path}/{path}")]
async fn file(path: String) -> String {
    String::new()
}

fn main() {}
