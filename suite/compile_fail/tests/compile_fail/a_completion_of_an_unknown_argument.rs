//! Only arguments of the prompt can be completed.
use plainwire::prelude::*;

#[prompt(complete(lang = languages))]
async fn review(language: String, lines: u32) -> String {
    format!("{language} {lines}")
}

async fn languages(_: Completing) -> Vec<String> {
    vec![]
}

fn main() {}
