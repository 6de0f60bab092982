//! Reads and writes JSON text without building trees.
//!
//! `scan` reads text once, checks it and finds the spans of values; [`mod@write`] writes values into a
//! buffer; `canonical` rewrites text so that white space and the order of members do not matter. Messages are
//! not interpreted here.

pub(crate) mod canonical;
pub(crate) mod scan;
pub mod write;

use std::borrow::Cow;
use std::ops::Range;

/// The byte range of one JSON value in a frame.
///
/// A span is valid only for the frame in which it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Creates a span from byte offsets, which must fit in 32 bits. They do if
    /// [`crate::peer::Limits::check`] accepts the limits.
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// Creates a span from byte offsets; `None` unless `start <= end` and both fit in 32 bits.
    pub fn of(start: usize, end: usize) -> Option<Self> {
        (start <= end).then_some(Self { start: u32::try_from(start).ok()?, end: u32::try_from(end).ok()? })
    }

    /// Returns the span of the whole `text`.
    pub fn whole(text: &str) -> Self {
        Self::new(0, text.len())
    }

    /// Returns the range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the JSON text of the value in `frame`; empty if the span lies outside this frame.
    pub fn text(self, frame: &str) -> &str {
        frame.get(self.range()).unwrap_or("")
    }

    /// Returns the decoded string in `frame`, or `None` if the value is not a string.
    pub fn string(self, frame: &str) -> Option<Cow<'_, str>> {
        unquote(self.text(frame))
    }
}

/// Decodes the JSON string `text`, which includes its quotes; borrowed if nothing is escaped. `None` for any
/// other JSON value.
pub(crate) fn unquote(text: &str) -> Option<Cow<'_, str>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str::<String>(text).ok().map(Cow::Owned)
}

/// Largest number of values in untrusted JSON text that is read into a tree or into structures: 262,144. A value takes
/// some 32 to 100 bytes there, so all of them take at most 26 MiB; without this limit, 10 MB of `[0,0,…]` would take
/// 200 MB.
pub const MAX_VALUES: usize = 1 << 18;

/// Returns whether JSON text has more than [`MAX_VALUES`] values. The names of members do not count.
pub fn has_too_many_values(text: &str) -> bool {
    // Most text is too short for so many values, each of which takes two bytes with its comma.
    if text.len() < 2 * MAX_VALUES {
        return false;
    }
    let (mut is_text, mut is_escaped, mut values) = (false, false, 1);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b',' | b'[' | b'{' if !is_text => values += 1,
            _ => {}
        }
    }
    values > MAX_VALUES
}

/// Makes untrusted text safe to show within one line, cut at `most` characters. Invisible characters and
/// those that change the writing direction are escaped, such as `\n` or `\u{202e}`, so that the text cannot
/// overwrite or reorder what is shown around it.
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

/// Appends a character, escaped if the standard library counts it as unprintable: control, format, private
/// and unassigned characters, and white space other than a space.
fn push_visible(out: &mut String, letter: char) {
    if letter == ' ' || letter.is_ascii_graphic() {
        return out.push(letter);
    }
    // Escaped after a letter, so that a combining accent is not escaped for being first.
    let pair = String::from_iter(['a', letter]);
    out.extend(pair.escape_debug().skip(1));
}

/// Makes untrusted JSON safe to show: like [`visible`], but the result is the same JSON value, since escapes
/// are those of JSON, such as `\u202e`. Line breaks and tabs stay, and a carriage return becomes a space: in
/// JSON they are white space between tokens. Text that is not JSON is escaped in the same way.
pub fn visible_json(text: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter == ' ' || letter.is_ascii_graphic() || matches!(letter, '\n' | '\t');
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len());
    let mut shown = String::new();
    for letter in text.chars() {
        shown.clear();
        push_visible(&mut shown, letter);
        match letter {
            '\r' => visible.push(' '),
            _ if is_plain(letter) || shown.chars().eq([letter]) => visible.push(letter),
            _ => letter
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| visible.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    Cow::Owned(visible)
}

/// Returns `text` for an error message: the whole text if it has at most 80 characters, else its first 80
/// characters and `…`.
pub fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(80) {
        None => Cow::Borrowed(text),
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
    }
}
