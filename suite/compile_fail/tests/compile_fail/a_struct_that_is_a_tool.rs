//! Only functions can be tools.
use plainwire::prelude::*;

#[tool]
struct Add {
    a: u32,
}

fn main() {}
