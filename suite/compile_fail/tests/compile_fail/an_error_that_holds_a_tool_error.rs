//! A variant that holds a `ToolError` is `transparent`, and nothing else beside it.
use plainwire::prelude::*;

#[derive(ToolError)]
enum Failed {
    #[error(transparent)]
    Asked(#[from] ToolError),
}

#[derive(ToolError)]
enum Renamed {
    #[tool_error(transparent, code = "failed")]
    Asked(ToolError),
}

#[derive(ToolError)]
enum OfAnotherType {
    #[tool_error(transparent)]
    Asked(String),
}

#[derive(ToolError)]
enum Twice {
    #[tool_error(transparent)]
    Asked(ToolError),
    #[tool_error(transparent)]
    Read(ToolError),
}

fn main() {}
