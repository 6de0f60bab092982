//! `#[server]` is for an `impl`.
use plainwire::prelude::*;

#[server]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
