//! Each variant has its own code, so options stand on variants.
use plainwire::prelude::*;

#[derive(ToolError)]
#[tool_error(code = "failed")]
enum Failed {
    Closed,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}

fn main() {}
