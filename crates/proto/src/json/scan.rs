//! Scanner for JSON text: checks the grammar in one pass and finds the spans of values.
//!
//! In: text that is valid UTF-8. Out: [`Span`]s, or a [`Syntax`] fault with its byte offset. The scanner
//! stores no values, allocates nothing and does not recurse: nesting is a counter with a limit.

use super::Span;

/// The type of a JSON value, determined by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Array,
    Bool,
    Null,
    Number,
    Object,
    String,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Array => "an array",
            Self::Bool => "a boolean",
            Self::Null => "null",
            Self::Number => "a number",
            Self::Object => "an object",
            Self::String => "a string",
        }
    }
}

/// A fault in scanned text: the text is not JSON, or is nested too deeply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Syntax {
    /// Byte offset of the fault in the scanned text.
    pub(crate) at: usize,
    /// A description of the text that should be at this offset.
    pub(crate) expected: &'static str,
}

/// The value of [`Syntax::expected`] for text that is nested too deeply: the only fault that is not a mistake
/// in the grammar.
pub(crate) const DEPTH: &str = "nesting within the limit `depth`";

type Scan<T> = Result<T, Syntax>;

/// A reader at a position in JSON text.
#[derive(Clone)]
pub(crate) struct Scanner<'f> {
    text: &'f [u8],
    at: usize,
    depth: usize,
    max_depth: usize,
}

impl<'f> Scanner<'f> {
    /// Creates a scanner at the beginning of `text` that accepts at most `max_depth` nesting levels.
    pub(crate) fn new(text: &'f str, max_depth: usize) -> Self {
        Self { text: text.as_bytes(), at: 0, depth: 0, max_depth }
    }

    /// Moves the scanner to the beginning of the span `place` and stops it at the end of `place`. Offsets and
    /// returned spans still refer to the whole text.
    pub(crate) fn at(mut self, place: Span) -> Self {
        let range = place.range();
        self.text = self.text.get(..range.end).unwrap_or(self.text);
        self.at = range.start;
        self
    }

    /// Skips white space and returns the byte offset of the next value.
    pub(crate) fn position(&mut self) -> usize {
        self.space();
        self.at
    }

    /// Returns the span from `start` to the current position.
    pub(crate) fn since(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// Skips white space and returns the type of the next value.
    #[inline]
    pub(crate) fn peek(&mut self) -> Scan<Kind> {
        self.space();
        match self.text.get(self.at) {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b'"') => Ok(Kind::String),
            Some(b't' | b'f') => Ok(Kind::Bool),
            Some(b'n') => Ok(Kind::Null),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            _ => self.fault("a JSON value"),
        }
    }

    /// Reads `{`. Members follow with [`Self::member`].
    #[inline]
    pub(crate) fn open_object(&mut self) -> Scan<()> {
        self.deeper()?;
        self.byte(b'{', "`{`")
    }

    /// Reads the name of the next member and its colon; `None` at `}`, which ends the object.
    ///
    /// `first` is true for the first call after [`Self::open_object`].
    #[inline]
    pub(crate) fn member(&mut self, first: bool) -> Scan<Option<Span>> {
        if self.next_item(first, b'}', "`,` or `}`")? {
            self.space();
            let name = self.string()?;
            self.byte(b':', "`:`")?;
            return Ok(Some(name));
        }
        Ok(None)
    }

    /// Reads `[`. Elements follow with [`Self::element`].
    pub(crate) fn open_array(&mut self) -> Scan<()> {
        self.deeper()?;
        self.byte(b'[', "`[`")
    }

    /// Returns whether another element follows; `false` at `]`, which ends the array. `first` is true for the
    /// first call after [`Self::open_array`].
    pub(crate) fn element(&mut self, first: bool) -> Scan<bool> {
        self.next_item(first, b']', "`,` or `]`")
    }

    /// Reads one value of any type and returns its span.
    pub(crate) fn value(&mut self) -> Scan<Span> {
        let kind = self.peek()?;
        let start = self.at;
        match kind {
            Kind::String => return self.string(),
            Kind::Number => self.number()?,
            Kind::Bool | Kind::Null => self.word()?,
            Kind::Array | Kind::Object => self.container()?,
        }
        Ok(Span::new(start, self.at))
    }

    /// Fails unless only white space is left.
    pub(crate) fn end(&mut self) -> Scan<()> {
        self.space();
        if self.at == self.text.len() { Ok(()) } else { self.fault("the end of the message") }
    }

    /// Skips an object or array without recursion: one bit for each open level records whether the level is
    /// an object.
    fn container(&mut self) -> Scan<()> {
        let outer = self.depth;
        // Invariant: bit n%64 of word n/64 is set if level n is an object.
        let mut objects = [0u64; 16];
        let is_object = |objects: &[u64; 16], level: usize| objects[level / 64 % 16] >> (level % 64) & 1 == 1;
        let mut first = true;
        loop {
            if first {
                let object = self.text.get(self.at) == Some(&b'{');
                self.deeper()?;
                if self.depth - outer > 1024 {
                    return self.fault(DEPTH);
                }
                self.at += 1;
                let level = self.depth - outer - 1;
                let word = &mut objects[level / 64 % 16];
                *word = *word & !(1 << (level % 64)) | u64::from(object) << (level % 64);
            }
            let more = if is_object(&objects, self.depth - outer - 1) {
                self.member(first)?.is_some()
            } else {
                self.element(first)?
            };
            if !more {
                if self.depth == outer {
                    return Ok(());
                }
                first = false;
                continue;
            }
            match self.peek()? {
                Kind::Array | Kind::Object => {
                    first = true;
                    continue;
                }
                Kind::String => {
                    self.string()?;
                }
                Kind::Number => self.number()?,
                Kind::Bool | Kind::Null => self.word()?,
            }
            first = false;
        }
    }

    #[inline]
    fn next_item(&mut self, first: bool, close: u8, expected: &'static str) -> Scan<bool> {
        self.space();
        match self.text.get(self.at) {
            Some(&byte) if byte == close => {
                self.at += 1;
                self.depth -= 1;
                Ok(false)
            }
            Some(b',') if !first => {
                self.at += 1;
                Ok(true)
            }
            Some(_) if first => Ok(true),
            _ => self.fault(expected),
        }
    }

    fn deeper(&mut self) -> Scan<()> {
        self.depth += 1;
        if self.depth > self.max_depth { self.fault(DEPTH) } else { Ok(()) }
    }

    #[inline(always)]
    fn string(&mut self) -> Scan<Span> {
        let start = self.at;
        self.byte(b'"', "a string")?;
        loop {
            self.at += plain(&self.text[self.at..]);
            match self.text.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Span::new(start, self.at));
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return self.fault("no control character in a string"),
                None => return self.fault("the end of the string"),
            }
        }
    }

    fn escape(&mut self) -> Scan<()> {
        match self.text.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => match self.hex(self.at + 2) {
                None => return self.fault("four hexadecimal digits after `\\u`"),
                Some(0xDC00..=0xDFFF) => return self.fault("a high surrogate before a low one"),
                Some(0xD800..=0xDBFF) => {
                    let low = (self.text.get(self.at + 6..self.at + 8) == Some(br"\u"))
                        .then(|| self.hex(self.at + 8))
                        .flatten();
                    if !matches!(low, Some(0xDC00..=0xDFFF)) {
                        return self.fault("a low surrogate after a high one");
                    }
                    self.at += 12;
                }
                Some(_) => self.at += 6,
            },
            _ => return self.fault("a known escape after `\\`"),
        }
        Ok(())
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        digits.iter().try_fold(0, |n, &d| Some(n << 4 | char::from(d).to_digit(16)?))
    }

    fn number(&mut self) -> Scan<()> {
        if self.text.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        match self.text.get(self.at) {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return self.fault("a digit"),
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.text.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.text.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Scan<()> {
        let count = self.text[self.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { self.fault("a digit") } else { Ok(()) }
    }

    fn word(&mut self) -> Scan<()> {
        for word in ["true", "false", "null"] {
            if self.text[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(());
            }
        }
        self.fault("`true`, `false` or `null`")
    }

    #[inline]
    fn byte(&mut self, byte: u8, expected: &'static str) -> Scan<()> {
        self.space();
        if self.text.get(self.at) != Some(&byte) {
            return self.fault(expected);
        }
        self.at += 1;
        Ok(())
    }

    #[inline]
    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.get(self.at) {
            self.at += 1;
        }
    }

    #[cold]
    fn fault<T>(&self, expected: &'static str) -> Scan<T> {
        Err(Syntax { at: self.at, expected })
    }
}

/// Returns the number of bytes at the start of `text` that are plain in a JSON string: no quote, backslash or
/// control byte.
///
/// Scans eight bytes at a time, since most strings are short; and 32 at a time, in a form that the compiler
/// vectorizes, once a string turns out to be long. A table look-up per byte is six times slower on a megabyte
/// of text.
#[inline]
pub(crate) fn plain(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(Ok(eight)) = text.get(at..at + 8).map(<[u8; 8]>::try_from) {
        let found = special(u64::from_le_bytes(eight));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
        if at == LONG {
            at += plain_chunks(&text[at..]);
        }
    }
    at + text[at..].iter().take_while(|&&byte| !is_special(byte)).count()
}

/// Number of bytes after which a string counts as long and is scanned 32 bytes at a time.
const LONG: usize = 64;

fn plain_chunks(text: &[u8]) -> usize {
    let clean = |chunk: &&[u8]| !chunk.iter().fold(false, |any, &byte| any | is_special(byte));
    32 * text.chunks_exact(32).take_while(clean).count()
}

/// Returns whether a byte is not plain: a quote, a backslash or a control byte. Uses `|`, since with `||`
/// each comparison is a branch and the loop is not vectorized.
fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

/// Returns a word whose lowest set bit is the high bit of the first special byte (quote, backslash or control
/// byte) in `word`; 0 if there is none. Higher bits may be wrong.
fn special(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let is = |byte: u8| {
        let differs = word ^ (ONES * u64::from(byte));
        differs.wrapping_sub(ONES) & !differs
    };
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (is(b'"') | is(b'\\') | control) & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Scan<Span> {
        let mut scanner = Scanner::new(text, 128);
        let span = scanner.value()?;
        scanner.end()?;
        Ok(span)
    }

    #[test]
    fn agrees_with_serde_json_on_what_is_json() {
        let texts = [
            "0",
            "-0",
            "01",
            "1.",
            "1.5e+3",
            "1e",
            "-",
            "+1",
            ".5",
            "true",
            "tru",
            "nullx",
            "null",
            "\"a\"",
            "\"",
            "\"\\\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u00e9\"",
            "\"\\ud800\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ude00\"",
            "\"a\u{1}\"",
            "[]",
            "[1,2]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{}",
            "{\"a\":1}",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{a:1}",
            "{\"a\":{\"b\":[{}]},\"c\":[[],{}]}",
            "[{]}",
            "{\"a\":[}",
            " [ 1 , { \"x\" : null } ] ",
            "",
            " ",
            "[1] x",
            "[[[[]]]",
            "{\"a\":1}}",
            "\"\u{7f}\"",
            "\"0123456789012345678901234567890123456789\\n0123456789012345678901234567890123456789\"",
        ];
        for text in texts {
            let serde = serde_json::from_str::<serde_json::Value>(text).is_ok();
            assert_eq!(scan(text).is_ok(), serde, "{text:?}: {:?}", scan(text));
        }
    }

    #[test]
    fn counts_depth_itself() {
        let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(scan(&nested(128)).is_ok());
        assert_eq!(scan(&nested(129)).map_err(|e| e.expected), Err(DEPTH));
        assert_eq!(scan(&"[{\"a\":".repeat(10_000)).map_err(|e| e.expected), Err(DEPTH));
    }

    #[test]
    fn finds_the_first_special_byte_wherever_it_stands() {
        for length in 0..200 {
            for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
                let mut text = vec![0xc3; length];
                text.push(special);
                text.extend_from_slice(b"\"\\ more");
                assert_eq!(plain(&text), length, "{special:#x}");
            }
            assert_eq!(plain(&vec![b' '; length]), length);
        }
    }

    #[test]
    fn tells_where_a_fault_stands() {
        assert_eq!(scan("{\"a\":1 \"b\":2}"), Err(Syntax { at: 7, expected: "`,` or `}`" }));
    }
}
