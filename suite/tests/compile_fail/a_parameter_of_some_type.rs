//! Which type it is has to be known before anybody calls.
use plainwire::prelude::*;

#[tool]
async fn add(text: impl Into<String>) -> u32 {
    1
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
