//! Clients keep no promises.
use plainwire::prelude::*;

#[tool]
async unsafe fn add(a: u32) -> u32 {
    a
}

fn main() {}
