//! Functions are prompts.
use plainwire::prelude::*;

#[prompt]
const REVIEW: &str = "Review this.";

fn main() {}
