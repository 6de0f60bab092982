//! No text is that long.
use plainwire::prelude::*;

#[tool]
async fn shout(#[length(5..=2)] text: String) -> String {
    text
}

#[tool]
async fn whisper(#[length(..0)] text: String) -> String {
    text
}

fn main() {}
