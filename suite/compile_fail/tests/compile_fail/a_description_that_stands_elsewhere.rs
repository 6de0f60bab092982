//! The doc comment of a tool is literal text: the macro does not read other files.
use plainwire::prelude::*;

#[doc = include_str!("a_description_that_stands_elsewhere.rs")]
#[tool]
async fn add(a: u32) -> u32 {
    a
}

fn main() {}
