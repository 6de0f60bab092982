//! How text is spelled: character references and CDATA sections.
//!
//! In: a spelling, or text. Out: the other, and where in a spelling a character is. A spelling begins outside of a CDATA section; it
//! may hold several. What is no reference (`&foo;`, `a & b`) is text as it stands. As XML wants it, each line ends with a line feed,
//! whatever ends it in the source.

use std::borrow::Cow;

use crate::values::entities;

/// What opens a CDATA section.
pub(super) const OPEN: &str = "<![CDATA[";
/// What closes one.
pub(super) const CLOSE: &str = "]]>";

/// The text a spelling stands for.
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

/// Like [`decode`], of the value of an attribute: CDATA means nothing there.
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

/// Where the decoded byte `offset` begins in `spelling`; `None` within a reference or a character.
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

/// The first place that is `&name;` or `&#n;` and means nothing.
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

/// A stretch of a spelling: characters that stand for themselves, or one reference.
struct Unit<'a> {
    start: usize,
    raw: &'a str,
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
        // As far as the next byte that may mean something; a bracket that does not is a unit of its own.
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
        // The first byte stands for itself, also if it is a lone `&` or `<`.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[first..].find(['&', '<', '\r']).map_or(rest.len(), |it| first + it);
        Found::Unit(end, None)
    }
}

/// The end of a line that is spelled with a carriage return, which the text does without.
fn line_end(rest: &str) -> Option<Found> {
    let length = if rest.starts_with("\r\n") { 2 } else { 1 };
    rest.starts_with('\r').then_some(Found::Unit(length, Some('\n')))
}

/// The longest reference, in bytes: `&#x10FFFF;` with room for zeros, `&thetasym;`.
const MAX_REFERENCE: usize = 16;

/// The character of the reference that `text` begins with, and its length.
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

/// `text` between elements.
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

/// What stands for a character that XML 1.0 has no place for, not even as a reference (its production 2): the one that says that a
/// character is missing.
fn forbidden(it: char) -> Option<&'static str> {
    let is_forbidden =
        matches!(it, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    is_forbidden.then_some("\u{fffd}")
}

/// `text` as the value of an attribute, between double quotes.
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

/// `text` within a CDATA section that is open: where it would close the section, that is closed and another opened.
pub(super) fn encode_data(out: &mut String, text: &str) {
    let mut copied = 0;
    for (at, found) in text.char_indices() {
        let (spelled, length) = match found {
            // A carriage return is a line feed for XML, unless a reference says it.
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

/// `text` between two spellings, either of which may lie within a CDATA section.
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
    // What is written must not make a `]]>` with what is around it.
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
