//! Rust accepts this name, but the protocol does not.
use plainwire::prelude::*;

#[tool]
async fn größe() -> u32 {
    1
}

fn main() {}
