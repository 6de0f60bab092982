//! A function that is not async needs the option `blocking`.
use plainwire::prelude::*;

#[tool]
fn add(a: u32) -> u32 {
    a
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
