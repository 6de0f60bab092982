//! Reads wiki markup to a tree.
//!
//! In: a source. Out: its blocks with their spans, and diagnostics. Each byte is visited a bounded number of
//! times: macro tags are paired first ([`tags`]), and every search ahead stops at the next sign that could
//! make it fail. At the node limit, the remaining source of each unfinished container becomes one raw node,
//! from the first paragraph, item or row that does not fit.

mod block;
mod inline;
mod link;
mod list;
mod macros;
mod nodes;
mod table;
mod tags;
mod token;

use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::format::Dialect;
use crate::tree::{Kind, Mark, Node, NodeLimit, Span};

pub(crate) use link::href;
pub(crate) use list::MAX_LEVELS;
pub(crate) use tags::Tag;
pub(crate) use token::{image_params, is_scheme, parse_image};

/// Reads the blocks of `source`, with diagnostics. Makes at most as many nodes as `room` allows.
pub(crate) fn read(source: &str, dialect: Dialect, room: NodeLimit) -> (ThinVec<Node<'_>>, Vec<Diagnostic>) {
    let mut reader = Reader::new(source, dialect, room);
    let blocks = reader.blocks(0, source.len(), Container::Block);
    reader.diagnostics.extend(reader.room.diagnostic());
    (blocks, reader.diagnostics)
}

/// Returns whether `source` has a macro tag without the closing tag that its macro requires. Such a source is
/// not safe to write: text that follows it could contain the closing tag.
pub(crate) fn has_loose_tag(source: &str, dialect: Dialect) -> bool {
    tags::tags(source, dialect).iter().any(|it| it.is_unclosed())
}

/// The container of blocks, which decides the kinds of block that may begin in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    /// The document or a macro: every block may begin.
    Block,
    /// A table cell: no table may begin.
    Cell,
    /// A list item: only text and macros may begin.
    Item,
}

pub(crate) struct Reader<'a> {
    source: &'a str,
    dialect: Dialect,
    tags: Vec<Tag<'a>>,
    diagnostics: Vec<Diagnostic>,
    room: NodeLimit,
    /// The mark of a colour that began in an earlier text and did not end there. It applies to all text until
    /// the next `{color}`.
    colour: Option<Mark<'a>>,
    /// The offset of the last `{color}` in the source. A colour that begins after it never ends, so it has no
    /// effect.
    last_colour_end: usize,
    depth: usize,
    /// The offset at which the last search for a `}}` on its line stopped without success. A search that
    /// begins before this offset would fail too, so it is skipped.
    mono_until: usize,
}

/// The largest number of diagnostics that are kept.
const MAX_DIAGNOSTICS: usize = 1000;

impl<'a> Reader<'a> {
    fn new(source: &'a str, dialect: Dialect, room: NodeLimit) -> Self {
        let tags = tags::tags(source, dialect);
        let last_colour_end = source.rfind("{color}").unwrap_or(0);
        let mut reader = Self {
            source,
            dialect,
            tags,
            diagnostics: Vec::new(),
            room,
            colour: None,
            last_colour_end,
            depth: 0,
            mono_until: 0,
        };
        reader.report_unclosed();
        reader
    }

    fn report_unclosed(&mut self) {
        for tag in self.tags.iter().filter(|it| it.is_unclosed()).take(MAX_DIAGNOSTICS) {
            let found =
                format!("expected a closing {{{}}}, but found the end of the surrounding text", tag.name);
            self.diagnostics.push(Diagnostic::new(Span::new(tag.start, tag.end), found));
        }
    }

    fn report(&mut self, start: usize, end: usize, message: &str) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(Diagnostic::new(Span::new(start, end), message));
        }
    }

    /// Returns the source between `start` and `end` as a raw block, because the node limit is reached.
    fn rest(&self, start: usize, end: usize) -> Node<'a> {
        self.room.refuse(start);
        let span = Span::new(start, end);
        Node::raw(Kind::RawBlock, "wiki", span.of(self.source)).at(span, span)
    }

    fn bytes(&self) -> &'a [u8] {
        self.source.as_bytes()
    }

    /// Returns the macro tag that begins at `at`, if there is one.
    fn tag_at(&self, at: usize) -> Option<Tag<'a>> {
        let index = self.tags.partition_point(|it| it.start < at);
        self.tags.get(index).filter(|it| it.start == at).copied()
    }

    /// Returns whether a macro tag begins between `start` and `end`.
    fn has_tag(&self, start: usize, end: usize) -> bool {
        let first = self.tags.partition_point(|it| it.start < start);
        self.tags.get(first).is_some_and(|it| it.start < end)
    }

    /// Returns the first macro tag between `start` and `end` whose macro is a block and ends at `limit` or
    /// before.
    fn block_tag_in(&self, start: usize, end: usize, limit: usize) -> Option<Tag<'a>> {
        let first = self.tags.partition_point(|it| it.start < start);
        let within = self.tags[first..].iter().take_while(|it| it.start < end);
        within.copied().find(|it| it.is_block() && it.whole_end() <= limit)
    }

    /// Returns the offset at which the line that contains `at` ends: that of its line feed, or `limit`.
    fn line_end(&self, at: usize, limit: usize) -> usize {
        let rest = &self.source[at..limit];
        rest.find('\n').map_or(limit, |it| at + it)
    }

    /// Returns the offset after the blanks (spaces, tabs, carriage returns) that begin at `at`.
    fn skip_blanks(&self, at: usize, limit: usize) -> usize {
        at + self.bytes()[at..limit].iter().take_while(|it| is_blank(**it)).count()
    }

    /// Returns the offset at which the text between `start` and `end` ends without the blanks and line feeds
    /// at its end; `start` if it contains nothing else.
    fn trim_end(&self, start: usize, end: usize) -> usize {
        let text = &self.bytes()[start..end];
        start + text.iter().rposition(|it| !is_blank(*it) && *it != b'\n').map_or(0, |it| it + 1)
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}
