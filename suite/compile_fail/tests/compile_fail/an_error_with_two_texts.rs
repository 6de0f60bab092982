//! The text is that of `Display`, which thiserror implements too.
use plainwire::prelude::*;

#[derive(Debug, thiserror::Error, ToolError)]
enum LibraryError {
    #[error("there is no book {0:?}")]
    #[tool_error("there is no book {0:?}", code = "not_found")]
    NoBook(String),
}

fn main() {}
