//! The Markdown somebody edited, of which only that is held which is not as it was.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use thin_vec::ThinVec;

use super::Entry;
use super::pieces::number;
use crate::document::{mark, moved};
use crate::format::Format;
use crate::markdown::Partly;
use crate::tree::Node;

/// The edited Markdown. A block that stood in it before the edit, word for word, is mostly copied, and what it holds is not asked for.
pub(super) struct Edited<'e> {
    pub(super) source: &'e str,
    pub(super) read: Partly<'e>,
    /// Its blocks with all they hold, once somebody asks for one that stood there before.
    whole: OnceCell<ThinVec<Node<'e>>>,
}

impl<'e> Edited<'e> {
    pub(super) fn read(source: &'e str, entries: &[Entry]) -> Self {
        let known: BTreeSet<u64> = entries.iter().flat_map(|it| &it.markdown).map(|it| number(it)).collect();
        let read = blocks_where(source, &|it| !known.contains(&number(it)));
        Self { source, read, whole: OnceCell::new() }
    }

    /// How many blocks it has.
    pub(super) fn len(&self) -> usize {
        self.read.blocks.len()
    }

    /// The text of the block of this number.
    pub(super) fn text(&self, at: usize) -> &'e str {
        self.read.blocks[at].span.of(self.source)
    }

    /// The block of this number, with all it holds.
    pub(super) fn block(&self, at: usize) -> &Node<'e> {
        let block = &self.read.blocks[at];
        let first = self.read.bare.partition_point(|it| *it < block.span.start);
        if self.read.bare.get(first).is_none_or(|it| *it >= block.span.end) {
            return block;
        }
        &self.whole.get_or_init(|| blocks_where(self.source, &|_| true).blocks)[at]
    }
}

/// The blocks of a text that may begin with a byte order mark.
fn blocks_where<'e>(source: &'e str, keep: &dyn Fn(&str) -> bool) -> Partly<'e> {
    let mark = mark(Format::EDITED, source);
    let mut read = crate::markdown::blocks_where(&source[mark..], keep);
    moved(mark, &mut read.blocks, &mut read.diagnostics);
    read.bare.iter_mut().for_each(|it| *it += mark as u32);
    read
}
