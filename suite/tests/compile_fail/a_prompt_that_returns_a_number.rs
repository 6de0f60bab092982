//! A prompt is what somebody says.
use plainwire::prelude::*;

#[prompt]
async fn review() -> Option<u32> {
    None
}

fn main() {}
