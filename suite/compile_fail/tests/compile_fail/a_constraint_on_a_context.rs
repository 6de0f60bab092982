//! A context is no argument.
use plainwire::prelude::*;

#[tool]
async fn add(#[default(1)] ctx: Context) -> u32 {
    1
}

fn main() {}
