//! A text names fields of its own variant.
use plainwire::prelude::*;

#[derive(ToolError)]
enum Failed {
    #[tool_error(hint = "ask for {titel}")]
    NoBook { title: String, shelf: u8 },
    #[tool_error(hint = "use {}")]
    Closed,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}

fn main() {}
