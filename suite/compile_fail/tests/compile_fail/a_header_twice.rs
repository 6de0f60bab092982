//! Names of headers that differ only in case are the same name.
use plainwire::prelude::*;

#[tool]
async fn find(#[header("Region")] region: String, #[header("region")] zone: String) -> u32 {
    1
}

fn main() {}
