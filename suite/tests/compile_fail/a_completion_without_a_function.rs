//! `complete` says what by which function.
use plainwire::prelude::*;

#[prompt(complete = languages)]
async fn review(language: String) -> String {
    language
}

fn main() {}
