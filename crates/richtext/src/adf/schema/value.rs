//! JSON values with their spans, in the form that the rules check.

use std::borrow::Cow;

use super::super::scan::{Fault, Scan};
use super::super::text;
use crate::document::MARK;
use crate::tree::{MAX_DEPTH, Span};

/// The largest depth of JSON values within values that is examined. Each node takes two levels, and its
/// attributes a few more.
const MAX_LEVELS: usize = 2 * MAX_DEPTH + 10;

pub(super) struct Value<'a> {
    pub(super) data: Data<'a>,
    pub(super) span: Span,
}

pub(super) enum Data<'a> {
    Array(Vec<Value<'a>>),
    Boolean,
    Null,
    Number(f64),
    Object(Vec<Member<'a>>),
    /// An object or array that is nested too deeply to be examined; its contents are not parsed into values.
    Other,
    String(Cow<'a, str>),
}

pub(super) struct Member<'a> {
    pub(super) key: Cow<'a, str>,
    /// The span of the key, with its quotes.
    pub(super) span: Span,
    pub(super) value: Value<'a>,
}

impl<'a> Value<'a> {
    /// Parses `source` as one JSON value, after a byte order mark if there is one.
    pub(super) fn of(source: &'a str) -> Result<Self, Fault> {
        let mut scan = Scan::new(source);
        if source.starts_with(MARK) {
            scan.at = MARK.len_utf8();
        }
        let value = value(&mut scan, 0)?;
        scan.space();
        if scan.at < source.len() {
            return Err(scan.fault("the end of the text"));
        }
        if let Some(at) = scan.control {
            scan.at = at;
            return Err(scan.fault("control characters to be escaped"));
        }
        Ok(value)
    }

    /// Returns the value of `key`, if this is an object and the value is a string.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        let Data::Object(members) = &self.data else { return None };
        match &members.iter().find(|it| it.key == key)?.value.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the span of the first value that is nested too deeply to be examined: this one or one within
    /// it.
    pub(super) fn too_deep(&self) -> Option<Span> {
        match &self.data {
            Data::Other => Some(self.span),
            Data::Array(items) => items.iter().find_map(Self::too_deep),
            Data::Object(members) => members.iter().find_map(|it| it.value.too_deep()),
            _ => None,
        }
    }
}

fn value<'a>(scan: &mut Scan<'a>, level: usize) -> Result<Value<'a>, Fault> {
    scan.space();
    let start = scan.at;
    let data = match scan.peek() {
        Some(b'{' | b'[') if level >= MAX_LEVELS => {
            scan.value()?;
            Data::Other
        }
        Some(b'{') => Data::Object(members(scan, level)?),
        Some(b'[') => Data::Array(items(scan, level)?),
        Some(b'"') => {
            let quoted = scan.string("a string")?;
            Data::String(decoded(quoted.spelling, quoted.escaped))
        }
        _ => {
            scan.value()?;
            match &scan.source[start..scan.at] {
                "true" | "false" => Data::Boolean,
                "null" => Data::Null,
                number => Data::Number(number.parse().unwrap_or(f64::INFINITY)),
            }
        }
    };
    Ok(Value { data, span: Span::new(start, scan.at) })
}

fn decoded(spelling: &str, escaped: bool) -> Cow<'_, str> {
    if escaped { Cow::Owned(text::decode(spelling)) } else { Cow::Borrowed(spelling) }
}

fn items<'a>(scan: &mut Scan<'a>, level: usize) -> Result<Vec<Value<'a>>, Fault> {
    let mut items = Vec::new();
    scan.at += 1;
    scan.space();
    if scan.peek() != Some(b']') {
        loop {
            items.push(value(scan, level + 1)?);
            scan.space();
            match scan.peek() {
                Some(b',') => scan.at += 1,
                Some(b']') => break,
                _ => return Err(scan.fault("',' or ']'")),
            }
        }
    }
    scan.at += 1;
    Ok(items)
}

/// Parses the members of an object, and returns them in reverse order: if a key occurs twice, a search finds
/// the last one, which counts.
fn members<'a>(scan: &mut Scan<'a>, level: usize) -> Result<Vec<Member<'a>>, Fault> {
    let mut members: Vec<Member<'a>> = Vec::new();
    scan.at += 1;
    scan.space();
    if scan.peek() != Some(b'}') {
        loop {
            let quoted = scan.key()?;
            let span = Span { start: quoted.span.start - 1, end: quoted.span.end + 1 };
            let key = decoded(quoted.spelling, quoted.escaped);
            members.push(Member { key, span, value: value(scan, level + 1)? });
            scan.space();
            match scan.peek() {
                Some(b',') => scan.at += 1,
                Some(b'}') => break,
                _ => return Err(scan.fault("',' or '}'")),
            }
        }
    }
    scan.at += 1;
    // Reversed, so that a search finds the last of two equal keys.
    members.reverse();
    Ok(members)
}
