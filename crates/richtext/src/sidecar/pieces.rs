//! Matches the entries of a sidecar with the blocks of the edited Markdown.
//!
//! In: the entries, and the blocks of the Markdown. Out: for each block, in order, whether it is an unchanged
//! entry, an edited one, a moved one, or new.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::edited::Edited;
use super::{Sidecar, SidecarError};
use crate::align::{Op, align};
use crate::compare::similarity;
use crate::tree::{Kind, Node};

/// A part of the restored source: an entry of the sidecar, given by its index, or a new block.
pub(super) enum Piece {
    /// An entry whose Markdown is unchanged, in its old order. The value is the index of the entry.
    Copied(usize),
    /// An entry whose Markdown changed: the index of the entry, and its blocks in the edited Markdown.
    Edited(usize, Vec<Block>),
    /// An entry whose Markdown is at another position now: the index of the entry, and its block in the
    /// edited Markdown.
    Moved(usize, Block),
    /// A new block: its index in the edited Markdown.
    New(usize),
}

/// A block of the edited Markdown.
pub(super) struct Block {
    /// The index of the block in the edited Markdown.
    pub(super) at: usize,
    /// Whether the block has the text that it had before the edit.
    pub(super) kept: bool,
}

/// The most pairs of a removed entry and a new block for which moved and edited blocks are searched. If there
/// are more pairs, none is compared.
const MAX_PAIRS: usize = 10_000;

/// The share of common words, in percent, above which a new block counts as the moved and edited version of a
/// removed block.
const MOVED: u32 = 60;

/// The share of common words, in percent, above which a block or document counts as the edited version of the
/// original one.
const SAME: u32 = 30;

impl Sidecar {
    /// Returns, in order, the entries that are still in the edited Markdown, the entries that never had
    /// Markdown, and the new blocks.
    ///
    /// # Errors
    ///
    /// [`SidecarError::OtherDocument`] if the Markdown has almost nothing in common with the sidecar.
    pub(super) fn pieces(&self, edited: &Edited<'_>) -> Result<Vec<Piece>, SidecarError> {
        let old: Vec<(usize, &str)> = self
            .entries
            .iter()
            .enumerate()
            .flat_map(|(at, it)| it.markdown.iter().map(move |it| (at, it.as_str())))
            .collect();
        let new: Vec<&str> = (0..edited.len()).map(|it| edited.text(it)).collect();
        let numbers = |texts: &mut dyn Iterator<Item = &str>| texts.map(number).collect::<Vec<u64>>();
        let before: RefCell<BTreeMap<usize, Node<'_>>> = RefCell::default();
        let score = |i: usize, j: usize| {
            let mut cached = before.borrow_mut();
            let node = cached.entry(i).or_insert_with(|| single(old[i].1));
            similarity(node, edited.block(j))
        };
        let ops = align(&numbers(&mut old.iter().map(|it| it.1)), &numbers(&mut new.iter().copied()), score);
        let is_other = || !ops.iter().any(|it| belongs(it, &old, &new)) && !have_common(&old, &new);
        if old.len() > 1 && !new.is_empty() && is_other() {
            return Err(SidecarError::OtherDocument);
        }
        let mut pieces = self.gathered(&ops, &old);
        self.find_moved(&mut pieces, edited);
        Ok(pieces)
    }

    /// Returns the pieces for `ops`, the alignment of the Markdown blocks before and after the edit. `old`
    /// has, for each block before the edit, the index of its entry and its text. Entries that the edit
    /// removed are in no piece.
    fn gathered(&self, ops: &[Op], old: &[(usize, &str)]) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut next = 0; // the next entry
        let later = later(ops, old);
        for (at, op) in ops.iter().enumerate() {
            match *op {
                Op::Keep(i, j) | Op::Pair(i, j) => {
                    self.unseen(&mut next, old[i].0, &mut pieces);
                    let block = Block { at: j, kept: matches!(op, Op::Keep(..)) };
                    match pieces.last_mut() {
                        Some(Piece::Edited(entry, blocks)) if *entry == old[i].0 => blocks.push(block),
                        _ => pieces.push(Piece::Edited(old[i].0, vec![block])),
                    }
                    next = old[i].0 + 1;
                }
                Op::Insert(j) => {
                    // A new block between two blocks of one entry belongs to the entry.
                    match pieces.last_mut() {
                        Some(Piece::Edited(entry, blocks)) if later[at] == Some(*entry) => {
                            blocks.push(Block { at: j, kept: false })
                        }
                        _ => pieces.push(Piece::New(j)),
                    }
                }
                Op::Delete(_) => {}
            }
        }
        self.unseen(&mut next, self.entries.len(), &mut pieces);
        pieces.into_iter().map(|it| self.whole(it)).collect()
    }

    /// Turns an edited entry into a copied one if all its Markdown blocks are unchanged.
    fn whole(&self, piece: Piece) -> Piece {
        match piece {
            Piece::Edited(entry, blocks)
                if blocks.len() == self.entries[entry].markdown.len() && blocks.iter().all(|it| it.kept) =>
            {
                Piece::Copied(entry)
            }
            piece => piece,
        }
    }

    /// Looks at the entries from the index `next` up to `until`, which is excluded, and adds those without
    /// Markdown to `pieces` as copied: they stay where they were. Sets `next` to `until`, if that is larger.
    fn unseen(&self, next: &mut usize, until: usize, pieces: &mut Vec<Piece>) {
        while *next < until {
            if self.entries[*next].markdown.is_empty() {
                pieces.push(Piece::Copied(*next));
            }
            *next += 1;
        }
    }

    /// Turns a new block into a moved entry if it is equal or similar to the Markdown of an entry that the
    /// edit removed from its position. Considers only entries with one Markdown block.
    fn find_moved(&self, pieces: &mut [Piece], edited: &Edited<'_>) {
        let mut left = left(self, pieces);
        left.retain(|it| self.entries[*it].markdown.len() == 1);
        let text = |entry: usize| self.entries[entry].markdown[0].as_str();
        let mut waiting: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        left.iter().rev().for_each(|at| waiting.entry(text(*at)).or_default().push(*at));
        for piece in pieces.iter_mut() {
            let Piece::New(at) = *piece else { continue };
            if let Some(entry) = waiting.get_mut(edited.text(at)).and_then(Vec::pop) {
                left.remove(&entry);
                *piece = Piece::Moved(entry, Block { at, kept: true });
            }
        }
        let new = pieces.iter().filter(|it| matches!(it, Piece::New(_))).count();
        if left.len().saturating_mul(new) > MAX_PAIRS {
            return;
        }
        let mut gone: Vec<(usize, Node<'_>)> = left.iter().map(|it| (*it, single(text(*it)))).collect();
        for piece in pieces.iter_mut() {
            let Piece::New(at) = *piece else { continue };
            let alike = |it: &(usize, Node<'_>)| similarity(&it.1, edited.block(at));
            let best = (0..gone.len()).max_by_key(|it| alike(&gone[*it]));
            if let Some(best) = best.filter(|it| alike(&gone[*it]) > MOVED) {
                *piece = Piece::Moved(gone.remove(best).0, Block { at, kept: false });
            }
        }
    }
}

/// Returns the indices of the entries that are in no piece, because the edit removed them.
pub(super) fn left(sidecar: &Sidecar, pieces: &[Piece]) -> BTreeSet<usize> {
    let kept = |it: &Piece| match it {
        Piece::Copied(entry) | Piece::Edited(entry, _) | Piece::Moved(entry, _) => Some(*entry),
        Piece::New(_) => None,
    };
    let kept: BTreeSet<usize> = pieces.iter().filter_map(kept).collect();
    (0..sidecar.entries.len()).filter(|it| !kept.contains(it)).collect()
}

/// Returns the only block of a Markdown text. A text with another number of blocks becomes a raw block.
fn single(markdown: &str) -> Node<'_> {
    let mut blocks = crate::markdown::blocks_where(markdown, &|_| true).blocks;
    match blocks.len() {
        1 => blocks.remove(0),
        _ => Node::raw(Kind::RawBlock, "markdown", markdown),
    }
}

/// Returns whether the step `op` of the alignment shows that the Markdown belongs to the sidecar: it keeps a
/// block, or pairs two similar blocks. `old` has the index of the entry and the text of each block before the
/// edit, `new` the texts after it.
fn belongs(op: &Op, old: &[(usize, &str)], new: &[&str]) -> bool {
    match op {
        Op::Keep(..) => true,
        Op::Pair(i, j) => {
            let (was, is) = (single(old[*i].1), single(new[*j]));
            similarity(&was, &is) > SAME
        }
        Op::Delete(_) | Op::Insert(_) => false,
    }
}

/// Returns whether the texts before and after the edit have enough words in common to belong together. Called
/// if [`belongs`] is false for all steps.
fn have_common(old: &[(usize, &str)], new: &[&str]) -> bool {
    let words = |texts: &mut dyn Iterator<Item = &str>| {
        let text: Vec<String> = texts.map(str::to_owned).collect();
        text.iter().flat_map(|it| it.split_whitespace()).map(number).collect::<BTreeSet<u64>>()
    };
    let (old, new) = (words(&mut old.iter().map(|it| it.1)), words(&mut new.iter().copied()));
    old.intersection(&new).count() * 100 > old.len().max(new.len()) * SAME as usize
}

/// Returns an entry for each step: the entry of the old block that the step keeps or pairs. A step that does
/// neither has the entry of the step after it, and `None` at the end.
fn later(ops: &[Op], old: &[(usize, &str)]) -> Vec<Option<usize>> {
    let mut next = None;
    let step = |op: &Op| {
        if let Op::Keep(i, _) | Op::Pair(i, _) = op {
            next = Some(old[*i].0);
        }
        next
    };
    let mut all: Vec<Option<usize>> = ops.iter().rev().map(step).collect();
    all.reverse();
    all
}

/// Returns a hash of a text.
pub(super) fn number(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
