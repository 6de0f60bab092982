//! `on_cancel` is one of three words.
use plainwire::prelude::*;

#[tool(on_cancel = wait)]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
