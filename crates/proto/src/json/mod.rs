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
    pub fn whole(text: &str) -> Self {
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

/// Returns text of somebody else as a part of one line, cut at `most` characters: what is not seen, or turns the direction of
/// writing, is shown as `\n` or `\u{202e}`, so that nobody can draw over what stands there.
pub fn visible(text: &str, most: usize) -> String {
    let mut visible = String::new();
    let mut count = 0;
    for letter in text.chars() {
        let from = visible.len();
        push_visible(&mut visible, letter);
        count += visible[from..].chars().count();
        if count > most {
            visible.truncate(from);
            visible.push('…');
            break;
        }
    }
    visible
}

/// What the standard library takes for unprintable is escaped: control, format, private and unassigned characters, and
/// blanks that are no space.
fn push_visible(out: &mut String, letter: char) {
    if letter == ' ' || letter.is_ascii_graphic() {
        return out.push(letter);
    }
    // Behind a letter, so that an accent of its own stays one.
    let pair = String::from_iter(['a', letter]);
    out.extend(pair.escape_debug().skip(1));
}

/// Shortens a value for an error message: at most 80 characters, never cut inside one.
pub fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(80) {
        None => Cow::Borrowed(text),
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
    }
}
