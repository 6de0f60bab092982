//! The options are named.
use plainwire::prelude::*;

#[derive(ToolError)]
enum Failed {
    #[tool_error(status = 404)]
    Closed,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}

fn main() {}
