//! A near name is named.
use plainwire::prelude::*;

#[derive(ToolError)]
enum Failed {
    #[tool_error(hints = "come back")]
    Closed,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}

fn main() {}
