//! Parses storage format into a flat list of elements, texts and CDATA sections with their spans.
//!
//! In: any text. Out: [`Xml`], which covers every byte of it, and diagnostics. A `<` that begins no markup
//! (`a < b`, a start tag that never ends) is text. An element without an end tag ends where the element
//! around it ends. Takes linear time and does not recurse.

use std::borrow::Cow;
use std::collections::HashMap;

use super::escape;
use super::names;
use crate::diagnostic::Diagnostic;
use crate::tree::Span;

/// The largest number of diagnostics for one text; further ones are dropped.
const MAX_DIAGNOSTICS: usize = 100;

/// The kinds of an [`Item`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Element,
    Text,
    Data,
    /// A comment, a processing instruction or a declaration.
    Aside,
    /// An end tag that closes no open element.
    Stray,
}

/// A piece of the source. An item that is an element is followed in the list by the items of its contents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) sort: Sort,
    /// True if the item is a block even if text is beside it, because of its name or because it contains a
    /// block.
    pub(super) block: bool,
    /// True if the item contains a block.
    pub(super) has_blocks: bool,
    pub(super) self_closing: bool,
    name_len: u16,
    start: u32,
    /// The span of the item's contents: without the tags of an element, or the delimiters of a CDATA section.
    inner: Span,
    end: u32,
    /// The index of the next item that is not part of this item's contents.
    pub(super) next: u32,
}

impl Item {
    /// Returns the span of the whole item, with its tags.
    pub(super) fn span(&self) -> Span {
        Span { start: self.start, end: self.end }
    }

    /// Returns the span of the item's contents, without its tags.
    pub(super) fn inner(&self) -> Span {
        self.inner
    }
}

/// A source text, cut into items.
pub(super) struct Xml<'a> {
    pub(super) source: &'a str,
    pub(super) items: Vec<Item>,
}

impl<'a> Xml<'a> {
    /// Parses `source` into items, with diagnostics.
    pub(super) fn parse(source: &'a str) -> (Self, Vec<Diagnostic>) {
        let mut parser = Parser {
            xml: Self { source, items: Vec::with_capacity(source.len() / 24 + 1) },
            open: Vec::new(),
            deep: HashMap::new(),
            diagnostics: Vec::new(),
            ended: [false; 3],
        };
        parser.run();
        (parser.xml, parser.diagnostics)
    }

    /// Returns the item at `index`.
    pub(super) fn item(&self, index: usize) -> &Item {
        &self.items[index]
    }

    /// Returns the name of the element at `index`; `""` for an item that is no element.
    pub(super) fn name(&self, index: usize) -> &'a str {
        let item = &self.items[index];
        let from = item.start as usize + 1;
        if item.sort == Sort::Element { &self.source[from..from + usize::from(item.name_len)] } else { "" }
    }

    /// Returns the source of the item at `index`, with its tags.
    pub(super) fn raw(&self, index: usize) -> &'a str {
        &self.source[self.items[index].span().range()]
    }

    /// Returns the source of the item's contents, without its tags.
    pub(super) fn inner(&self, index: usize) -> &'a str {
        &self.source[self.items[index].inner.range()]
    }

    /// Returns whether the item is text of white space only.
    pub(super) fn is_blank(&self, index: usize) -> bool {
        self.items[index].sort == Sort::Text && self.raw(index).bytes().all(|it| it.is_ascii_whitespace())
    }

    /// Returns the indices of the children of the element at `index`.
    pub(super) fn children(&self, index: usize) -> Siblings<'_> {
        self.between(index + 1, self.items[index].next as usize)
    }

    /// Returns the indices of the siblings from the index `from` up to `to`, which is excluded.
    pub(super) fn between(&self, from: usize, to: usize) -> Siblings<'_> {
        Siblings { items: &self.items, at: from, end: to }
    }

    /// Returns the attributes of an element, as the source spells them.
    pub(super) fn attributes(&self, index: usize) -> Attributes<'a> {
        let item = &self.items[index];
        let from = item.start as usize + 1 + usize::from(item.name_len);
        let to = (item.inner.start as usize).min(item.end as usize);
        let rest = if item.sort == Sort::Element { &self.source[from..to] } else { "" };
        Attributes { rest: rest.strip_suffix('>').unwrap_or(rest) }
    }

    /// Returns the decoded value of the attribute `name` of the element at `index`; `None` if it has none.
    pub(super) fn attribute(&self, index: usize, name: &str) -> Option<Cow<'a, str>> {
        self.attributes(index).find(|it| it.name == name).map(|it| it.value())
    }
}

/// Returns whether `text` is read without a diagnostic, such as one for an unclosed element, a stray end tag
/// or an unknown reference. Such text means the same wherever it is put.
pub(super) fn is_sound(text: &str) -> bool {
    Xml::parse(text).1.is_empty()
}

/// An iterator over the indices of siblings.
#[derive(Clone)]
pub(super) struct Siblings<'x> {
    items: &'x [Item],
    at: usize,
    end: usize,
}

impl Siblings<'_> {
    /// Returns the index of the item after the last sibling and its contents.
    pub(super) fn end(&self) -> usize {
        self.end
    }
}

impl Iterator for Siblings<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let found = self.at;
        (found < self.end).then(|| {
            self.at = self.items[found].next as usize;
            found
        })
    }
}

/// An attribute as the source spells it.
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    raw: &'a str,
}

impl<'a> Attribute<'a> {
    /// Returns the decoded value.
    pub(super) fn value(&self) -> Cow<'a, str> {
        escape::decode_value(self.raw)
    }
}

/// An iterator over the attributes of one start tag. It also returns malformed attributes.
pub(super) struct Attributes<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Attribute<'a>;

    fn next(&mut self) -> Option<Attribute<'a>> {
        let lead = self.rest.bytes().position(|it| !it.is_ascii_whitespace() && it != b'/')?;
        let rest = &self.rest[lead..];
        let length = rest.bytes().position(|it| it.is_ascii_whitespace() || matches!(it, b'=' | b'/'));
        let length = length.unwrap_or(rest.len());
        // A lone `=` counts as a name, so that no byte is skipped.
        let (name, behind) = rest.split_at(length.max(1));
        let Some(value) = behind.trim_start().strip_prefix('=') else {
            self.rest = behind;
            return Some(Attribute { name, raw: "" });
        };
        let value = value.trim_start();
        let (raw, rest) = match value.bytes().next() {
            Some(quote @ (b'"' | b'\'')) => match memchr::memchr(quote, &value.as_bytes()[1..]) {
                Some(length) => (&value[1..=length], &value[length + 2..]),
                None => (&value[1..], ""),
            },
            _ => value.split_at(value.find(|it: char| it.is_ascii_whitespace()).unwrap_or(value.len())),
        };
        self.rest = rest;
        Some(Attribute { name, raw })
    }
}

struct Parser<'a> {
    xml: Xml<'a>,
    /// The indices of the open elements, the outermost first.
    open: Vec<u32>,
    /// The number of open elements of each name, apart from the outermost [`SHALLOW`] ones. Makes the search
    /// for a name fast at any depth.
    deep: HashMap<&'a str, u32>,
    diagnostics: Vec<Diagnostic>,
    /// For comments, CDATA sections and processing instructions, in this order: whether a search has shown
    /// that the rest of the source contains no end of such a section, so that the search is not repeated.
    ended: [bool; 3],
}

/// The number of outermost open elements that a search for a name checks one by one; for deeper ones it uses
/// a table.
const SHALLOW: usize = 64;

impl<'a> Parser<'a> {
    fn run(&mut self) {
        let source = self.xml.source;
        let (mut text, mut at) = (0, 0);
        while let Some(found) = memchr::memchr(b'<', &source.as_bytes()[at..]) {
            at += found;
            let Some(end) = self.markup_end(at) else {
                self.say(at, at + 1, || "expected &lt; or a tag, but found <".to_owned());
                at += 1;
                continue;
            };
            self.text(text, at);
            self.markup(at, end);
            (text, at) = (end, end);
        }
        self.text(text, source.len());
        while let Some(index) = self.open.last() {
            let name = self.xml.name(*index as usize);
            let from = self.xml.item(*index as usize).start as usize;
            self.say(from, from + name.len() + 1, || {
                format!("expected </{name}>, but found the end of the text")
            });
            self.close(source.len(), source.len());
        }
    }

    fn say(&mut self, from: usize, to: usize, message: impl FnOnce() -> String) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(Diagnostic::new(Span::new(from, to), message()));
        }
    }

    fn text(&mut self, from: usize, to: usize) {
        if from == to {
            return;
        }
        if let Some((start, end)) = escape::unknown(&self.xml.source[from..to]) {
            let found = &self.xml.source[from + start..from + end];
            self.say(from + start, from + end, || {
                format!("expected a known character reference, but found {found:?}")
            });
        }
        self.push(Sort::Text, from, to, Span::new(from, to));
    }

    fn push(&mut self, sort: Sort, start: usize, end: usize, inner: Span) -> usize {
        let Span { start, end } = Span::new(start, end);
        let index = self.xml.items.len();
        let next = u32::try_from(index + 1).expect("fewer items than bytes");
        let item = Item {
            sort,
            block: false,
            has_blocks: false,
            self_closing: false,
            name_len: 0,
            start,
            inner,
            end,
            next,
        };
        self.xml.items.push(item);
        index
    }

    /// Returns the offset at which the tag, comment or section that begins at `at` ends; `None` if the `<` at
    /// `at` is text.
    fn markup_end(&mut self, at: usize) -> Option<usize> {
        let rest = &self.xml.source[at..];
        let bytes = rest.as_bytes();
        match bytes.get(1)? {
            b'!' if rest.starts_with("<!--") => self.section(at, 4, "-->", 0),
            b'!' if rest.starts_with(escape::OPEN) => self.section(at, escape::OPEN.len(), escape::CLOSE, 1),
            b'?' => self.section(at, 2, "?>", 2),
            b'!' if bytes.get(2).is_some_and(u8::is_ascii_alphabetic) => self.plain_end(at),
            b'/' if bytes.get(2).is_some_and(|it| is_name_start(*it)) => self.plain_end(at),
            it if is_name_start(*it) => tag_end(rest).map(|it| at + it),
            _ => None,
        }
    }

    fn section(&mut self, at: usize, opening: usize, close: &str, which: usize) -> Option<usize> {
        if self.ended[which] {
            return None;
        }
        let found = self.xml.source[at + opening..].find(close);
        self.ended[which] = found.is_none();
        found.map(|it| at + opening + it + close.len())
    }

    /// Returns the end of an end tag or a declaration: the next `>`, unless a `<` comes first.
    fn plain_end(&self, at: usize) -> Option<usize> {
        let found = at + 1 + self.xml.source[at + 1..].find(['<', '>'])?;
        (self.xml.source.as_bytes()[found] == b'>').then_some(found + 1)
    }

    fn markup(&mut self, at: usize, end: usize) {
        let raw = &self.xml.source[at..end];
        if raw.starts_with("</") {
            self.end_tag(at, end);
        } else if raw.starts_with(escape::OPEN) {
            self.push(Sort::Data, at, end, Span::new(at + escape::OPEN.len(), end - escape::CLOSE.len()));
        } else if raw.starts_with("<!") || raw.starts_with("<?") {
            self.push(Sort::Aside, at, end, Span::new(at, end));
        } else {
            self.start_tag(at, end);
        }
    }

    fn start_tag(&mut self, at: usize, end: usize) {
        let raw = &self.xml.source[at..end];
        let name = name_of(&raw[1..]);
        if !is_well_formed(&raw[1 + name.len()..raw.len() - 1]) {
            self.say(at, end, || {
                format!("expected attributes such as name=\"value\", but found {:?}", shortened(raw))
            });
        }
        let closed = raw.ends_with("/>") || names::is_void(name);
        let index = self.push(Sort::Element, at, end, Span::at(end));
        let item = &mut self.xml.items[index];
        item.name_len = u16::try_from(name.len()).unwrap_or(u16::MAX);
        item.block = names::is_block(name);
        item.self_closing = closed;
        if !closed {
            if self.open.len() >= SHALLOW {
                *self.deep.entry(name).or_default() += 1;
            }
            self.open.push(u32::try_from(index).expect("fewer items than bytes"));
        } else {
            self.settle(index);
        }
    }

    fn end_tag(&mut self, at: usize, end: usize) {
        let name = name_of(&self.xml.source[at + 2..end]);
        let garbage = !self.xml.source[at + 2 + name.len()..end - 1].trim().is_empty();
        let innermost = self.open.last().is_some_and(|it| self.xml.name(*it as usize) == name);
        let shallow =
            innermost || self.open.iter().take(SHALLOW).any(|it| self.xml.name(*it as usize) == name);
        if garbage || !(shallow || self.deep.contains_key(name)) {
            self.say(at, end, || format!("expected the end tag of an open element, but found </{name}>"));
            self.stray(at, end);
            return;
        }
        while let Some(index) = self.open.last().copied() {
            let open = self.xml.name(index as usize);
            if open == name {
                self.close(at, end);
                return;
            }
            self.say(at, end, || format!("expected </{open}>, but found </{name}>"));
            self.close(at, at);
        }
    }

    /// Adds an item for an end tag that closes no open element. Adjacent ones become one item.
    fn stray(&mut self, at: usize, end: usize) {
        let start = Span::new(at, end);
        match self.xml.items.last_mut().filter(|it| it.sort == Sort::Stray && it.end == start.start) {
            Some(last) => {
                last.end = start.end;
                last.inner.end = start.end;
            }
            None => drop(self.push(Sort::Stray, at, end, start)),
        }
    }

    /// Removes the innermost open element from the list of open ones, and sets the end of its contents and
    /// its own end.
    fn close(&mut self, inner_end: usize, end: usize) {
        let Some(index) = self.open.pop() else { return };
        let index = index as usize;
        if self.open.len() >= SHALLOW {
            let name = self.xml.name(index);
            if let Some(count) = self.deep.get_mut(name) {
                *count -= 1;
                if *count == 0 {
                    self.deep.remove(name);
                }
            }
        }
        let next = u32::try_from(self.xml.items.len()).expect("fewer items than bytes");
        let item = &mut self.xml.items[index];
        item.inner = Span::new(item.inner.start as usize, inner_end);
        item.end = item.inner.end.max(u32::try_from(end).expect("a source is under 4 GiB"));
        item.next = next;
        self.settle(index);
    }

    /// Decides whether the element at `index`, which is complete, is a block. If so, records in its parent
    /// that the parent contains a block.
    fn settle(&mut self, index: usize) {
        let name = self.xml.name(index);
        let item = self.xml.items[index];
        let block = item.block || item.has_blocks || names::is_macro(name) && self.is_block_macro(index);
        self.xml.items[index].block = block;
        if let Some(parent) = self.open.last().filter(|_| block) {
            self.xml.items[*parent as usize].has_blocks = true;
        }
    }

    fn is_block_macro(&self, index: usize) -> bool {
        self.xml.attribute(index, "ac:name").is_some_and(|it| names::is_block_macro(&it))
    }
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

/// Returns the name at the start of `text`.
fn name_of(text: &str) -> &str {
    let ends = |it: u8| it.is_ascii_whitespace() || matches!(it, b'/' | b'>' | b'=' | b'"' | b'\'');
    let end = text.bytes().position(ends);
    let name = &text[..end.unwrap_or(text.len())];
    // No known name is this long; the remaining bytes are read as attributes.
    if name.len() <= usize::from(u16::MAX) { name } else { cut(name, 64) }
}

/// Returns the length of the start tag that `text` begins with, up to its first `>` outside of quotes. If a
/// `<` comes before that, the first `>` within quotes ends the tag; without one there is no tag.
fn tag_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    let mut quote = 0;
    let mut bare = None;
    loop {
        match *bytes.get(at)? {
            b'<' => return bare,
            b'>' if quote == 0 => return Some(at + 1),
            // This `>` ends the tag only if the quote is never closed.
            b'>' => bare = bare.or(Some(at + 1)),
            it @ (b'"' | b'\'') if quote == 0 && before_value(bytes, at) => quote = it,
            it if it == quote => quote = 0,
            _ => {}
        }
        at += 1;
    }
}

fn before_value(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().find(|it| !it.is_ascii_whitespace()) == Some(&b'=')
}

/// Returns whether `attributes`, the part of a start tag after the name, is well-formed XML.
fn is_well_formed(attributes: &str) -> bool {
    let mut rest = attributes.strip_suffix('/').unwrap_or(attributes);
    loop {
        let trimmed = rest.trim_start_matches(|it: char| it.is_ascii_whitespace());
        if trimmed.is_empty() {
            return true;
        }
        let Some((name, value)) = trimmed.split_once('=') else { return false };
        let Some(quote @ ('"' | '\'')) = value.chars().next() else { return false };
        let Some((_, behind)) = value[1..].split_once(quote) else { return false };
        if trimmed.len() == rest.len() || !names::is_name(name) {
            return false;
        }
        rest = behind;
    }
}

/// Returns the beginning of `text`: as many whole characters as fit into `bytes` bytes.
fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|it| text.is_char_boundary(*it));
    &text[..end.unwrap_or_default()]
}

pub(super) fn shortened(raw: &str) -> &str {
    cut(raw, 80)
}

#[cfg(test)]
mod tests;
