//! Only calls of tools repeat their arguments.
use plainwire::prelude::*;

#[prompt]
async fn find(#[header("Region")] region: String) -> String {
    region
}

fn main() {}
