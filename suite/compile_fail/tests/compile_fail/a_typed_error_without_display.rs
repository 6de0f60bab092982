//! `Missing` does not implement `Display`, which is the text for the model.
use plainwire::prelude::*;

#[derive(Debug, ToolError)]
enum Missing {
    #[tool_error(code = "no_page")]
    Page,
}

fn main() {
    drop(Missing::Page.into_tool_error());
}
