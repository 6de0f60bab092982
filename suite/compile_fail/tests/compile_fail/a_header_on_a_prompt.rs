//! Only calls of tools repeat arguments in headers.
use plainwire::prelude::*;

#[prompt]
async fn find(#[header("Region")] region: String) -> String {
    region
}

fn main() {}
