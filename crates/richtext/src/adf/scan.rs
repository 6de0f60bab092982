//! Scanner for JSON that finds where each value begins and ends.
//!
//! In: a source and an offset in it. Out: the offset after a value, and faults as "expected X, but found Y".
//! The scanner builds no values and does not recurse: each open bracket costs one byte of memory.

use crate::diagnostic::Diagnostic;
use crate::tree::Span;

/// A scanner: a source and the position in it.
pub(super) struct Scan<'a> {
    pub(super) source: &'a str,
    /// The offset in bytes of the next byte to be scanned.
    pub(super) at: usize,
    /// The byte offset of the first unescaped control character in a string, where JSON requires an escape;
    /// `None` if none was found yet.
    pub(super) control: Option<usize>,
}

/// A syntax error in JSON, as a diagnostic.
#[derive(Debug)]
pub(super) struct Fault(pub(super) Diagnostic);

/// The characters of a JSON string as spelled, without the quotes.
#[derive(Clone, Copy)]
pub(super) struct Quoted<'a> {
    pub(super) spelling: &'a str,
    pub(super) span: Span,
    /// True if the string contains a backslash escape.
    pub(super) escaped: bool,
}

impl<'a> Scan<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self { source, at: 0, control: None }
    }

    /// Returns the next byte without skipping it; `None` at the end of the source.
    pub(super) fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    /// Skips white space.
    pub(super) fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips white space and then `byte`. If another byte follows, returns the fault "expected `wanted`, but
    /// found …".
    pub(super) fn expect(&mut self, byte: u8, wanted: &str) -> Result<(), Fault> {
        self.space();
        if self.peek() != Some(byte) {
            return Err(self.fault(wanted));
        }
        self.at += 1;
        Ok(())
    }

    /// Returns the fault "expected `wanted`, but found …" for the current position.
    pub(super) fn fault(&self, wanted: &str) -> Fault {
        Fault(Diagnostic::new(
            Span::new(self.at, self.next_end()),
            format!("expected {wanted}, but found {}", self.found()),
        ))
    }

    fn next_end(&self) -> usize {
        let next = self.source.get(self.at..).and_then(|it| it.chars().next());
        self.at + next.map_or(0, char::len_utf8)
    }

    /// Describes the value or character at the current position, as in "an object" or "the end of the text".
    pub(super) fn found(&self) -> String {
        match self.peek() {
            None => "the end of the text".to_owned(),
            Some(b'{') => "an object".to_owned(),
            Some(b'[') => "an array".to_owned(),
            Some(b'"') => "a string".to_owned(),
            Some(b'-' | b'0'..=b'9') => "a number".to_owned(),
            Some(_) => self.word(),
        }
    }

    fn word(&self) -> String {
        let rest = self.source.get(self.at..).unwrap_or_default();
        match ["true", "false", "null"].into_iter().find(|it| rest.starts_with(it)) {
            Some(word) => word.to_owned(),
            None => {
                rest.chars().next().map_or_else(|| "the end of the text".to_owned(), |it| format!("{it:?}"))
            }
        }
    }

    /// Skips the string at the current position, and returns it. If no string begins there, returns the fault
    /// "expected `wanted`, but found …".
    pub(super) fn string(&mut self, wanted: &str) -> Result<Quoted<'a>, Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.fault(wanted));
        }
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        let bytes = self.source.as_bytes();
        loop {
            let rest = &bytes[self.at..];
            self.at += rest.iter().position(|it| matches!(it, b'"' | b'\\' | ..0x20)).unwrap_or(rest.len());
            match bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => {
                    self.control = self.control.or(Some(self.at));
                    self.at += 1;
                }
                None => return Err(self.fault("a closing '\"'")),
            }
        }
        let span = Span::new(start, self.at);
        self.at += 1;
        Ok(Quoted { spelling: span.of(self.source), span, escaped })
    }

    fn escape(&mut self) -> Result<(), Fault> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|it| it.is_ascii_hexdigit()) {
                        return Err(self.fault("a hexadecimal digit"));
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.fault("one of \"\\/bfnrtu after a backslash")),
        }
        Ok(())
    }

    /// Skips white space and a JSON value of any type and depth.
    pub(super) fn value(&mut self) -> Result<(), Fault> {
        let mut open = Vec::new();
        loop {
            self.space();
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    self.at += 1;
                    self.space();
                    if self.peek() == Some(bracket + 2) {
                        self.at += 1;
                    } else {
                        open.push(bracket);
                        if bracket == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                Some(b'"') => drop(self.string("a string")?),
                _ => self.plain()?,
            }
            if self.close(&mut open)? {
                return Ok(());
            }
        }
    }

    /// Skips the closing brackets after a value and removes them from `open`, then skips the comma and the
    /// key before the next value. Returns whether no bracket is open any more, so that no value follows.
    fn close(&mut self, open: &mut Vec<u8>) -> Result<bool, Fault> {
        while let Some(&bracket) = open.last() {
            self.space();
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    if bracket == b'{' {
                        self.key()?;
                    }
                    return Ok(false);
                }
                Some(it) if it == bracket + 2 => {
                    self.at += 1;
                    open.pop();
                }
                _ => return Err(self.fault(if bracket == b'{' { "',' or '}'" } else { "',' or ']'" })),
            }
        }
        Ok(true)
    }

    /// Skips a key, its colon and the white space around the two, and returns the key.
    pub(super) fn key(&mut self) -> Result<Quoted<'a>, Fault> {
        self.space();
        let key = self.string("a key in quotes")?;
        self.expect(b':', "':'")?;
        self.space();
        Ok(key)
    }

    /// Skips a number, or `true`, `false` or `null`.
    fn plain(&mut self) -> Result<(), Fault> {
        let rest = &self.source[self.at..];
        if let Some(word) = ["true", "false", "null"].into_iter().find(|it| rest.starts_with(it)) {
            self.at += word.len();
            return Ok(());
        }
        if !matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
            return Err(self.fault("a value"));
        }
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Fault> {
        if !self.peek().is_some_and(|it| it.is_ascii_digit()) {
            return Err(self.fault("a digit"));
        }
        while self.peek().is_some_and(|it| it.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }
}

/// Returns whether `text` consists of JSON values with commas between them, and `begins` is true for the
/// first byte of each value.
pub(super) fn are_values(text: &str, begins: impl Fn(u8) -> bool) -> bool {
    let mut scan = Scan::new(text);
    loop {
        scan.space();
        if !scan.peek().is_some_and(&begins) || scan.value().is_err() {
            return false;
        }
        scan.space();
        match scan.peek() {
            None => return true,
            Some(b',') => scan.at += 1,
            Some(_) => return false,
        }
    }
}

/// Returns whether all of `text` is one JSON value.
pub(super) fn is_json(text: &str) -> bool {
    let mut scan = Scan::new(text);
    let read = scan.value().is_ok();
    scan.space();
    read && scan.at == text.len()
}
