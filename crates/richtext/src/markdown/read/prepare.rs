//! The text that CommonMark gets instead of the source. In it, a directive mark replaces each inline
//! directive, and each directive on a line of its own has blank lines around it.
//!
//! In: a source, or the label of a directive. Out: the text to parse, which is equal to the source if that
//! contains no directive, and the mapping from offsets in that text to offsets in the source. Directives are
//! found here, but other modules turn them into nodes.
//!
//! A directive mark is three characters of the Unicode planes 15 and 16: one that CommonMark can't make of any
//! other part of the source, and two that encode the index of an [`Edit`]. So the directive can be found
//! wherever CommonMark puts the mark.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use thin_vec::ThinVec;

use super::super::attrs;
use super::super::names::{self, Form};
use crate::emoji;
use crate::tree::{Attr, NodeLimit};

/// An inline directive, or the short name of an emoji.
#[derive(Debug)]
pub(super) struct Found<'a> {
    /// The name of the directive, or the short name with its colons.
    pub(super) name: &'a str,
    /// The range of the label in the source; `None` if the directive has no label.
    pub(super) label: Option<Range<usize>>,
    pub(super) attrs: ThinVec<Attr<'a>>,
}

/// A range in which the prepared text, which CommonMark parses, differs from the source.
pub(super) struct Edit<'a> {
    /// The range in the prepared text.
    pub(super) at: Range<usize>,
    /// The range of the source that is replaced; empty if text was inserted.
    pub(super) from: Range<usize>,
    /// The inline directive that the range stands for; `None` for inserted text.
    pub(super) found: Option<Found<'a>>,
}

/// A text prepared for CommonMark, with the mapping of its offsets to the source.
pub(super) struct Prepared<'a> {
    pub(super) source: &'a str,
    pub(super) text: Cow<'a, str>,
    pub(super) edits: Vec<Edit<'a>>,
    /// The source offset at which the prepared text begins.
    base: usize,
    lead: Lead,
    /// The number of nodes that may still be made for the document.
    pub(super) room: Rc<NodeLimit>,
}

impl<'a> Prepared<'a> {
    /// Returns the source offset for an offset in the prepared text. Offsets within an edit give the start of
    /// the replaced source.
    pub(super) fn source_at(&self, offset: usize) -> usize {
        let after = self.edits.partition_point(|it| it.at.start <= offset);
        match after.checked_sub(1).map(|it| &self.edits[it]) {
            None => self.base + offset,
            Some(edit) if offset >= edit.at.end => edit.from.end + (offset - edit.at.end),
            Some(edit) => edit.from.start,
        }
    }

    /// Returns the source range for a range in the prepared text.
    pub(super) fn range(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.source_at(range.start);
        start..self.source_at(range.end).max(start)
    }

    /// Returns the edits that overlap a range of the prepared text.
    pub(super) fn edits_in(&self, range: &Range<usize>) -> &[Edit<'a>] {
        let first = self.edits.partition_point(|it| it.at.end <= range.start);
        let last = self.edits.partition_point(|it| it.at.start < range.end);
        &self.edits[first.min(last)..last]
    }

    /// Returns `text`, which CommonMark took from the prepared text, with each directive mark replaced by its
    /// source; `None` if it contains no directive mark.
    pub(super) fn restored(&self, text: &str) -> Option<String> {
        let lead = self.lead.get().copied().flatten().filter(|&lead| text.contains(lead))?;
        let mut out = String::with_capacity(text.len());
        let mut chars = text.chars();
        while let Some(it) = chars.next() {
            if it != lead {
                out.push(it);
                continue;
            }
            let mut digit = || chars.next().and_then(|it| (it as u32).checked_sub(FIRST)).unwrap_or_default();
            let number = (digit() << 15 | digit()) as usize;
            out.push_str(self.edits.get(number).map_or("", |it| &self.source[it.from.clone()]));
        }
        Some(out)
    }

    /// Returns `text`, a slice of the prepared text, as the slice of the source at the same position; `None`
    /// if the two differ or `text` is not such a slice.
    pub(super) fn borrowed(&self, text: &str) -> Option<&'a str> {
        let start = (text.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        if start + text.len() > self.text.len() {
            return None;
        }
        let range = self.range(&(start..start + text.len()));
        self.source.get(range).filter(|it| *it == text)
    }
}

/// The first character of all directive marks in a document, found when it is first needed. The inner
/// `Option` is `None` if no character is free for this use.
pub(super) type Lead = Rc<OnceCell<Option<char>>>;

/// The character that encodes 0 in a directive mark.
const FIRST: u32 = 0xF_0000;

/// Returns a character that CommonMark can't make of `source`, because it is neither in the source nor the
/// meaning of a numeric reference such as `&#983040;`. `None` if the source uses all 131,068 candidates.
fn lead(source: &str) -> Option<char> {
    let mut used = BTreeSet::new();
    for at in memchr::memchr2_iter(0xF3, 0xF4, source.as_bytes()) {
        used.extend(source[at..].chars().next().map(u32::from));
    }
    for at in memchr::memmem::find_iter(source.as_bytes(), "&#") {
        let number = &source[at + 2..];
        let (digits, radix) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16),
            None => (number, 10),
        };
        let length = digits.bytes().take(16).take_while(|it| char::from(*it).is_digit(radix)).count();
        used.extend(u32::from_str_radix(&digits[..length], radix));
    }
    let mut candidates = (FIRST..=0xF_FFFD).chain(0x10_0000..=0x10_FFFD);
    candidates.find(|it| !used.contains(it)).and_then(char::from_u32)
}

/// Prepares a whole source.
pub(super) fn document(source: &str, room: NodeLimit) -> Prepared<'_> {
    Scan::new(source, 0..source.len(), Rc::new(room), Lead::default()).document()
}

/// Prepares the label of a directive in `parent` for CommonMark. The prepared text has a comma before and
/// after the label, and the caller removes the commas again: with them, CommonMark reads the label as a
/// paragraph whatever it begins with, and keeps the white space at its ends.
pub(super) fn label<'a>(
    parent: &Prepared<'a>,
    range: Range<usize>,
    depth: usize,
    room: &Rc<NodeLimit>,
) -> Prepared<'a> {
    let mut scan = Scan::new(parent.source, range.clone(), Rc::clone(room), Rc::clone(&parent.lead));
    scan.fence(range.start);
    if depth < MAX_LABELS {
        scan.inline();
    }
    scan.copy(range.end);
    scan.fence(range.end);
    scan.finish()
}

/// The depth of nested labels at which directives in a label are text. The outermost label has depth 1.
const MAX_LABELS: usize = 32;

struct Scan<'a> {
    source: &'a str,
    lead: Lead,
    room: Rc<NodeLimit>,
    range: Range<usize>,
    out: String,
    edits: Vec<Edit<'a>>,
    /// The source offset up to which the source was copied to `out`.
    copied: usize,
    line: Line,
    /// The offsets of the matching brackets of the current line, ordered by the opening one; `None` until
    /// they are needed.
    pairs: Option<Vec<(usize, usize)>>,
}

struct Line {
    start: usize,
    end: usize,
}

impl<'a> Scan<'a> {
    fn new(source: &'a str, range: Range<usize>, room: Rc<NodeLimit>, lead: Lead) -> Self {
        let line = Line { start: range.start, end: range.end };
        let copied = range.start;
        Self { source, lead, room, copied, range, out: String::new(), edits: Vec::new(), line, pairs: None }
    }

    fn finish(mut self) -> Prepared<'a> {
        if self.edits.is_empty() {
            let text = Cow::Borrowed(&self.source[self.range.clone()]);
            return Prepared {
                source: self.source,
                text,
                edits: self.edits,
                base: self.range.start,
                lead: self.lead,
                room: self.room,
            };
        }
        self.copy(self.range.end);
        Prepared {
            source: self.source,
            text: Cow::Owned(self.out),
            edits: self.edits,
            base: self.range.start,
            lead: self.lead,
            room: self.room,
        }
    }

    fn document(mut self) -> Prepared<'a> {
        let bytes = self.source.as_bytes();
        let mut next = 0;
        let mut opened = false;
        let mut is_first = true;
        let mut blank_at = usize::MAX;
        self.line.end = line_end(bytes, 0);
        while let Some(at) = memchr::memchr2(b':', b'\n', &bytes[next..]).map(|it| next + it) {
            next = at + 1;
            if bytes[at] == b'\n' {
                self.line = Line { start: next, end: usize::MAX };
                self.pairs = None;
                is_first = true;
                continue;
            }
            if self.line.end == usize::MAX {
                self.line.end = line_end(bytes, at);
            }
            if is_first && bytes.get(next) == Some(&b':') && self.is_alone(at, &mut opened) {
                self.isolate(at, &mut blank_at);
                next = self.line.end;
            } else {
                next = self.emoji(at).or_else(|| self.directive(at)).unwrap_or(next);
            }
            is_first = false;
        }
        // A box at the end of the text is that of a task, but CommonMark's parser wants white space after it.
        if ["[ ]", "[x]", "[X]"].iter().any(|it| self.source.ends_with(it)) {
            self.insert(self.source.len(), "\n");
        }
        self.finish()
    }

    fn inline(&mut self) {
        let bytes = self.source.as_bytes();
        let mut next = self.range.start;
        while let Some(at) = memchr::memchr(b':', &bytes[next..self.range.end]).map(|it| next + it) {
            next = self.emoji(at).or_else(|| self.directive(at)).unwrap_or(at + 1);
        }
    }

    fn copy(&mut self, until: usize) {
        self.out.push_str(&self.source[self.copied..until]);
        self.copied = until;
    }

    fn fence(&mut self, at: usize) {
        let start = self.out.len();
        self.out.push(',');
        self.edits.push(Edit { at: start..start + 1, from: at..at, found: None });
    }

    /// Replaces the directive at `from` by a directive mark that begins with `lead`.
    fn mark(&mut self, lead: char, from: Range<usize>, found: Found<'a>) {
        self.copy(from.start);
        let start = self.out.len();
        let number = self.edits.len() as u32;
        self.out.push(lead);
        for part in [number >> 15, number & 0x7FFF] {
            self.out.extend(char::from_u32(FIRST + part));
        }
        self.copied = from.end;
        self.edits.push(Edit { at: start..self.out.len(), from, found: Some(found) });
    }

    /// Replaces the inline directive that begins with the colon at `at` by a directive mark; returns the
    /// offset after the directive. Returns `None` if the colon does not begin a directive.
    fn directive(&mut self, at: usize) -> Option<usize> {
        let source = self.source;
        let text = source.get(at + 1..self.line.end)?;
        if !names::looks_inline(text) || is_escaped(source.as_bytes(), at, self.range.start) {
            return None;
        }
        let name = names::name_at(text);
        let mut end = at + 1 + name.len();
        let mut label = None;
        if source.as_bytes()[end] == b'[' {
            let close = self.partner(end)?;
            label = Some(end + 1..close);
            end = close + 1;
            if !ticks_pair(&source[label.clone()?]) {
                return None;
            }
        }
        let attrs = match attrs::parse(&source[end..self.line.end]) {
            Some((attrs, length)) => {
                end += length;
                attrs
            }
            None if label.is_none() => return None,
            None => ThinVec::new(),
        };
        let lead = (*self.lead.get_or_init(|| lead(source)))?;
        self.mark(lead, at..end, Found { name, label, attrs });
        Some(end)
    }

    /// Replaces the short name of an emoji that begins with the colon at `at`, as [`directive`](Self::directive) does.
    fn emoji(&mut self, at: usize) -> Option<usize> {
        let before = self.source[self.range.start..at].chars().next_back();
        let name = emoji::name_at(&self.source[at..self.line.end]).filter(|_| emoji::may_follow(before))?;
        let lead = (*self.lead.get_or_init(|| lead(self.source)))?;
        self.mark(lead, at..at + name.len(), Found { name, label: None, attrs: ThinVec::new() });
        Some(at + name.len())
    }

    /// Returns the offset of the bracket that closes the opening bracket at `at`; `None` if none in the
    /// current line does.
    fn partner(&mut self, at: usize) -> Option<usize> {
        let (source, line) = (self.source, self.line.start..self.line.end);
        let pairs = self.pairs.get_or_insert_with(|| brackets(source, line));
        let found = pairs.binary_search_by_key(&at, |it| it.0).ok()?;
        Some(pairs[found].1)
    }

    /// Returns whether the current line contains, after signs of quotes and lists, only the directive that
    /// begins at `at`. Sets `opened` if this directive opens a container; a closing line counts only if
    /// `opened` was already set.
    fn is_alone(&self, at: usize, opened: &mut bool) -> bool {
        let prefix = &self.source[self.line.start..at];
        if !is_prefix(prefix) {
            return false;
        }
        match alone(&self.source[at..self.line.end]) {
            Some(Alone { name: Some(_), form, .. }) => {
                *opened |= form == Form::Container;
                true
            }
            Some(_) => *opened,
            None => false,
        }
    }

    /// Inserts blank lines around the current line where the source has none, so that CommonMark reads the
    /// line as a paragraph of its own. `at` is the offset of the directive in the line, and `blank_at` that
    /// of the line after the last inserted blank line.
    fn isolate(&mut self, at: usize, blank_at: &mut usize) {
        let bytes = self.source.as_bytes();
        let (start, prefix) = (self.line.start, &self.source[self.line.start..at]);
        let marked = prefix.bytes().any(|it| !matches!(it, b' ' | b'\t' | b'>'));
        let blank = blank_line(prefix);
        if start > 0 && !marked && *blank_at != start && !is_blank(previous_line(bytes, start)) {
            self.insert(start, &blank);
        }
        let next = (self.line.end + 1).min(bytes.len());
        let after = &bytes[next..line_end(bytes, next)];
        if next < bytes.len() && !is_blank(after) {
            self.insert(next, &blank);
            *blank_at = next;
        }
    }

    fn insert(&mut self, at: usize, line: &str) {
        self.copy(at);
        let start = self.out.len();
        self.out.push_str(line);
        self.edits.push(Edit { at: start..self.out.len(), from: at..at, found: None });
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |it| at + it)
}

/// Returns the line before the one that begins at `start`. Of a line longer than 1 KiB it returns only the
/// last KiB, which is enough for [`is_blank`].
fn previous_line(bytes: &[u8], start: usize) -> &[u8] {
    let end = start - 1;
    let from = end.saturating_sub(1 << 10);
    let line = memchr::memrchr(b'\n', &bytes[from..end]).map_or(from, |it| from + it + 1);
    &bytes[line..end]
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|it| matches!(it, b' ' | b'\t' | b'>' | b'\r'))
}

/// Returns whether `prefix` contains only white space, quote signs and markers of list items, as they appear
/// before the content of a line.
fn is_prefix(prefix: &str) -> bool {
    prefix.split([' ', '\t', '>']).all(|word| match word.strip_suffix(['.', ')']) {
        Some(number) => {
            !number.is_empty() && number.len() <= 9 && number.bytes().all(|it| it.is_ascii_digit())
        }
        None => matches!(word, "" | "-" | "*" | "+"),
    })
}

fn blank_line(prefix: &str) -> String {
    let bare: String = prefix.chars().map(|it| if matches!(it, '\t' | '>') { it } else { ' ' }).collect();
    format!("{}\n", bare.trim_end())
}

fn is_escaped(bytes: &[u8], at: usize, from: usize) -> bool {
    bytes[from..at].iter().rev().take_while(|it| **it == b'\\').count() % 2 == 1
}

/// Returns the offsets of the matching brackets in `range` of `source`, ordered by the opening one.
fn brackets(source: &str, range: Range<usize>) -> Vec<(usize, usize)> {
    let bytes = source.as_bytes();
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    let mut at = range.start;
    while at < range.end {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => open.push(at),
            b']' => pairs.extend(open.pop().map(|it| (it, at))),
            _ => {}
        }
        at += 1;
    }
    pairs.sort_unstable();
    pairs
}

/// Returns whether each code span that opens in `label` also closes there. If not, the code continues behind
/// the label, and the directive with this label is read as text.
fn ticks_pair(label: &str) -> bool {
    let bytes = label.as_bytes();
    let run = |at: usize| bytes[at..].iter().take_while(|it| **it == b'`').count();
    let mut at = 0;
    let mut open = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if open == 0 => at += 2,
            b'`' => {
                let length = run(at);
                if open == 0 {
                    open = length;
                } else if open == length {
                    open = 0;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    open == 0
}

/// A directive that is alone on its line, or a line that closes one.
pub(super) struct Alone<'a> {
    /// The name of the directive; `None` for a closing line.
    pub(super) name: Option<&'a str>,
    pub(super) form: Form,
    pub(super) colons: usize,
    pub(super) attrs: ThinVec<Attr<'a>>,
}

/// Parses a whole line that opens or closes a block directive; `None` if `line` is anything else.
pub(super) fn alone(line: &str) -> Option<Alone<'_>> {
    let line = line.trim_end();
    let colons = line.bytes().take_while(|it| *it == b':').count();
    let rest = &line[colons..];
    let form = if colons == 2 { Form::Leaf } else { Form::Container };
    if rest.is_empty() {
        return (colons >= 3).then(|| Alone { name: None, form, colons, attrs: ThinVec::new() });
    }
    let is_container = form == Form::Container;
    let rest = if is_container { rest.trim_start_matches(' ') } else { rest };
    // A container of an unknown name is an opening line, too, so that its closing line closes no other one.
    let name = if is_container { names::word_at(rest) } else { names::name_at(rest) };
    if colons < 2 || name.is_empty() || !is_container && !names::is_known(name, form) {
        return None;
    }
    let (title, rest) = match rest[name.len()..].strip_prefix('[') {
        Some(label) if is_container => label.split_once(']').map(|it| (Some(it.0), it.1))?,
        _ => (None, &rest[name.len()..]),
    };
    let mut attrs = if rest.is_empty() { ThinVec::new() } else { whole_attrs(rest)? };
    let title_name = if name == "expand" { "title" } else { "param:title" };
    attrs.extend(title.map(|it| Attr::string(title_name, it)));
    Some(Alone { name: Some(name), form, colons, attrs })
}

/// Parses `text` as attributes in braces; `None` if any part of `text` is anything else.
pub(super) fn whole_attrs(text: &str) -> Option<ThinVec<Attr<'_>>> {
    let (attrs, length) = attrs::parse(text)?;
    (length == text.len()).then_some(attrs)
}
