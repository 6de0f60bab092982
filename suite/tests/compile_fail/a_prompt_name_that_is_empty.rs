//! Prompts have looser names than tools, but names.
use plainwire::prelude::*;

#[prompt(name = "")]
async fn review() -> String {
    String::new()
}

fn main() {}
