//! A range belongs on a field of the struct.
use plainwire::prelude::*;

#[tool]
async fn add(#[arguments] #[range(1..)] a: Numbers) -> u32 {
    1
}

fn main() {}
