//! Reads Markdown: CommonMark, GitHub's tables, strikethrough, tasks and alerts, and directives.
//!
//! In: a source. Out: blocks with their places in it, and what is wrong with it. `prepare` hides directives from CommonMark, `blocks` makes
//! blocks of its events, `inline` what stands among text, `group` what directives and tags of HTML hold together. A long text is given to
//! CommonMark in `parts`, since what CommonMark remembers of one takes many times its bytes.

mod block;
mod blocks;
mod definitions;
pub(super) mod directive;
mod group;
mod html;
pub(super) mod inline;
mod parts;
pub(super) mod prepare;

pub(super) use block::is_language;

use std::ops::Range;

use definitions::{Definitions, Names};
use inline::Placed;
use parts::Parts;
use pulldown_cmark::{BrokenLink, OffsetIter, Options, Parser};
use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::tree::{MAX_NODES, Node, Room};

/// What of CommonMark and GitHub's Markdown is read.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_GFM);

/// A part of a text is at least as long as this, in bytes, if the text goes on: what CommonMark remembers of one fits into the cache of a
/// processor, and what is done for each part does not count.
const PART: usize = 32 << 10;

/// How many nodes there is room for in what a document became and somebody edited: its tags and attributes count, too.
const MOST_EDITED: usize = 2 * MAX_NODES;

/// A text of which not all that was read was kept.
pub(crate) struct Partly<'a> {
    pub(crate) blocks: ThinVec<Node<'a>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Where the blocks begin that hold nothing because nobody wanted it, in order.
    pub(crate) bare: Vec<u32>,
}

/// What becomes of the blocks there is no room for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rest {
    /// They are one block with all that follows.
    Whole,
    /// Each is one by itself, so that the others stay where they are.
    ByBlock,
}

/// The blocks of `source`, for which there is this much room, and what is wrong with it.
pub(super) fn document(source: &str, room: Room) -> (ThinVec<Node<'_>>, Vec<Diagnostic>) {
    let read = in_parts(source, PART, room, Rest::Whole, &|_| true);
    (read.blocks, read.diagnostics)
}

/// The same, but what a block at the top holds whose text `keep` does not want is dropped.
pub(super) fn document_where<'a>(source: &'a str, keep: &dyn Fn(&str) -> bool) -> Partly<'a> {
    in_parts(source, PART, Room::of(MOST_EDITED), Rest::ByBlock, keep)
}

/// The blocks of `source`, of which CommonMark is given parts that are at least so long.
pub(super) fn in_parts<'a>(
    source: &'a str,
    least: usize,
    room: Room,
    rest: Rest,
    keep: &dyn Fn(&str) -> bool,
) -> Partly<'a> {
    let prepared = prepare::document(source, room);
    let parts = Parts::of(&prepared.text, least);
    let definitions = Definitions::of(&prepared.text, &parts.defining);
    blocks::read(&prepared, parts.ranges, &definitions.names(), rest, keep)
}

/// What CommonMark finds in a part of a text, with its places in all of it.
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

/// How long the parts of `text` are. For tests.
#[cfg(test)]
pub(super) fn part_lengths(text: &str) -> Vec<usize> {
    Parts::of(text, PART).ranges.into_iter().map(|it| it.len()).collect()
}

/// What CommonMark finds in a short text.
fn parser(text: &str) -> OffsetIter<'_> {
    Parser::new_ext(text, OPTIONS).into_offset_iter()
}
