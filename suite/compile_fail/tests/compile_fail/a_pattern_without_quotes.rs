//! A pattern is a text.
use plainwire::prelude::*;

#[tool]
async fn add(#[pattern(^a+$)] text: String) -> u32 {
    1
}

fn main() {}
