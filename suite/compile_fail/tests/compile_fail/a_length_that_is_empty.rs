//! No text has a length in an empty range.
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
