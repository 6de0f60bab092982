//! Escapes and unescapes text: character references and CDATA sections.
//!
//! In: text, or its spelling, which is the source that stands for it. Out: the other of the two, and the
//! position of a character in a spelling. A spelling begins outside of CDATA sections and may contain
//! several. An unknown reference or a lone `&` (`&foo;`, `a & b`) is literal text. As XML requires, every
//! line end in element content decodes to a line feed.

use std::borrow::Cow;

use crate::values::entities;

/// The opening of a CDATA section.
pub(super) const OPEN: &str = "<![CDATA[";
/// The end of a CDATA section.
pub(super) const CLOSE: &str = "]]>";

/// Decodes the spelling of element content, including CDATA sections, to its text.
pub(super) fn decode(spelling: &str) -> Cow<'_, str> {
    if memchr::memchr3(b'&', b'<', b'\r', spelling.as_bytes()).is_none() {
        return Cow::Borrowed(spelling);
    }
    if let Some(inner) = spelling.strip_prefix(OPEN).and_then(|it| it.strip_suffix(CLOSE))
        && !inner.contains(CLOSE)
        && !inner.contains('\r')
    {
        return Cow::Borrowed(inner);
    }
    let mut text = String::with_capacity(spelling.len());
    for unit in units(spelling) {
        unit.append(&mut text);
    }
    Cow::Owned(text)
}

/// Decodes the value of an attribute. Unlike [`decode`], it treats CDATA sections as literal text and keeps
/// line ends as they are.
pub(super) fn decode_value(spelling: &str) -> Cow<'_, str> {
    if !spelling.contains('&') {
        return Cow::Borrowed(spelling);
    }
    let mut text = String::with_capacity(spelling.len());
    let mut rest = spelling;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        let (found, length) = reference(&rest[at..]).unwrap_or(('&', 1));
        text.push(found);
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Returns the byte offset in `spelling` that stands for the byte `offset` of the decoded text; `None` if
/// `offset` is inside the text of a reference, inside a character, or after the end of the text.
pub(super) fn place(spelling: &str, offset: usize) -> Option<usize> {
    let mut before = 0;
    let mut last = 0;
    for unit in units(spelling) {
        if offset < before + unit.decoded() {
            return unit.place(offset - before);
        }
        before += unit.decoded();
        last = unit.start + unit.raw.len();
    }
    (offset == before).then_some(if before == 0 { 0 } else { last })
}

/// Returns the byte offsets of the start and the end of the first unknown reference, from its `&` to its `;`.
/// If no `;` follows the `&` closely, the range is the `&` alone. Returns `None` if every `&` begins a known
/// reference.
pub(super) fn unknown(spelling: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'&', &spelling.as_bytes()[from..]) {
        let at = from + at;
        let known = reference(&spelling[at..]);
        if known.is_none() {
            let length =
                spelling[at..].bytes().take(MAX_REFERENCE).position(|it| it == b';').map_or(1, |it| it + 1);
            return Some((at, at + length));
        }
        from = at + 1;
    }
    None
}

/// A piece of a spelling: literal characters, or one reference or line end.
struct Unit<'a> {
    start: usize,
    raw: &'a str,
    /// The character that the reference or line end decodes to; `None` if the piece is literal.
    reference: Option<char>,
}

impl Unit<'_> {
    fn decoded(&self) -> usize {
        self.reference.map_or(self.raw.len(), char::len_utf8)
    }

    fn append(&self, text: &mut String) {
        match self.reference {
            Some(found) => text.push(found),
            None => text.push_str(self.raw),
        }
    }

    fn place(&self, offset: usize) -> Option<usize> {
        match self.reference {
            Some(_) => (offset == 0).then_some(self.start),
            None => self.raw.is_char_boundary(offset).then_some(self.start + offset),
        }
    }
}

fn units(spelling: &str) -> Units<'_> {
    Units { spelling, at: 0, in_data: false }
}

struct Units<'a> {
    spelling: &'a str,
    at: usize,
    in_data: bool,
}

impl<'a> Iterator for Units<'a> {
    type Item = Unit<'a>;

    fn next(&mut self) -> Option<Unit<'a>> {
        loop {
            let rest = &self.spelling[self.at..];
            if rest.is_empty() {
                return None;
            }
            let length = if self.in_data { self.data(rest) } else { self.plain(rest) };
            match length {
                Found::Unit(length, reference) => {
                    let start = self.at;
                    self.at += length;
                    return Some(Unit { start, raw: &rest[..length], reference });
                }
                Found::Bracket(length) => {
                    self.in_data = !self.in_data;
                    self.at += length;
                }
            }
        }
    }
}

enum Found {
    Unit(usize, Option<char>),
    Bracket(usize),
}

impl Units<'_> {
    fn data(&self, rest: &str) -> Found {
        if let Some(end) = line_end(rest) {
            return end;
        }
        if rest.starts_with(CLOSE) {
            return Found::Bracket(CLOSE.len());
        }
        // The unit ends before the next byte that may have a meaning. A bracket without a meaning begins a
        // unit.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        Found::Unit(rest[first..].find([']', '\r']).map_or(rest.len(), |it| first + it), None)
    }

    fn plain(&self, rest: &str) -> Found {
        if rest.starts_with(OPEN) {
            return Found::Bracket(OPEN.len());
        }
        if let Some((found, length)) = reference(rest) {
            return Found::Unit(length, Some(found));
        }
        if let Some(end) = line_end(rest) {
            return end;
        }
        // The first byte is literal, even if it is a lone `&` or `<`.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[first..].find(['&', '<', '\r']).map_or(rest.len(), |it| first + it);
        Found::Unit(end, None)
    }
}

/// Returns the unit of the line end at the start of `rest`, `\r` or `\r\n`, which decodes to a line feed;
/// `None` if `rest` does not begin with `\r`.
fn line_end(rest: &str) -> Option<Found> {
    let length = if rest.starts_with("\r\n") { 2 } else { 1 };
    rest.starts_with('\r').then_some(Found::Unit(length, Some('\n')))
}

/// The number of bytes after an `&` in which the `;` of a reference is searched: enough for `&thetasym;`, and
/// for `&#x10FFFF;` with some leading zeros.
const MAX_REFERENCE: usize = 16;

/// Returns the character of the reference at the start of `text`, and the length of the reference in bytes;
/// `None` if there is no reference or it is unknown.
fn reference(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix('&')?;
    let end = rest.bytes().take(MAX_REFERENCE).position(|it| it == b';')?;
    let name = rest.get(..end)?;
    let found = match name.strip_prefix('#') {
        Some(number) => numbered(number)?,
        None => entities::named(name)?,
    };
    Some((found, end + 2))
}

fn numbered(number: &str) -> Option<char> {
    let (digits, radix) = match number.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    let digit = digits.starts_with(|it: char| it.is_digit(radix));
    let found = u32::from_str_radix(digits, radix).ok().filter(|it| digit && *it != 0)?;
    char::from_u32(found)
}

/// Appends `text` to `out`, spelled as element content.
pub(super) fn encode(out: &mut String, text: &str) {
    escaped(out, text, |it| match it {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '\r' => Some("&#13;"),
        '\u{a0}' => Some("&nbsp;"),
        it => forbidden(it),
    });
}

/// Returns the replacement for a character that XML 1.0 forbids even as a reference (production 2): U+FFFD.
/// Returns `None` for all other characters.
fn forbidden(it: char) -> Option<&'static str> {
    let is_forbidden =
        matches!(it, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    is_forbidden.then_some("\u{fffd}")
}

/// Appends `text` to `out`, spelled as an attribute value within double quotes.
pub(super) fn encode_value(out: &mut String, text: &str) {
    escaped(out, text, |it| match it {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\n' => Some("&#10;"),
        '\r' => Some("&#13;"),
        '\t' => Some("&#9;"),
        '\u{a0}' => Some("&nbsp;"),
        it => forbidden(it),
    });
}

fn escaped(out: &mut String, text: &str, spelled: impl Fn(char) -> Option<&'static str>) {
    let mut copied = 0;
    for (at, found) in text.char_indices() {
        if let Some(spelled) = spelled(found) {
            out.push_str(&text[copied..at]);
            out.push_str(spelled);
            copied = at + found.len_utf8();
        }
    }
    out.push_str(&text[copied..]);
}

/// Appends `text` to `out`, spelled for an open CDATA section. At a `]]>` or a carriage return in the text,
/// the section is closed and a new one opened.
pub(super) fn encode_data(out: &mut String, text: &str) {
    let mut copied = 0;
    for (at, found) in text.char_indices() {
        let (spelled, length) = match found {
            // XML turns a literal carriage return into a line feed, so it is written as a reference.
            '\r' => ("]]>&#13;<![CDATA[", 1),
            ']' if text[at..].starts_with(CLOSE) => ("]]]]><![CDATA[>", CLOSE.len()),
            it => match forbidden(it) {
                Some(spelled) => (spelled, it.len_utf8()),
                None => continue,
            },
        };
        out.push_str(&text[copied..at]);
        out.push_str(spelled);
        copied = at + length;
    }
    out.push_str(&text[copied..]);
}

/// Returns the spelling of `text` for a position between the spellings `before` and `after`. This position
/// may be inside a CDATA section. With `prefer_data`, text that needs escapes outside of a section gets a
/// section of its own.
pub(super) fn between(text: &str, prefer_data: bool, before: &str, after: &str) -> String {
    let opened = before.rfind(OPEN);
    let inside = opened.is_some_and(|it| before.rfind(CLOSE).is_none_or(|close| close < it));
    let closes = after.find(CLOSE).is_some_and(|it| after.find(OPEN).is_none_or(|open| it < open));
    let mut out = String::with_capacity(text.len());
    if !(inside || closes || prefer_data && text.contains(['<', '>', '&'])) {
        encode(&mut out, text);
        return out;
    }
    if !inside {
        out.push_str(OPEN);
    }
    // The text must not form a `]]>` together with its neighbours.
    let joins = |one: &str, other: &str| {
        !other.starts_with(CLOSE)
            && (one.ends_with("]]") && other.starts_with('>')
                || one.ends_with(']') && other.starts_with("]>"))
    };
    let before = if inside { before } else { "" };
    let reopens = joins(before, text);
    out.push_str(if reopens { "]]><![CDATA[" } else { "" });
    encode_data(&mut out, text);
    let brackets = before.len() - before.trim_end_matches(']').len();
    let joined = format!("{}{text}", if reopens { "" } else { &before[before.len() - brackets..] });
    if !closes {
        out.push_str(CLOSE);
    } else if joins(&joined, after) {
        out.push_str("]]><![CDATA[");
    }
    out
}

#[cfg(test)]
mod tests;
