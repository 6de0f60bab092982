//! An option has one value.
use plainwire::prelude::*;

#[derive(ToolError)]
enum Failed {
    #[tool_error(retryable, retryable)]
    Closed,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}

fn main() {}
