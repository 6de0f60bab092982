//! Characters of JSON strings and their spelling.

use std::borrow::Cow;

use crate::values::json::escape;

/// Returns `json` with raw control characters in its strings escaped, as JSON requires.
pub(super) fn cleaned(json: &str) -> Cow<'_, str> {
    let (mut out, mut done) = (String::new(), 0);
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in json.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            ..0x20 if quoted => {
                out.push_str(&json[done..at]);
                escape(&mut out, &json[at..=at]);
                done = at + 1;
            }
            _ => {}
        }
    }
    if done == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[done..]);
    Cow::Owned(out)
}

/// Decodes the characters of a JSON string, given without its quotes. A surrogate without its other half
/// becomes U+FFFD.
pub(super) fn decode(spelling: &str) -> String {
    let mut out = String::with_capacity(spelling.len());
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &spelling.as_bytes()[at..]) {
        out.push_str(&spelling[at..at + found]);
        let mut characters = Characters { spelling, at: at + found };
        out.extend(characters.next().map(|it| it.character));
        at = characters.at;
    }
    out.push_str(&spelling[at..]);
    out
}

/// Returns the byte offset in `spelling`, a JSON string without its quotes, of the first surrogate without
/// its other half; `None` if there is none.
pub(super) fn lone_surrogate(spelling: &str) -> Option<usize> {
    let at = memchr::memchr(b'\\', spelling.as_bytes())?;
    Characters { spelling, at }.find(|it| it.is_lone).map(|it| it.start)
}

/// Returns the byte offset in `spelling`, a JSON string without its quotes, of the character that begins at
/// the byte `offset` of the decoded string; the end of `spelling` for the end of the string. Returns `None`
/// if no character begins there.
pub(super) fn place(spelling: &str, offset: usize) -> Option<usize> {
    let mut decoded = 0;
    for it in (Characters { spelling, at: 0 }) {
        if decoded >= offset {
            return (decoded == offset).then_some(it.start);
        }
        decoded += it.character.len_utf8();
    }
    (decoded == offset).then_some(spelling.len())
}

/// A character of a JSON string, and the byte offset at which its spelling begins.
struct Spelled {
    character: char,
    start: usize,
    /// True if the spelling is a surrogate without its other half; the character is U+FFFD then.
    is_lone: bool,
}

/// An iterator over the characters of a JSON string, given without its quotes, from the byte offset `at`.
struct Characters<'a> {
    spelling: &'a str,
    at: usize,
}

impl Iterator for Characters<'_> {
    type Item = Spelled;

    fn next(&mut self) -> Option<Spelled> {
        let start = self.at;
        let mut rest = self.spelling[start..].chars();
        let first = rest.next()?;
        let decoded = if first == '\\' { self.escaped(rest.next()) } else { Some(first) };
        if first != '\\' {
            self.at += first.len_utf8();
        }
        Some(Spelled { character: decoded.unwrap_or('\u{fffd}'), start, is_lone: decoded.is_none() })
    }
}

impl Characters<'_> {
    fn escaped(&mut self, letter: Option<char>) -> Option<char> {
        self.at += 1 + letter.map_or(0, char::len_utf8);
        Some(match letter {
            Some('u') => return self.unit_or_pair(),
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some(other) => other,
            None => '\\',
        })
    }

    fn unit_or_pair(&mut self) -> Option<char> {
        let unit = self.unit(self.at)?;
        self.at += 4;
        if !(0xd800..0xdc00).contains(&unit) {
            return char::from_u32(unit);
        }
        let low = self.spelling[self.at..].strip_prefix("\\u").and_then(|_| self.unit(self.at + 2));
        let low = low.filter(|it| (0xdc00..0xe000).contains(it))?;
        self.at += 6;
        char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00))
    }

    fn unit(&self, at: usize) -> Option<u32> {
        u32::from_str_radix(self.spelling.get(at..at + 4)?, 16).ok()
    }
}
