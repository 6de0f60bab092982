//! Options with half of a known name, or a misspelt one: the message suggests the known name.
use plainwire::prelude::*;

#[resource("note://1", mime = "text/plain")]
async fn note() -> String {
    String::new()
}

#[prompt(desciption = "greets")]
async fn greet() -> String {
    String::new()
}

#[tool]
async fn wait(#[rang(1..=24)] hours: u32) -> u32 {
    hours
}

fn main() {}
