//! The URI says more than the function takes.
use plainwire::prelude::*;

#[resource("file://{directory}/{path}")]
async fn file(path: String) -> String {
    String::new()
}

fn main() {
    drop(plainwire::server!("wrong").resource(file));
}
