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

/// A place as editors count: lines and characters from 1, a byte order mark among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl Position {
    /// The beginning of a text.
    const START: Self = Self { line: 1, column: 1 };

    /// Where the byte `offset` of `source` is; past the end, where the source ends. Who asks for many asks [`Positions`].
    #[must_use]
    pub fn of(source: &str, offset: usize) -> Self {
        Self::START.behind(&source[..boundary(source, offset)])
    }

    /// The place behind `text`, which begins here.
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

/// The places of a text of which many are asked for: each is found in a time that does not grow with the text.
#[derive(Clone, Debug)]
pub struct Positions<'a> {
    source: &'a str,
    /// Of each [`STEP`]th byte.
    steps: Vec<Position>,
}

/// How far it is to look for a place, in bytes.
const STEP: usize = 4096;

impl<'a> Positions<'a> {
    /// The places of `source`, all of which is looked at once.
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

    /// Where the byte `offset` is; past the end, where the source ends.
    #[must_use]
    pub fn at(&self, offset: usize) -> Position {
        let end = boundary(self.source, offset);
        let step = end / STEP;
        self.steps[step].behind(&self.source[boundary(self.source, step * STEP)..end])
    }
}

/// The last offset that is no greater and between two characters.
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
