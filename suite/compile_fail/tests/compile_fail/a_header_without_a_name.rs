//! A header needs a name.
use plainwire::prelude::*;

#[tool]
async fn find(#[header("")] region: String, #[header] zone: String) -> u32 {
    1
}

fn main() {}
