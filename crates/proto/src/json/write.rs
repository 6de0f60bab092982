//! Writes JSON values straight into a buffer, without building a tree.
//!
//! In: Rust values, and existing JSON. Out: JSON text without a raw line break. [`Object`] writes the commas
//! between members.

use std::fmt::Display;
use std::io::Write as _;

use super::scan::plain;

/// Writes `text` as a JSON string, quotes included.
pub fn string(out: &mut Vec<u8>, text: &str) {
    // Also reserves room for typical later members, so that a long text is not moved again for them.
    out.reserve(text.len() + 64 + text.len() / 64);
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        let end = at + plain(&bytes[at..]);
        out.extend_from_slice(&bytes[at..end]);
        let Some(&byte) = bytes.get(end) else { break };
        escape(out, byte);
        at = end + 1;
    }
    out.push(b'"');
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    match byte {
        b'"' => out.extend_from_slice(br#"\""#),
        b'\\' => out.extend_from_slice(br"\\"),
        b'\n' => out.extend_from_slice(br"\n"),
        b'\r' => out.extend_from_slice(br"\r"),
        b'\t' => out.extend_from_slice(br"\t"),
        // Short forms, so that an id is not longer when it is written back than it was when it was read.
        0x08 => out.extend_from_slice(br"\b"),
        0x0c => out.extend_from_slice(br"\f"),
        _ => drop(write!(out, "\\u{byte:04x}")),
    }
}

/// Writes a number, or another value whose `Display` is valid JSON.
pub fn display(out: &mut Vec<u8>, value: impl Display) {
    drop(write!(out, "{value}"));
}

/// Writes a floating point number. Whole numbers are written without a fraction; infinities and NaN, which
/// JSON cannot express, become `null`.
pub fn number(out: &mut Vec<u8>, value: f64) {
    if value.is_finite() { display(out, value) } else { out.extend_from_slice(b"null") }
}

/// Writes existing JSON, with raw line breaks between its tokens replaced by spaces.
///
/// JSON has no raw line breaks inside strings, so only the layout changes.
pub fn raw(out: &mut Vec<u8>, json: &str) {
    let start = out.len();
    out.extend_from_slice(json.as_bytes());
    if memchr::memchr2(b'\n', b'\r', json.as_bytes()).is_some() {
        out[start..].iter_mut().filter(|b| matches!(b, b'\n' | b'\r')).for_each(|b| *b = b' ');
    }
}

/// A JSON object that is being written.
#[derive(Debug)]
pub struct Object<'o> {
    /// The buffer. Write into it directly only for the value that follows [`Object::name`].
    pub out: &'o mut Vec<u8>,
    /// Whether no member was written yet.
    first: bool,
}

impl<'o> Object<'o> {
    /// Writes `{`.
    pub fn open(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, first: true }
    }

    /// Writes `}`.
    pub fn close(self) {
        self.out.push(b'}');
    }

    /// Writes the name of a member; its value must be written next.
    pub fn name(&mut self, name: &str) -> &mut Vec<u8> {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        string(self.out, name);
        self.out.push(b':');
        self.out
    }

    /// Writes a string member.
    pub fn string(&mut self, name: &str, value: &str) {
        string(self.name(name), value);
    }

    /// Writes a string member if `value` is `Some`.
    pub fn maybe_string(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.string(name, value);
        }
    }

    /// Writes a boolean member.
    pub fn bool(&mut self, name: &str, value: bool) {
        self.name(name).extend_from_slice(if value { b"true" } else { b"false" });
    }

    /// Writes a member whose value is JSON text.
    pub fn raw(&mut self, name: &str, json: &str) {
        raw(self.name(name), json);
    }

    /// Writes an array member; `each` writes one item.
    pub fn array<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        mut each: impl FnMut(&mut Vec<u8>, T),
    ) {
        let out = self.name(name);
        out.push(b'[');
        for (n, item) in items.into_iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            each(out, item);
        }
        out.push(b']');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_strings_that_serde_json_reads_back() {
        let long = "y".repeat(100) + "\"" + &"é".repeat(50);
        for text in ["", "plain", "a\"b\\c\nd\re\tf\u{0}\u{1f}", "\u{2028}é😀", long.as_str()] {
            let mut out = Vec::new();
            string(&mut out, text);
            assert_eq!(serde_json::from_slice::<String>(&out).expect("JSON"), text);
            assert!(!out.contains(&b'\n'));
        }
    }

    #[test]
    fn escapes_in_the_shortest_form() {
        for letter in (0..0x20).chain([0x22, 0x2f, 0x5c, 0x7f]).map(char::from) {
            let mut out = Vec::new();
            string(&mut out, &letter.to_string());
            // serde_json writes the short form of each character that has one.
            assert_eq!(String::from_utf8_lossy(&out), serde_json::to_string(&letter).expect("a character"));
        }
    }

    #[test]
    fn puts_foreign_json_on_one_line() {
        let mut out = Vec::new();
        raw(&mut out, "{\r\n  \"a\": \"x\\ny\"\n}");
        assert_eq!(out, b"{    \"a\": \"x\\ny\" }");
    }

    #[test]
    fn keeps_the_commas() {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.string("a", "x");
        object.bool("b", true);
        object.array("c", [1, 2], display);
        object.close();
        assert_eq!(out, br#"{"a":"x","b":true,"c":[1,2]}"#);
    }
}
