//! Only functions can be prompts.
use plainwire::prelude::*;

#[prompt]
const REVIEW: &str = "Review this.";

fn main() {}
