//! Spelling of the characters of a text in Markdown: escapes, entities, line ends, code.
//!
//! In: the spelling of one text: the slice of a source that stands for this text. Out: the pieces of the
//! spelling, each with the text that the piece stands for.

use std::borrow::Cow;

use pulldown_cmark::{Event, Options, Parser};

/// A piece of a spelling that is decoded as a unit.
pub(super) struct Piece<'a> {
    /// The length of the piece in the source, in bytes.
    pub(super) spelled: usize,
    /// The text that the piece stands for.
    pub(super) text: Cow<'a, str>,
    /// True if each byte of the piece stands for itself.
    pub(super) plain: bool,
}

/// Splits a spelling into pieces. If all of it is a code span, the backticks belong to no piece, and nothing
/// within is decoded as an escape or entity.
pub(super) fn pieces(spelling: &str) -> Pieces<'_> {
    match code_body(spelling) {
        Some(at) => Pieces { rest: &spelling[at..spelling.len() - at], before: at, code: true },
        None => Pieces { rest: spelling, before: 0, code: false },
    }
}

/// Returns the byte offset in `spelling` that stands for the byte `offset` of the decoded text. Returns
/// `None` if `offset` is inside a piece that is not plain, or behind the end of the text.
pub(super) fn place(spelling: &str, offset: usize) -> Option<usize> {
    let all = pieces(spelling);
    let (mut at, mut decoded) = (all.before, 0);
    for piece in all {
        let within = offset - decoded;
        if within < piece.text.len() || within == 0 {
            return if piece.plain || within == 0 { Some(at + within) } else { None };
        }
        decoded += piece.text.len();
        at += piece.spelled;
    }
    (offset == decoded).then_some(at)
}

/// Returns whether `spelling` stands for `text`.
pub(super) fn spells(spelling: &str, text: &str) -> bool {
    let mut rest = text;
    for piece in pieces(spelling) {
        let Some(after) = rest.strip_prefix(&*piece.text) else { return false };
        rest = after;
    }
    rest.is_empty()
}

/// Returns the text that `spelling` stands for.
pub(super) fn decoded(spelling: &str) -> String {
    pieces(spelling).map(|it| it.text).collect()
}

/// Decodes the text of an HTML element, in which only entities are special.
pub(super) fn html(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (text, length) = entity(rest).unwrap_or((Cow::Borrowed("&"), 1));
        out.push_str(&text);
        rest = &rest[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the number of bytes before the code (backticks, and perhaps one space), which is also the number
/// of bytes after it, if all of `spelling` is one code span; otherwise `None`.
fn code_body(spelling: &str) -> Option<usize> {
    if !spelling.starts_with('`') || spelling.len() < 3 {
        return None;
    }
    let ticks = |text: &str| text.bytes().take_while(|it| *it == b'`').count();
    let fence = ticks(spelling);
    if spelling.len() < 2 * fence + 1 {
        return None;
    }
    let closed = spelling.bytes().rev().take(fence).all(|it| it == b'`');
    let body = spelling.get(fence..spelling.len() - fence)?;
    let runs_differ = body.split(|it| it != '`').all(|run| run.len() != fence) && !body.ends_with('`');
    if !closed || !runs_differ {
        return None;
    }
    let space = |it: Option<&u8>| matches!(it, Some(b' ' | b'\n'));
    let bytes = body.as_bytes();
    let padded = space(bytes.first())
        && space(bytes.last())
        && bytes.len() > 1
        && !body.trim_matches([' ', '\n']).is_empty();
    Some(fence + usize::from(padded))
}

/// Iterator over the pieces of a spelling, made by [`pieces`].
pub(super) struct Pieces<'a> {
    rest: &'a str,
    /// The length of the opening backticks and space before the first piece; 0 outside of code.
    pub(super) before: usize,
    code: bool,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let first = *self.rest.as_bytes().first()?;
        let (spelled, text, plain) = match first {
            b'\\' if !self.code && self.rest[1..].starts_with(|it: char| it.is_ascii_punctuation()) => {
                (2, Cow::Borrowed(&self.rest[1..2]), false)
            }
            b'&' if !self.code => {
                let (text, length) = entity(self.rest).unwrap_or((Cow::Borrowed("&"), 1));
                (length, text, length == 1)
            }
            b' ' | b'\t' | b'\n' | b'\r' => space(self.rest, self.code),
            _ => {
                let run = plain_run(self.rest, self.code);
                (run, Cow::Borrowed(&self.rest[..run]), true)
            }
        };
        self.rest = &self.rest[spelled..];
        Some(Piece { spelled, text, plain })
    }
}

/// Returns the length of the run at the beginning of `text` in which each byte stands for itself. `text` does
/// not begin with white space. Outside of code, white space before a line end does not belong to the run.
fn plain_run(text: &str, code: bool) -> usize {
    let bytes = text.as_bytes();
    let after = |it: usize| it + 1;
    let end = memchr::memchr3(b'\\', b'&', b'\n', &bytes[1..]).map_or(bytes.len(), after);
    let end = memchr::memchr(b'\r', &bytes[1..end]).map_or(end, after);
    match bytes.get(end) {
        Some(b'\n' | b'\r') if !code => text[..end].trim_end_matches([' ', '\t']).len(),
        _ => end,
    }
}

/// Decodes the white space at the beginning of `text`; returns its length, its text, and whether it is plain.
/// A line end becomes one space, together with the white space around it and the quote signs after it; in
/// code, white space before the line end stands for itself, like all other white space.
fn space(text: &str, code: bool) -> (usize, Cow<'_, str>, bool) {
    let before = if code { 0 } else { text.len() - text.trim_start_matches([' ', '\t']).len() };
    let rest = &text[before..];
    let broken = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix(['\n', '\r']));
    match broken {
        Some(after) => {
            let length = text.len() - after.trim_start_matches([' ', '\t', '>']).len();
            (length, Cow::Borrowed(" "), false)
        }
        None => (before.max(1), Cow::Borrowed(&text[..before.max(1)]), true),
    }
}

/// Decodes the entity, such as `&amp;`, that `text` begins with; returns its text and the length of its
/// spelling in bytes. Returns `None` if CommonMark has no such entity.
pub(super) fn entity(text: &str) -> Option<(Cow<'static, str>, usize)> {
    let end = text.bytes().take(40).position(|it| it == b';')? + 1;
    let spelled = &text[..end];
    if !spelled[1..end - 1].bytes().all(|it| it.is_ascii_alphanumeric() || it == b'#') {
        return None;
    }
    let known = match spelled {
        "&amp;" => "&",
        "&lt;" => "<",
        "&gt;" => ">",
        "&nbsp;" => "\u{a0}",
        "&#10;" => "\n",
        "&#32;" => " ",
        _ => {
            let mut events = Parser::new_ext(spelled, Options::empty());
            return match (events.nth(1)?, events.next()?) {
                (Event::Text(text), Event::End(_)) if *text != *spelled => {
                    Some((Cow::Owned(text.to_string()), end))
                }
                _ => None,
            };
        }
    };
    Some((Cow::Borrowed(known), end))
}
