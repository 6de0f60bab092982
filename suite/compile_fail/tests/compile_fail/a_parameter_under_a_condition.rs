//! The schema would not follow the `cfg` of a parameter.
use plainwire::prelude::*;

#[tool]
async fn add(#[cfg(unix)] a: u32) -> u32 {
    1
}

fn main() {}
