//! `readonly` is no option of `#[tool]`.
use plainwire::prelude::*;

#[tool(readonly)]
async fn add(a: u32) -> u32 {
    a
}

fn main() {
    drop(plainwire::server!("wrong").tool(add));
}
