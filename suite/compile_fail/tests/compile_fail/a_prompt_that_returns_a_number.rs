//! A prompt returns messages.
use plainwire::prelude::*;

#[prompt]
async fn review() -> Option<u32> {
    None
}

fn main() {}
