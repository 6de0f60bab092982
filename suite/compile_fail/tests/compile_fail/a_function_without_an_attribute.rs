//! A function without an attribute is no tool.
use plainwire::prelude::*;

async fn add(a: u32) -> u32 {
    a
}

fn main() {
    drop(Server::new("wrong").tool(add));
}
