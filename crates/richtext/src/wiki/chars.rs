//! Decodes the characters of text: escapes, character references and dashes.
//!
//! In: a spelling, which is the source that stands for a text. Out: its units, each some bytes of the
//! spelling with the characters that they represent. A unit depends on nothing outside the spelling, so the
//! reader and [`place`] always agree.

use std::borrow::Cow;

use crate::values::entities;

/// Returns whether a backslash before this byte escapes it.
pub(super) fn is_escapable(byte: u8) -> bool {
    matches!(
        byte,
        b'*' | b'_'
            | b'-'
            | b'+'
            | b'^'
            | b'~'
            | b'?'
            | b'{'
            | b'}'
            | b'['
            | b']'
            | b'('
            | b')'
            | b'|'
            | b'!'
            | b'#'
            | b'@'
            | b'%'
    )
}

/// The text that a unit (a piece of a spelling) represents.
#[derive(Clone, Copy)]
enum Unit {
    /// The bytes of the unit themselves.
    Same,
    /// This character, instead of the bytes of the unit: a character reference or a dash.
    One(char),
    /// The bytes of the unit without the backslash at their start.
    Rest,
}

/// Decodes a spelling to its text.
pub(super) fn decode(spelling: &str) -> Cow<'_, str> {
    if !spelling.bytes().any(|it| matches!(it, b'\\' | b'&' | b'-')) {
        return Cow::Borrowed(spelling);
    }
    let mut text = String::new();
    let mut copied = 0;
    let mut at = 0;
    while at < spelling.len() {
        let (unit, len) = unit(spelling, at);
        if !matches!(unit, Unit::Same) {
            text.push_str(&spelling[copied..at]);
            match unit {
                Unit::One(it) => text.push(it),
                _ => text.push_str(&spelling[at + 1..at + len]),
            }
            copied = at + len;
        }
        at += len;
    }
    if copied == 0 {
        return Cow::Borrowed(spelling);
    }
    text.push_str(&spelling[copied..]);
    Cow::Owned(text)
}

/// Returns the byte offset in `spelling` that stands for the byte `offset` of the decoded text; `None` if
/// `offset` is inside a unit or after the end of the text.
pub(super) fn place(spelling: &str, offset: usize) -> Option<usize> {
    let (mut at, mut decoded) = (0, 0);
    while decoded < offset && at < spelling.len() {
        let (unit, len) = unit(spelling, at);
        decoded += match unit {
            Unit::Same => len,
            Unit::One(it) => it.len_utf8(),
            Unit::Rest => len - 1,
        };
        at += len;
    }
    (decoded == offset).then_some(at)
}

/// Like [`place`], but for code, in which CR LF represents one line feed and every other character represents
/// itself.
pub(super) fn place_in_code(spelling: &str, offset: usize) -> Option<usize> {
    let (mut at, mut decoded) = (0, 0);
    while decoded < offset && at < spelling.len() {
        at += if spelling[at..].starts_with("\r\n") { 2 } else { length(spelling.as_bytes()[at]) };
        decoded += spelling[..at].chars().next_back().map_or(0, char::len_utf8);
    }
    (decoded == offset).then_some(at)
}

/// Returns the unit that begins at the offset `at`, and its length in bytes.
fn unit(spelling: &str, at: usize) -> (Unit, usize) {
    let bytes = spelling.as_bytes();
    match bytes[at] {
        b'\\' => backslash(bytes, at),
        b'&' => {
            entities::reference(&spelling[at..]).map_or((Unit::Same, 1), |(it, len)| (Unit::One(it), len))
        }
        b'-' => dash(bytes, at),
        first => (Unit::Same, length(first)),
    }
}

/// Returns the length in bytes of the UTF-8 character that begins with the byte `first`.
fn length(first: u8) -> usize {
    match first {
        0..=0xbf => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    }
}

/// Returns the unit of the backslash at `at`, and its length. A single backslash escapes the next character,
/// if that can be escaped; several in a row are literal.
fn backslash(bytes: &[u8], at: usize) -> (Unit, usize) {
    let alone = (at == 0 || bytes[at - 1] != b'\\') && bytes.get(at + 1) != Some(&b'\\');
    let escapes = alone && bytes.get(at + 1).is_some_and(|it| is_escapable(*it));
    if escapes { (Unit::Rest, 2) } else { (Unit::Same, 1) }
}

/// Returns the unit of the dash at `at`, and its length. `--` and `---` between spaces are an en dash and an
/// em dash; other dashes are literal.
fn dash(bytes: &[u8], at: usize) -> (Unit, usize) {
    let len = bytes[at..].iter().take(4).take_while(|it| **it == b'-').count();
    let blank = |it: Option<&u8>| it == Some(&b' ');
    let stands_free = at > 0 && blank(bytes.get(at - 1)) && blank(bytes.get(at + len));
    match len {
        2 if stands_free => (Unit::One('–'), 2),
        3 if stands_free => (Unit::One('—'), 3),
        _ => (Unit::Same, 1),
    }
}
