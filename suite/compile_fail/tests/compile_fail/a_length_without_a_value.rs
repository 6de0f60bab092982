//! `#[length]` needs a range or a number.
use plainwire::prelude::*;

#[tool]
async fn add(#[length] text: String) -> u32 {
    1
}

fn main() {}
