//! Plainwire converts each type with `Display` into a `ToolError`, so a second conversion is E0119.

use std::fmt;

use plainwire::prelude::*;

#[derive(Debug)]
struct Missing(String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no book {}", self.0)
    }
}

impl From<Missing> for ToolError {
    fn from(missing: Missing) -> Self {
        Self::failed(missing.0)
    }
}

fn main() {}
