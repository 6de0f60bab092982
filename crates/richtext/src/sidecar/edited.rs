//! The edited Markdown, of which usually only changed blocks are kept with their children.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use thin_vec::ThinVec;

use super::Entry;
use super::pieces::number;
use crate::document::{mark, moved};
use crate::format::Format;
use crate::loss::{Loss, MAX_LOSSES, take_losses};
use crate::markdown::{Partly, join_code};
use crate::tree::Node;

/// The edited Markdown. A block whose text was in the Markdown before the edit is usually copied, so its
/// children are not kept.
pub(super) struct Edited<'e> {
    /// The text of the edited Markdown.
    pub(super) source: &'e str,
    /// The blocks of the edited Markdown. Unchanged ones may lack their children.
    pub(super) read: Partly<'e>,
    /// All blocks with their children. They are read when the children of an unchanged block are first
    /// needed.
    whole: OnceCell<ThinVec<Node<'e>>>,
    /// The hashes of the Markdown blocks before the edit.
    known: BTreeSet<u64>,
}

impl<'e> Edited<'e> {
    pub(super) fn read(source: &'e str, entries: &[Entry]) -> Self {
        let known: BTreeSet<u64> = entries.iter().flat_map(|it| &it.markdown).map(|it| number(it)).collect();
        let mut read = blocks_where(source, &|it| !known.contains(&number(it)));
        join_code(&mut read.blocks);
        Self { source, read, whole: OnceCell::new(), known }
    }

    /// Moves the losses out of the diagnostics, and returns them; without those in blocks that the edit left as they were.
    pub(super) fn take_losses(&mut self) -> Vec<Loss> {
        let mut losses = take_losses(&mut self.read.diagnostics);
        let is_known = |loss: &Loss| {
            let after = self.read.blocks.partition_point(|it| it.span.start <= loss.span.start);
            let block = after.checked_sub(1).map(|it| &self.read.blocks[it]);
            block.is_some_and(|it| {
                it.span.holds(loss.span) && self.known.contains(&number(it.span.of(self.source)))
            })
        };
        losses.retain(|it| !is_known(it));
        losses.truncate(MAX_LOSSES);
        losses
    }

    /// Returns the number of blocks in the edited Markdown.
    pub(super) fn len(&self) -> usize {
        self.read.blocks.len()
    }

    /// Returns the text of the block with the index `at` in the edited Markdown.
    pub(super) fn text(&self, at: usize) -> &'e str {
        self.read.blocks[at].span.of(self.source)
    }

    /// Returns the block with the index `at` in the edited Markdown, with its children.
    pub(super) fn block(&self, at: usize) -> &Node<'e> {
        let block = &self.read.blocks[at];
        let first = self.read.bare.partition_point(|it| *it < block.span.start);
        if self.read.bare.get(first).is_none_or(|it| *it >= block.span.end) {
            return block;
        }
        &self.whole.get_or_init(|| blocks_where(self.source, &|_| true).blocks)[at]
    }
}

/// Reads the blocks of a text that may begin with a byte order mark. `keep` gets the text of a block; blocks
/// for which it returns `false` may lack their children.
fn blocks_where<'e>(source: &'e str, keep: &dyn Fn(&str) -> bool) -> Partly<'e> {
    let mark = mark(Format::EDITED, source);
    let mut read = crate::markdown::blocks_where(&source[mark..], keep);
    moved(mark, &mut read.blocks, &mut read.diagnostics);
    read.bare.iter_mut().for_each(|it| *it += mark as u32);
    read
}
