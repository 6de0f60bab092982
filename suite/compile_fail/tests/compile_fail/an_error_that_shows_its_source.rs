//! The model never gets the text of a source unless the author asks for it.
use plainwire::prelude::*;

#[derive(Debug, thiserror::Error, ToolError)]
enum Failed {
    #[error(transparent)]
    Transparent(#[from] std::io::Error),
    #[error("the index can't be read: {0}")]
    InTheText(#[source] std::fmt::Error),
    #[error("the index can't be read: {}", .source)]
    BesideTheText { source: std::num::ParseIntError },
    #[error("shelf {0} is full")]
    Right(u8, #[source] std::fmt::Error),
}

fn main() {}
