//! The name of a header has no spaces.
use plainwire::prelude::*;

#[tool]
async fn find(#[header("my region")] region: String) -> u32 {
    1
}

fn main() {}
