//! Diagnostics with their positions in a text.

use std::fmt;

use crate::tree::Span;

/// A message about a part of a text: a syntax error, or content that is not allowed there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The message, such as "expected a closing {code}, but found the end of the text".
    pub message: String,
    /// The bytes of the source that the message is about.
    pub span: Span,
    /// True if this text is in no node of the tree, or in one that its author can't have meant.
    pub(crate) is_loss: bool,
}

impl Diagnostic {
    /// Creates a diagnostic.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), span, is_loss: false }
    }

    /// Creates a diagnostic about text that the tree does not carry as its author meant it.
    pub(crate) fn loss(span: Span, message: impl Into<String>) -> Self {
        Self { is_loss: true, ..Self::new(span, message) }
    }

    /// Returns the message with its line and column in `source`, to show to people.
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

/// A position as editors count it: lines and characters are counted from 1. A byte order mark counts as a
/// character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the character in its line, from 1.
    pub column: usize,
}

impl Position {
    /// The position of the first character of a text.
    const START: Self = Self { line: 1, column: 1 };

    /// Returns the position of the byte `offset` in `source`; the end of `source` if `offset` is past it. For
    /// many positions in one text use [`Positions`].
    #[must_use]
    pub fn of(source: &str, offset: usize) -> Self {
        Self::START.behind(&source[..boundary(source, offset)])
    }

    /// Returns the position at the end of `text`, a text that begins at the position `self`.
    fn behind(self, text: &str) -> Self {
        match text.rfind('\n') {
            None => Self { line: self.line, column: self.column + text.chars().count() },
            Some(last) => Self {
                line: self.line + memchr::memchr_iter(b'\n', text.as_bytes()).count(),
                column: text[last + 1..].chars().count() + 1,
            },
        }
    }
}

/// An index of a text, to look up many positions. The time of a lookup does not grow with the text.
#[derive(Clone, Debug)]
pub struct Positions<'a> {
    source: &'a str,
    /// The positions of every [`STEP`]th byte. A byte within a character has the position of that character.
    steps: Vec<Position>,
}

/// The distance between indexed positions in bytes, and so the most that a lookup has to scan.
const STEP: usize = 4096;

impl<'a> Positions<'a> {
    /// Indexes `source`, in one pass over all of it.
    #[must_use]
    pub fn of(source: &'a str) -> Self {
        let mut steps = vec![Position::START];
        let mut at = 0;
        while steps.len() * STEP <= source.len() {
            let next = boundary(source, steps.len() * STEP);
            steps.extend(steps.last().map(|it| it.behind(&source[at..next])));
            at = next;
        }
        Self { source, steps }
    }

    /// Returns the position of the byte `offset`; the end of the text if `offset` is past it.
    #[must_use]
    pub fn at(&self, offset: usize) -> Position {
        let end = boundary(self.source, offset);
        let step = end / STEP;
        self.steps[step].behind(&self.source[boundary(self.source, step * STEP)..end])
    }
}

/// Returns the last character boundary that is not after `offset`.
fn boundary(source: &str, offset: usize) -> usize {
    let mut at = offset.min(source.len());
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_places_are_those_that_are_asked_for_one_by_one() {
        let lines = ["", "ä", "a line\r\n", "\n", "\u{1f600}", "words and more of them"];
        let mut source = String::new();
        for at in 0..3000_usize {
            source.push_str(lines[(at * at / 7) % lines.len()]);
        }
        let positions = Positions::of(&source);
        assert!(source.len() > 4 * STEP);
        for offset in
            (0..source.len() + 3).step_by(11).chain(STEP - 4..STEP + 4).chain([2 * STEP, 3 * STEP + 1])
        {
            assert_eq!(positions.at(offset), Position::of(&source, offset), "{offset}");
        }
        assert_eq!(Position::of("ab\ncd", 4), Position { line: 2, column: 2 });
        assert_eq!(Position::of("aä", 2), Position { line: 1, column: 2 });
        assert_eq!(Positions::of("").at(7), Position::START);
    }
}
