//! JSON text, read and written without building trees.
//!
//! `scan` walks over text once, checks it and says where values stand; [`mod@write`] puts values into a
//! buffer; `canonical` writes text again so that layout and order do not matter. Nothing here knows what a message is.

pub(crate) mod canonical;
pub(crate) mod scan;
pub mod write;

use std::borrow::Cow;
use std::ops::Range;

/// A place in a frame: the bytes of one JSON value, from its first to behind its last.
///
/// Spans are only good for the frame that they were found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Frames are at most 4 GiB: [`crate::peer::Limits`] keeps them far below.
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// Makes a span of a frame by hand; `None` unless `start <= end` and both fit.
    pub fn of(start: usize, end: usize) -> Option<Self> {
        (start <= end).then_some(Self { start: u32::try_from(start).ok()?, end: u32::try_from(end).ok()? })
    }

    /// All of `text`.
    pub(crate) fn whole(text: &str) -> Self {
        Self::new(0, text.len())
    }

    /// Returns the range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the JSON text of the value in `frame`; empty when the span is not of this frame.
    pub fn text(self, frame: &str) -> &str {
        frame.get(self.range()).unwrap_or("")
    }

    /// Returns the string that the JSON text in `frame` stands for, or `None` when it is no string.
    pub fn string(self, frame: &str) -> Option<Cow<'_, str>> {
        unquote(self.text(frame))
    }
}

/// Returns what the JSON string `text` (with its quotes) stands for; borrowed when nothing is escaped.
pub(crate) fn unquote(text: &str) -> Option<Cow<'_, str>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str::<String>(text).ok().map(Cow::Owned)
}

/// Text of somebody else as a part of one line: control characters and those that turn the direction of text are escaped;
/// the rest is cut at `most` characters.
pub fn visible(text: &str, most: usize) -> String {
    let mut visible = String::new();
    let mut count = 0;
    for letter in text.chars() {
        let hidden = letter.is_control()
            || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let part = if hidden { letter.escape_default().to_string() } else { letter.to_string() };
        count += part.chars().count();
        if count > most {
            visible.push('…');
            break;
        }
        visible += &part;
    }
    visible
}

/// Shortens a value for an error message: at most 80 characters, never cut inside one.
pub fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(80) {
        None => Cow::Borrowed(text),
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
    }
}
