//! Reads Markdown: CommonMark, GitHub's tables, strikethrough, tasks and alerts, and directives.
//!
//! In: a source. Out: blocks with their spans, and diagnostics. `prepare` hides directives from CommonMark,
//! `blocks` makes blocks of CommonMark's events, `inline` makes inline nodes, and `group` puts the content of
//! directives and HTML tags into their nodes. CommonMark gets a long text in `parts`, because its data for a
//! text take many times the text's bytes.

mod block;
mod blocks;
mod definitions;
pub(super) mod directive;
mod group;
mod html;
pub(super) mod inline;
mod list;
mod parts;
pub(super) mod prepare;
mod slips;
mod tables;
mod tags;

pub(super) use block::is_language;

use std::ops::Range;

use definitions::{Definitions, Names};
use inline::Placed;
use parts::Parts;
use pulldown_cmark::{BrokenLink, OffsetIter, Options, Parser};
use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::tree::{Kind, MAX_NODES, Node, NodeLimit, Span};

/// The CommonMark extensions that are read.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_GFM);

/// The least length of a part of a text, in bytes; only the last part may be shorter. CommonMark's data for
/// one part of this size fit into the cache of a processor, and the fixed cost of a part does not matter.
const PART: usize = 32 << 10;

/// The limit of nodes for the Markdown of a document that a user edited. It is larger than [`MAX_NODES`],
/// because tags and attributes in Markdown count as nodes too.
const MOST_EDITED: usize = 2 * MAX_NODES;

/// A text that was read, with the children of some blocks dropped.
pub(crate) struct Partly<'a> {
    pub(crate) blocks: ThinVec<Node<'a>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The source offsets, in ascending order, at which those blocks begin whose children were dropped
    /// because the caller did not want them.
    pub(crate) bare: Vec<u32>,
}

/// The way in which blocks beyond the limit of nodes are kept as raw source.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rest {
    /// The first block beyond the limit and the whole text after it become one raw block.
    Whole,
    /// Each block beyond the limit becomes a raw block of its own, so that all blocks have spans.
    ByBlock,
}

/// Reads `source` into at most `room` nodes; returns its blocks and diagnostics.
pub(super) fn document(source: &str, room: NodeLimit) -> (ThinVec<Node<'_>>, Vec<Diagnostic>) {
    let read = in_parts(source, PART, room, Rest::Whole, &|_| true);
    (read.blocks, read.diagnostics)
}

/// Reads `source` like [`document`], but drops the children of each top-level block for whose source text
/// `keep` returns false, unless the block is a list of tasks. The limit of nodes is [`MOST_EDITED`], and each
/// block beyond it is a raw block.
pub(super) fn document_where<'a>(source: &'a str, keep: &dyn Fn(&str) -> bool) -> Partly<'a> {
    in_parts(source, PART, NodeLimit::of(MOST_EDITED), Rest::ByBlock, keep)
}

/// Reads `source`, which CommonMark gets in parts of at least `least` bytes. The parameters `rest` and `keep`
/// are those of [`blocks::read`].
pub(super) fn in_parts<'a>(
    source: &'a str,
    least: usize,
    room: NodeLimit,
    rest: Rest,
    keep: &dyn Fn(&str) -> bool,
) -> Partly<'a> {
    match tables::shaped(source) {
        None => as_it_is(source, least, room, rest, keep),
        Some(shaped) => from_shaped(source, &shaped, as_it_is(&shaped.text, least, room, rest, keep)),
    }
}

/// Returns what was read from the text of `shaped`, with spans in `source`.
fn from_shaped<'a>(source: &'a str, shaped: &tables::Shaped, read: Partly<'_>) -> Partly<'a> {
    let placed = |it: Node<'_>| placed(directive::owned(it), source, shaped);
    let mut diagnostics = read.diagnostics;
    diagnostics.iter_mut().for_each(|it| it.span = shaped.span(it.span));
    Partly {
        blocks: read.blocks.into_iter().map(placed).collect(),
        diagnostics,
        bare: read.bare.into_iter().map(|it| shaped.source_at(it as usize) as u32).collect(),
    }
}

/// Returns `node` with spans in `source`. Text that the source spells otherwise, as over several indented lines, has no place
/// of its own there.
fn placed<'a>(mut node: Node<'a>, source: &str, shaped: &tables::Shaped) -> Node<'a> {
    (node.span, node.inner) = (shaped.span(node.span), shaped.span(node.inner));
    if node.kind == Kind::Text && !super::spelled::spells(node.inner.of(source), &node.text) {
        node.inner = Span::at(node.inner.end as usize);
    }
    node.children = node.children.into_iter().map(|it| placed(it, source, shaped)).collect();
    node
}

/// Reads a source whose tables of HTML have the shape that is read.
fn as_it_is<'a>(
    source: &'a str,
    least: usize,
    room: NodeLimit,
    rest: Rest,
    keep: &dyn Fn(&str) -> bool,
) -> Partly<'a> {
    let prepared = prepare::document(source, room);
    let parts = Parts::of(&prepared.text, least);
    let definitions = Definitions::of(&prepared.text, &parts.defining);
    blocks::read(&prepared, parts.ranges, &definitions.names(), rest, keep)
}

/// Returns CommonMark's events for a part of a text, with ranges in the whole text.
fn events<'p>(text: &'p str, part: Range<usize>, names: &Names<'p>) -> impl Iterator<Item = Placed<'p>> {
    let missing = (!names.is_empty()).then_some(|link: BrokenLink<'_>| names.missing(&link));
    let events = Parser::new_with_broken_link_callback(&text[part.clone()], OPTIONS, missing);
    events.into_offset_iter().map(move |(mut event, range)| {
        if !names.is_empty() {
            names.settle(&mut event);
        }
        (event, part.start + range.start..part.start + range.end)
    })
}

/// Returns the lengths of the parts of `text`. For tests.
#[cfg(test)]
pub(super) fn part_lengths(text: &str) -> Vec<usize> {
    Parts::of(text, PART).ranges.into_iter().map(|it| it.len()).collect()
}

/// Returns CommonMark's events for a short text, such as a label, with their ranges.
fn parser(text: &str) -> OffsetIter<'_> {
    Parser::new_ext(text, OPTIONS).into_offset_iter()
}
