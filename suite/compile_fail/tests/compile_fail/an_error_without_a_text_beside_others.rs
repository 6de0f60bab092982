//! Either all variants have their text in `#[tool_error]`, or none.
use plainwire::prelude::*;

#[derive(Debug, ToolError)]
enum LibraryError {
    #[tool_error("there is no book {0:?}", code = "not_found")]
    NoBook(String),
    #[tool_error(code = "closed")]
    Closed,
}

fn main() {}
