//! A name with a space would end the header.
use plainwire::prelude::*;

#[tool]
async fn find(#[header("my region")] region: String) -> u32 {
    1
}

fn main() {}
