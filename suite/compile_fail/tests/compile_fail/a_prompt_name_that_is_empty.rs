//! The rules for names of prompts are looser than for tools, but a name is not empty.
use plainwire::prelude::*;

#[prompt(name = "")]
async fn review() -> String {
    String::new()
}

fn main() {}
