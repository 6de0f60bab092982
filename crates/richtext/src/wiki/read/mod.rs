//! Wiki markup to a tree.
//!
//! In: a source. Out: its blocks with their places, and what is wrong with it. Every byte is looked at a bounded number of times: tags and
//! their pairs are found first ([`tags`]), and whatever looks ahead stops at the next sign that could make it fail. From the paragraph, item
//! or row on that there is no room for, all is kept as it was written.

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
use crate::tree::{Kind, Mark, Node, Room, Span};

pub(crate) use link::href;
pub(crate) use list::MAX_LEVELS;
pub(crate) use tags::Tag;
pub(crate) use token::{image_params, is_scheme, parse_image};

/// The blocks of `source`, for which there is this much room, and what is wrong with it.
pub(crate) fn read(source: &str, dialect: Dialect, room: Room) -> (ThinVec<Node<'_>>, Vec<Diagnostic>) {
    let mut reader = Reader::new(source, dialect, room);
    let blocks = reader.blocks(0, source.len(), Place::Block);
    reader.diagnostics.extend(reader.room.diagnostic());
    (blocks, reader.diagnostics)
}

/// Whether `source` has a tag whose closing one is missing: beside other text it could find one.
pub(crate) fn has_loose_tag(source: &str, dialect: Dialect) -> bool {
    tags::tags(source, dialect).iter().any(|it| it.is_unclosed())
}

/// Where blocks stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the document or a macro, where everything may begin.
    Block,
    /// In a cell, where no table may begin.
    Cell,
    /// In an item of a list, which holds text and macros.
    Item,
}

pub(crate) struct Reader<'a> {
    source: &'a str,
    dialect: Dialect,
    tags: Vec<Tag<'a>>,
    diagnostics: Vec<Diagnostic>,
    room: Room,
    /// The colour that began in an earlier block and has not ended.
    colour: Option<Mark<'a>>,
    /// Where the last `{color}` begins: a colour after it never ends.
    last_colour_end: usize,
    depth: usize,
    /// Up to where it is known that no bracket or `}}` closes on the line.
    mono_until: usize,
}

/// How many diagnostics are kept.
const MAX_DIAGNOSTICS: usize = 1000;

impl<'a> Reader<'a> {
    fn new(source: &'a str, dialect: Dialect, room: Room) -> Self {
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
                format!("expected a closing {{{}}}, but found the end of what it stands in", tag.name);
            self.diagnostics.push(Diagnostic::new(Span::new(tag.start, tag.end), found));
        }
    }

    fn report(&mut self, start: usize, end: usize, message: &str) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(Diagnostic::new(Span::new(start, end), message));
        }
    }

    /// What stands there as it was written: there is no room for more nodes.
    fn rest(&self, start: usize, end: usize) -> Node<'a> {
        self.room.refuse(start);
        let span = Span::new(start, end);
        Node::raw(Kind::RawBlock, "wiki", span.of(self.source)).at(span, span)
    }

    fn bytes(&self) -> &'a [u8] {
        self.source.as_bytes()
    }

    /// The tag that begins at `at`.
    fn tag_at(&self, at: usize) -> Option<Tag<'a>> {
        let index = self.tags.partition_point(|it| it.start < at);
        self.tags.get(index).filter(|it| it.start == at).copied()
    }

    /// Whether a tag begins in these bytes.
    fn has_tag(&self, start: usize, end: usize) -> bool {
        let first = self.tags.partition_point(|it| it.start < start);
        self.tags.get(first).is_some_and(|it| it.start < end)
    }

    /// The first tag of a block that begins in these bytes and ends before `limit`.
    fn block_tag_in(&self, start: usize, end: usize, limit: usize) -> Option<Tag<'a>> {
        let first = self.tags.partition_point(|it| it.start < start);
        let within = self.tags[first..].iter().take_while(|it| it.start < end);
        within.copied().find(|it| it.is_block() && it.whole_end() <= limit)
    }

    /// The end of the line `at` stands in: its line feed, or `limit`.
    fn line_end(&self, at: usize, limit: usize) -> usize {
        let rest = &self.source[at..limit];
        rest.find('\n').map_or(limit, |it| at + it)
    }

    /// Past the blanks at `at`.
    fn skip_blanks(&self, at: usize, limit: usize) -> usize {
        at + self.bytes()[at..limit].iter().take_while(|it| is_blank(**it)).count()
    }

    /// Before the blanks that end at `end`.
    fn trim_end(&self, start: usize, end: usize) -> usize {
        let text = &self.bytes()[start..end];
        start + text.iter().rposition(|it| !is_blank(*it) && *it != b'\n').map_or(0, |it| it + 1)
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}
