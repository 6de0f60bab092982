//! The names of headers ignore case.
use plainwire::prelude::*;

#[tool]
async fn find(#[header("Region")] region: String, #[header("region")] zone: String) -> u32 {
    1
}

fn main() {}
