//! Programs compare codes.
use plainwire::prelude::*;

#[derive(ToolError)]
enum Failed {
    #[tool_error(code = "Not Found")]
    Closed,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}

fn main() {}
