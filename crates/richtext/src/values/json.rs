//! JSON parsing and writing for attributes and macro parameters: string literals, ends of values, members of
//! objects.
//!
//! In: text that may be JSON. Out: parts of it, or `None` if it is not JSON. Values keep their spelling and
//! members their order. Nothing here builds a tree or recurses. A string with half of a surrogate pair is not
//! decoded, because no Rust string can contain it.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns whether all of `text` is one JSON value.
pub(crate) fn is_value(text: &str) -> bool {
    value_end(text.as_bytes(), skip_space(text.as_bytes(), 0))
        .is_some_and(|end| skip_space(text.as_bytes(), end) == text.len())
}

/// Returns whether `word` is a JSON number, `true`, `false` or `null`.
pub(crate) fn is_word(word: &str) -> bool {
    word.starts_with(|it: char| it == '-' || it.is_ascii_digit() || matches!(it, 't' | 'f' | 'n'))
        && scalar_end(word.as_bytes(), 0) == Some(word.len())
}

/// Decodes `text` if all of it is one string literal; otherwise returns `None`.
pub(crate) fn string(text: &str) -> Option<Cow<'_, str>> {
    string_at(text).filter(|it| it.1 == text.len()).map(|it| it.0)
}

/// Decodes the string literal at the start of `text`, and returns it with the length of the literal in bytes,
/// including its quotes; `None` if `text` does not begin with a string.
pub(crate) fn string_at(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let end = string_end(text.as_bytes(), 0)?;
    let inner = &text[1..end - 1];
    let decoded = if inner.contains('\\') { Cow::Owned(unescape(inner)?) } else { Cow::Borrowed(inner) };
    Some((decoded, end))
}

/// Returns the keys and values of an object, in order; `None` unless all of `text` is one JSON object. Values
/// keep their spelling.
pub(crate) fn members(text: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = skip_space(bytes, 0);
    if bytes.get(at) != Some(&b'{') || !is_value(text) {
        return None;
    }
    loop {
        at = skip_space(bytes, at + 1);
        if bytes.get(at) == Some(&b'}') {
            return Some(found);
        }
        let (key, length) = string_at(&text[at..])?;
        let start = skip_space(bytes, skip_space(bytes, at + length) + 1);
        let end = value_end(bytes, start)?;
        found.push((key, &text[start..end]));
        at = skip_space(bytes, end);
        if bytes.get(at) == Some(&b'}') {
            return Some(found);
        }
    }
}

/// Returns the elements of an array, in order and as spelled; `None` unless all of `text` is one JSON array.
pub(crate) fn elements(text: &str) -> Option<Vec<&str>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = skip_space(bytes, 0);
    if bytes.get(at) != Some(&b'[') || !is_value(text) {
        return None;
    }
    loop {
        at = skip_space(bytes, at + 1);
        if bytes.get(at) == Some(&b']') {
            return Some(found);
        }
        let end = value_end(bytes, at)?;
        found.push(&text[at..end]);
        at = skip_space(bytes, end);
        if bytes.get(at) == Some(&b']') {
            return Some(found);
        }
    }
}

/// Appends `text` to `out`, escaped for a JSON string but without quotes.
pub(crate) fn escape(out: &mut String, text: &str) {
    let mut done = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[done..at]);
        done = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            _ => drop(write!(out, "\\u{byte:04x}")),
        }
    }
    out.push_str(&text[done..]);
}

/// Appends `text` to `out` as a JSON string literal.
pub(crate) fn quote(out: &mut String, text: &str) {
    out.push('"');
    escape(out, text);
    out.push('"');
}

/// Like [`quote`], but writes characters for which `guarded` is true as `\u` escapes.
pub(crate) fn quote_guarded(out: &mut String, text: &str, guarded: impl Fn(char) -> bool) {
    out.push('"');
    for it in text.chars() {
        match it {
            '"' | '\\' if !guarded(it) => out.extend(['\\', it]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ if it.is_control() || guarded(it) => numbered(out, it),
            _ => out.push(it),
        }
    }
    out.push('"');
}

/// Appends `json` to `out` on one line. If it has a line break, white space outside strings is dropped.
/// Characters in strings for which `guarded` is true become `\u` escapes.
pub(crate) fn one_line(out: &mut String, json: &str, guarded: impl Fn(char) -> bool) {
    let compact = json.contains(['\n', '\r']);
    let (mut within, mut escaped) = (false, false);
    for it in json.chars() {
        if !within {
            within = it == '"';
            if !(compact && it.is_ascii_whitespace()) {
                out.push(it);
            }
        } else if escaped {
            escaped = false;
            if guarded(it) && matches!(it, '\\' | '"') {
                out.pop();
                numbered(out, it);
            } else {
                out.push(it);
            }
        } else {
            escaped = it == '\\';
            within = it != '"';
            if within && !escaped && guarded(it) { numbered(out, it) } else { out.push(it) }
        }
    }
}

fn numbered(out: &mut String, it: char) {
    for unit in it.encode_utf16(&mut [0; 2]) {
        out.push_str(&format!("\\u{unit:04x}"));
    }
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// Returns the offset after the JSON value that begins at `at` or after white space there; `None` if the
/// value is malformed. Keeps open brackets in a list instead of recursing.
fn value_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut open = Vec::new();
    loop {
        at = skip_space(bytes, at);
        match bytes.get(at)? {
            opener @ (b'{' | b'[') => {
                let closer = if *opener == b'{' { b'}' } else { b']' };
                at = skip_space(bytes, at + 1);
                if bytes.get(at)? == &closer {
                    at += 1;
                } else {
                    open.push(closer);
                    if closer == b'}' {
                        at = key_end(bytes, at)?;
                    }
                    continue;
                }
            }
            b'"' => at = string_end(bytes, at)?,
            _ => at = scalar_end(bytes, at)?,
        }
        loop {
            let Some(closer) = open.last() else { return Some(at) };
            at = skip_space(bytes, at);
            let found = bytes.get(at)?;
            at += 1;
            if found == closer {
                open.pop();
            } else if found == &b',' {
                if *closer == b'}' {
                    at = key_end(bytes, skip_space(bytes, at))?;
                }
                break;
            } else {
                return None;
            }
        }
    }
}

fn key_end(bytes: &[u8], at: usize) -> Option<usize> {
    let colon = skip_space(bytes, string_end(bytes, at)?);
    (bytes.get(colon)? == &b':').then_some(colon + 1)
}

fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            0..=0x1f => return None,
            _ => at += 1,
        }
    }
}

fn scalar_end(bytes: &[u8], at: usize) -> Option<usize> {
    for word in ["true", "false", "null"] {
        if bytes[at..].starts_with(word.as_bytes()) {
            return Some(at + word.len());
        }
    }
    let digits = |mut at: usize| {
        let start = at;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        (at > start).then_some(at)
    };
    let whole = if bytes[at] == b'-' { at + 1 } else { at };
    let mut end = digits(whole)?;
    if bytes[whole] == b'0' && end > whole + 1 {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1)?;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = digits(end + 1 + sign)?;
    }
    Some(end)
}

fn unescape(inner: &str) -> Option<String> {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (it, length) = escaped(&rest[at + 1..])?;
        out.push(it);
        rest = &rest[at + 1 + length..];
    }
    out.push_str(rest);
    Some(out)
}

/// Returns the character of the escape whose backslash precedes `after`, and the length of the escape without
/// that backslash; `None` if the escape is malformed or half of a surrogate pair.
fn escaped(after: &str) -> Option<(char, usize)> {
    Some(match after.as_bytes().first()? {
        b'n' => ('\n', 1),
        b't' => ('\t', 1),
        b'r' => ('\r', 1),
        b'b' => ('\u{8}', 1),
        b'f' => ('\u{c}', 1),
        it @ (b'"' | b'\\' | b'/') => (char::from(*it), 1),
        b'u' => {
            let unit = |at: usize| u16::from_str_radix(after.get(at..at + 4)?, 16).ok();
            let first = unit(1)?;
            if let Some(it) = char::from_u32(u32::from(first)) {
                return Some((it, 5));
            }
            let second = if after.get(5..7) == Some("\\u") { unit(7)? } else { return None };
            (char::decode_utf16([first, second]).next()?.ok()?, 11)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_an_object_are_found() {
        let found = members(r#" {"a": 1.0 , "b\n":{"c":["}"]},"":"x"} "#).expect("an object");
        let shown: Vec<_> = found.iter().map(|it| (&*it.0, it.1)).collect();
        assert_eq!(shown, [("a", "1.0"), ("b\n", r#"{"c":["}"]}"#), ("", r#""x""#)]);
        assert_eq!(elements("[1, [2,3] ,\"]\"]"), Some(vec!["1", "[2,3]", "\"]\""]));
        assert_eq!((members("{}"), elements(" [ ] ")), (Some(Vec::new()), Some(Vec::new())));
    }

    #[test]
    fn what_is_broken_has_no_parts() {
        for broken in
            ["", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{a:1}", "[1,2", "{\"a\":\"b}", "{}x", "{\"a\":x}"]
        {
            assert_eq!((members(broken), elements(broken)), (None, None), "{broken}");
        }
    }

    #[test]
    fn strings_come_back_from_their_quotes() {
        for text in ["", "a\"b\\c\n\t\r\u{1}\u{8}\u{c}ü😄\u{85}"] {
            let (mut quoted, mut numbered) = (String::new(), String::new());
            quote(&mut quoted, text);
            quote_guarded(&mut numbered, text, |it| it == 'ü');
            assert_eq!((string(&quoted).as_deref(), string(&numbered).as_deref()), (Some(text), Some(text)));
            assert!(!numbered.contains('ü'));
        }
        assert_eq!(string(r#""\u00fc\ud83d\ude04\/""#).as_deref(), Some("ü😄/"));
        assert_eq!(string(r#""\ud83d""#), None, "half a surrogate");
        assert_eq!(string(r#""a"b"#), None, "more than a string");
    }
}
