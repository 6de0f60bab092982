//! Tables of HTML in the shapes in which people and models write them, brought into the one shape that CommonMark reads as
//! we mean it: each tag at the start of a line, and the content of a cell between blank lines.
//!
//! In: a source. Out: the source with such tables, and where each part of it stood; nothing if all tables have that shape
//! already. Indented tags, text on the line of its tag, and cells without an end tag are understood. A table with anything
//! else between its rows stays as it is.

use std::ops::Range;

use crate::tree::Span;

/// A text that was made from a source.
pub(super) struct Shaped {
    pub(super) text: String,
    /// The parts of the text that were copied: their offsets in the text and in the source, and their lengths, in order.
    copied: Vec<(usize, usize, usize)>,
}

impl Shaped {
    /// Returns the offset in the source for an offset in the text.
    pub(super) fn source_at(&self, offset: usize) -> usize {
        let after = self.copied.partition_point(|it| it.0 <= offset);
        match after.checked_sub(1).map(|it| self.copied[it]) {
            None => 0,
            Some((text, source, length)) => source + (offset - text).min(length),
        }
    }

    /// Returns the span in the source for a span in the text.
    pub(super) fn span(&self, span: Span) -> Span {
        let start = self.source_at(span.start as usize);
        let end = span.end.checked_sub(1).filter(|_| !span.is_empty());
        Span::new(start, end.map_or(start, |it| self.source_at(it as usize) + 1).max(start))
    }

    fn copy(&mut self, source: &str, range: Range<usize>) {
        if !range.is_empty() {
            self.copied.push((self.text.len(), range.start, range.len()));
            self.text.push_str(&source[range]);
        }
    }

    fn line(&mut self, indent: &str) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(indent);
    }
}

/// Returns `source` with all tables in the shape that is read; `None` if that is `source` itself.
pub(super) fn shaped(source: &str) -> Option<Shaped> {
    let mut places = memchr::memmem::find_iter(source.as_bytes(), "<table").peekable();
    places.peek()?;
    let mut shaped =
        Shaped { text: String::with_capacity(source.len() + source.len() / 8), copied: Vec::new() };
    let mut fences = Fences { source, at: 0, open: None };
    let mut done = 0;
    for at in places {
        let start = source[..at].rfind('\n').map_or(0, |it| it + 1);
        let indent = &source[start..at];
        if at < done || indent.len() > 3 || !indent.bytes().all(|it| it == b' ') || fences.is_code(start) {
            continue;
        }
        let table = match Table::read(source, at) {
            Ok(table) => table,
            Err(Odd::Other) => continue,
            // All that follows is within it.
            Err(Odd::NoEnd) => break,
        };
        shaped.copy(source, done..start);
        let indent = if is_in_item(source, start, indent.len()) { indent } else { "" };
        table.write(source, indent, &mut shaped);
        done = table.end;
    }
    shaped.copy(source, done..source.len());
    (shaped.text != source).then_some(shaped)
}

/// Returns whether the line at `start`, which is indented so far, belongs to a list item.
fn is_in_item(source: &str, start: usize, indent: usize) -> bool {
    let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let outer = |line: &&str| !line.trim().is_empty() && depth(line) < indent;
    let before = source[..start].lines().rev().take(MAX_LINES).find(outer);
    before.is_some_and(|it| {
        it.trim_start().starts_with(['-', '*', '+', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    })
}

/// The most lines in which the list item around a table is looked for.
const MAX_LINES: usize = 100;

/// Returns a line without the signs of quotes and items before its content.
fn line_content(line: &str) -> &str {
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches([' ', '>']);
        let digits = rest.bytes().take(9).take_while(u8::is_ascii_digit).count();
        let sign = if digits > 0 { digits + 1 } else { 1 };
        let is_item = match rest.as_bytes().get(digits) {
            Some(b'.' | b')') => digits > 0,
            Some(b'-' | b'*' | b'+') => digits == 0,
            _ => false,
        };
        match rest.get(sign..).filter(|it| is_item && it.starts_with(' ')) {
            Some(after) => rest = after,
            None => return rest,
        }
    }
}

/// The fences of code in a text, which is gone through once.
struct Fences<'s> {
    source: &'s str,
    at: usize,
    open: Option<(u8, usize)>,
}

impl Fences<'_> {
    /// Returns whether the line that begins at `at` is code between fences.
    fn is_code(&mut self, at: usize) -> bool {
        while self.at < at {
            let rest = &self.source[self.at..];
            let end = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |it| it + 1);
            let line = rest[..end].trim_end_matches(['\n', '\r']);
            self.at += end;
            let content = line_content(line);
            let Some(sign) = content.bytes().next().filter(|it| matches!(it, b'`' | b'~')) else { continue };
            let length = content.bytes().take_while(|it| *it == sign).count();
            match self.open {
                Some(open) if open.0 == sign && length >= open.1 && content[length..].trim().is_empty() => {
                    self.open = None;
                }
                None if length >= 3 => self.open = Some((sign, length)),
                _ => {}
            }
        }
        self.open.is_some()
    }
}

/// Why a table stays as it is.
enum Odd {
    NoEnd,
    Other,
}

/// The most tables within each other that are read.
const MAX_NESTED: usize = 16;

/// A piece of a table.
enum Piece {
    /// A tag, by its range in the source.
    Tag(Range<usize>),
    /// The content of a cell.
    Content(Range<usize>),
    /// An end tag that its author left out.
    Closed(&'static str),
}

struct Table {
    pieces: Vec<Piece>,
    /// The end of the table in the source.
    end: usize,
}

impl Table {
    /// Reads the table that begins at `at`.
    fn read(source: &str, at: usize) -> Result<Self, Odd> {
        let mut pieces = Vec::new();
        let mut at = at;
        // The name of the open cell, and where its content begins.
        let mut cell: Option<(&'static str, usize)> = None;
        let mut is_in_row = false;
        loop {
            let tag = Tag::next(source, at, cell.is_some())?;
            let between = &source[at..tag.range.start];
            if let Some((name, start)) = cell {
                let closes_cell = matches!(tag.name, "td" | "th") || tag.name == "tr" || !tag.opens;
                if !closes_cell {
                    return Err(Odd::Other);
                }
                pieces.push(Piece::Content(start..tag.range.start));
                if tag.opens || tag.name != name {
                    pieces.push(Piece::Closed(if name == "td" { "</td>" } else { "</th>" }));
                }
                cell = None;
            } else if !between.trim().is_empty()
                || !tag.opens && matches!(tag.name, "td" | "th")
                || tag.opens && tag.name == "table" && !pieces.is_empty()
            {
                return Err(Odd::Other);
            }
            match (tag.name, tag.opens) {
                ("tr", opens) => {
                    if opens && is_in_row {
                        pieces.push(Piece::Closed("</tr>"));
                    }
                    is_in_row = opens;
                }
                ("td" | "th", true) if !is_in_row => return Err(Odd::Other),
                ("td" | "th", true) => cell = Some((tag.name, tag.range.end)),
                ("td" | "th", false) => {}
                (_, false) if is_in_row => {
                    pieces.push(Piece::Closed("</tr>"));
                    is_in_row = false;
                }
                _ => {}
            }
            at = tag.range.end;
            pieces.push(Piece::Tag(tag.range));
            if tag.name == "table" && !tag.opens {
                return Ok(Self { pieces, end: at });
            }
        }
    }

    fn write(&self, source: &str, indent: &str, to: &mut Shaped) {
        let mut after_empty = false;
        for piece in &self.pieces {
            match piece {
                Piece::Content(range) if source[range.clone()].trim().is_empty() => after_empty = true,
                Piece::Content(range) => content(source, range.clone(), indent, to),
                Piece::Tag(range) => {
                    if !std::mem::take(&mut after_empty) {
                        to.line(indent);
                    }
                    to.copy(source, range.clone());
                }
                Piece::Closed(tag) => {
                    if !std::mem::take(&mut after_empty) {
                        to.line(indent);
                    }
                    to.text.push_str(tag);
                }
            }
        }
        if !source[self.end..].starts_with(['\n', '\r']) && self.end < source.len() {
            to.text.push_str("\n\n");
        }
    }
}

/// Writes the content of a cell between blank lines, without the indentation that all its lines have.
fn content(source: &str, range: Range<usize>, indent: &str, to: &mut Shaped) {
    let text = &source[range.clone()];
    let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
    // The first line stands beside its tag.
    let common = text.lines().skip(1).filter(|it| !it.trim().is_empty()).map(depth).min().unwrap_or_default();
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut at = range.start;
    for (number, line) in text.split('\n').enumerate() {
        let cut = if number == 0 { depth(line) } else { common.min(depth(line)) };
        let line_end = at + line.trim_end_matches('\r').len();
        lines.push((at + cut).min(line_end)..line_end);
        at += line.len() + 1;
    }
    let is_blank = |it: &Range<usize>| source[it.clone()].trim().is_empty();
    let first = lines.iter().position(|it| !is_blank(it)).unwrap_or_default();
    let last = lines.iter().rposition(|it| !is_blank(it)).unwrap_or_default();
    to.line("");
    for line in &lines[first..=last] {
        to.text.push('\n');
        if !is_blank(line) {
            to.text.push_str(indent);
            to.copy(source, line.clone());
        }
    }
    to.text.push_str("\n\n");
}

/// A tag of a table.
struct Tag {
    name: &'static str,
    opens: bool,
    range: Range<usize>,
}

impl Tag {
    /// Returns the next tag of this table at or after `at`; those of a table within a cell are part of its content.
    fn next(source: &str, at: usize, is_in_cell: bool) -> Result<Self, Odd> {
        const NAMES: [&str; 7] = ["table", "thead", "tbody", "tfoot", "tr", "td", "th"];
        let bytes = source.as_bytes();
        let (mut at, mut depth) = (at, 0);
        while let Some(found) = memchr::memchr3(b'<', b'`', b'\n', &bytes[at..]).map(|it| at + it) {
            at = found + 1;
            match bytes[found] {
                b'\n' => {
                    at = after_line(source, at);
                    continue;
                }
                b'`' if !is_escaped(bytes, found) => {
                    at = after_code(source, found);
                    continue;
                }
                b'<' if !is_escaped(bytes, found) => {}
                _ => continue,
            }
            let opens = bytes.get(at) != Some(&b'/');
            let rest = &source[at + usize::from(!opens)..];
            let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
            let ends = rest[length..].starts_with([' ', '\t', '\n', '\r', '>']);
            let named = |it: &&str| ends && it.eq_ignore_ascii_case(&rest[..length]);
            let Some(name) = NAMES.into_iter().find(named) else {
                if is_in_cell { continue } else { return Err(Odd::Other) }
            };
            let end = found + source[found..].find('>').ok_or(Odd::NoEnd)? + 1;
            if depth > MAX_NESTED {
                return Err(Odd::Other);
            }
            if name == "table" && is_in_cell && (opens || depth > 0) {
                depth = if opens { depth + 1 } else { depth - 1 };
            } else if depth == 0 {
                return Ok(Self { name, opens, range: found..end });
            }
            at = end;
        }
        Err(Odd::NoEnd)
    }
}

fn is_escaped(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|it| **it == b'\\').count() % 2 == 1
}

/// Returns the offset after the code between fences that begins with the line at `at`, or after that line if it is a directive;
/// `at` for any other line.
fn after_line(source: &str, at: usize) -> usize {
    let line_end = |at: usize| source[at..].find('\n').map_or(source.len(), |it| at + it);
    let bare = |at: usize| source[at..line_end(at)].trim_start_matches([' ', '\t', '>', '-', '*', '+']);
    let line = bare(at);
    if line.starts_with("::") {
        return line_end(at);
    }
    let Some(sign) = line.chars().next().filter(|it| matches!(it, '`' | '~')) else { return at };
    let run = |line: &str| line.chars().take_while(|it| *it == sign).count();
    let length = run(line);
    if length < 3 || sign == '`' && line[length..].contains('`') {
        return at;
    }
    let mut next = line_end(at);
    while next < source.len() {
        let line = bare(next + 1).trim_end();
        if run(line) >= length && line.chars().all(|it| it == sign) {
            return line_end(next + 1);
        }
        next = line_end(next + 1);
    }
    at
}

/// Returns the offset after the code that begins with backticks at `at`; after the backticks if the code has no end in its
/// paragraph.
fn after_code(source: &str, at: usize) -> usize {
    let run = |at: usize| source[at..].bytes().take_while(|it| *it == b'`').count();
    let length = run(at);
    let mut next = at + length;
    while let Some(found) = memchr::memchr(b'`', &source.as_bytes()[next..]).map(|it| next + it) {
        if source[next..found].contains("\n\n") {
            break;
        }
        let ticks = run(found);
        if ticks == length {
            return found + ticks;
        }
        next = found + ticks;
    }
    at + length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_in_the_usual_shape_stays_as_it_is() {
        let usual = "a\n\n<table>\n<tr>\n<td colspan=\"2\">\n\n- b\n\n</td>\n<td></td>\n</tr>\n</table>\n\nc";
        assert!(shaped(usual).is_none());
        for other in [
            "```\n<table><tr><td>a</td></tr></table>\n```",
            "<table><tr>text</tr></table>",
            "<table><tr><td>a",
        ] {
            assert!(shaped(other).is_none(), "{other}");
        }
    }

    #[test]
    fn other_shapes_are_brought_into_it() {
        for source in [
            "<table><tr><td>a</td><td>b</td></tr></table>",
            "<table>\n  <tr>\n    <td>a</td>\n    <td>\n      b\n    </td>\n  </tr>\n</table>",
            "<table>\n<tr>\n<td>a\n<td>b\n</table>",
        ] {
            let found = shaped(source).expect("another shape");
            let usual = "<table>\n<tr>\n<td>\n\na\n\n</td>\n<td>\n\nb\n\n</td>\n</tr>\n</table>";
            assert_eq!(found.text.replace("</tbody>", ""), usual, "{source}");
            let at = found.text.find("\nb").expect("b") + 1;
            assert_eq!(&source[found.source_at(at)..][..1], "b");
        }
    }
}
