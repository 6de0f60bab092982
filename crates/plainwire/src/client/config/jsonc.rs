//! JSON with comments, the format of configuration files of editors.
//!
//! In: JSON that may also have `//` and `/* */` comments, commas after the last element, and a byte order
//! mark. Out: JSON in which each byte keeps its position, so that positions are the same in both. All other
//! violations of JSON stay in the text.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Returns `text` with blanks in place of comments, commas after the last element, and a byte order mark.
/// Line breaks stay.
pub(super) fn to_json(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    // Position of the last comma, until a value follows it.
    let mut comma = None;
    let mut rest = bytes;
    if let Some(behind) = rest.strip_prefix(b"\xef\xbb\xbf") {
        out.extend(b"   ");
        rest = behind;
    }
    while let Some(&byte) = rest.first() {
        let length = match byte {
            b'"' => string(rest),
            b'/' => comment(rest).unwrap_or(1),
            _ => 1,
        };
        let (piece, behind) = rest.split_at(length);
        rest = behind;
        match byte {
            b'/' if piece.len() > 1 => {
                out.extend(piece.iter().map(|it| if it.is_ascii_whitespace() { *it } else { b' ' }));
                continue;
            }
            b',' => comma = Some(out.len()),
            b']' | b'}' => {
                if let Some(at) = comma.take().and_then(|at: usize| out.get_mut(at)) {
                    *at = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        out.extend(piece);
    }
    // No character was cut: comments were blanked and strings copied as a whole. So this is still UTF-8.
    String::from_utf8(out).unwrap_or_default()
}

/// Returns the length in bytes, with the quotes, of the JSON string that `bytes` begin with.
fn string(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    bytes.len()
}

/// Returns the length of the comment that `bytes` begin with; `None` if they begin with no comment.
fn comment(bytes: &[u8]) -> Option<usize> {
    let end = |found: Option<usize>| found.unwrap_or(bytes.len());
    match bytes.get(1)? {
        b'/' => Some(end(bytes.iter().position(|byte| *byte == b'\n'))),
        b'*' => {
            let close = bytes[2..].windows(2).position(|it| it == b"*/");
            Some(end(close.map(|at| at + 4)))
        }
        _ => None,
    }
}

/// The members of a JSON object in the order of the text: each name, and the value as written.
pub(super) struct Members<'t>(pub(super) Vec<(String, &'t RawValue)>);

impl<'t> Members<'t> {
    /// Returns the value of the last member whose name matches. If a name is repeated, its last value counts,
    /// as in most JSON parsers.
    pub(super) fn find(&self, is_it: impl Fn(&str) -> bool) -> Option<&'t RawValue> {
        self.0.iter().rev().find(|(name, _)| is_it(name)).map(|(_, value)| *value)
    }
}

impl<'de> serde::Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<'t>(PhantomData<&'t ()>);
        impl<'t> Visitor<'t> for Reader<'t> {
            type Value = Members<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader(PhantomData))
    }
}

/// Returns the kind of the value `json`, in words for errors: the value itself may be secret.
pub(super) fn kind(json: &str) -> &'static str {
    match json.trim_start().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "null",
        _ => "a number",
    }
}
