//! The URI has a variable that is no parameter.
use plainwire::prelude::*;

#[resource("file://{directory}/{path}")]
async fn file(path: String) -> String {
    String::new()
}

fn main() {
    drop(plainwire::server!("wrong").resource(file));
}
