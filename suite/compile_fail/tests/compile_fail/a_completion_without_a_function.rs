//! `complete` names an argument and a function.
use plainwire::prelude::*;

#[prompt(complete = languages)]
async fn review(language: String) -> String {
    language
}

fn main() {}
