//! A completion returns texts.
use plainwire::prelude::*;

#[prompt(complete(language = languages))]
async fn review(language: String) -> String {
    language
}

async fn languages(_: Completing) -> u32 {
    1
}

fn main() {}
