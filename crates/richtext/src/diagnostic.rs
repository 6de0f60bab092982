//! What is to be said of a text, and where.

use std::fmt;

use crate::tree::Span;

/// Something a reader or a writer found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What: "expected a closing {code}, but found the end of the text".
    pub message: String,
    /// Where in the source.
    pub span: Span,
}

impl Diagnostic {
    /// Says `message` of `span`.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), span }
    }

    /// With line and column in `source`, as a person looks for it.
    #[must_use]
    pub fn shown<'a>(&'a self, source: &'a str) -> impl fmt::Display + 'a {
        Shown { diagnostic: self, position: Position::of(source, self.span.start as usize) }
    }
}

struct Shown<'a> {
    diagnostic: &'a Diagnostic,
    position: Position,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.position, self.diagnostic.message)
    }
}

/// A place as editors count: lines and characters from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl Position {
    /// Where the byte `offset` of `source` is; past the end, where the source ends.
    #[must_use]
    pub fn of(source: &str, offset: usize) -> Self {
        let mut end = offset.min(source.len());
        while !source.is_char_boundary(end) {
            end -= 1;
        }
        let before = &source[..end];
        let line_start = before.rfind('\n').map_or(0, |it| it + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
