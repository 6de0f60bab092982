//! Clients cannot keep the promises that an unsafe function requires.
use plainwire::prelude::*;

#[tool]
async unsafe fn add(a: u32) -> u32 {
    a
}

fn main() {}
