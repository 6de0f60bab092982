//! Says which entries of a sidecar the blocks of the edited Markdown are.
//!
//! In: the entries, and the blocks of the Markdown. Out: for each block, in order, whether it is an unchanged
//! entry, an edited one, a moved one, or new.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::edited::Edited;
use super::{Sidecar, SidecarError};
use crate::compare::similarity;
use crate::matching::{Match, matches};
use crate::tree::{Kind, Node};

/// A part of the restored source: an entry of the sidecar, given by its index, or a new block.
pub(super) enum Piece {
    /// An entry whose Markdown is unchanged.
    Copied { entry: usize, is_moved: bool },
    /// An entry whose Markdown changed, with its blocks in the edited Markdown.
    Edited { entry: usize, blocks: Vec<Block>, is_moved: bool },
    /// A new block: its index in the edited Markdown.
    New(usize),
}

/// A block of the edited Markdown.
pub(super) struct Block {
    /// The index of the block in the edited Markdown.
    pub(super) at: usize,
    /// The index among the Markdown blocks before the edit, if that block has the same text.
    was: Option<usize>,
}

/// The Markdown of an empty paragraph.
const EMPTY: &str = "<!-- empty paragraph -->";

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
        let (a, b) = (numbers(&mut old.iter().map(|it| it.1)), numbers(&mut new.iter().copied()));
        let found = matches(&a, &b, score);
        let belongs = |(j, it): (usize, &Option<Match>)| {
            it.is_some_and(|it| it.is_equal || similarity(&single(old[it.at].1), &single(new[j])) > SAME)
        };
        let is_other = || !found.iter().enumerate().any(belongs) && !have_common(&old, &new);
        if old.len() > 1 && !new.is_empty() && is_other() {
            return Err(SidecarError::OtherDocument);
        }
        let first = old.iter().enumerate().rev().map(|(at, it)| (it.0, at)).collect();
        Ok(self.gathered(&found, &|at| old[at].0, &first, &|at| new[at].trim()))
    }

    /// Returns the pieces for `found`, the match of each block of the edited Markdown among those before the edit. `entry`
    /// returns the entry of a block before the edit, and `first` has the first block of each entry. Entries that the edit
    /// removed are in no piece.
    fn gathered<'e>(
        &self,
        found: &[Option<Match>],
        entry: &dyn Fn(usize) -> usize,
        first: &BTreeMap<usize, usize>,
        new: &dyn Fn(usize) -> &'e str,
    ) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut next = 0; // the next entry
        let mut used = BTreeSet::new();
        let later = later(found, entry);
        for (at, it) in found.iter().enumerate() {
            let own = it.map(|it| entry(it.at));
            let block =
                |is_own: bool| Block { at, was: it.filter(|it| is_own && it.is_equal).map(|it| it.at) };
            if let Some(Piece::Edited { entry, blocks, .. }) = pieces.last_mut()
                // What stands between two blocks of one entry belongs to the entry.
                && (own == Some(*entry) || later[at] == Some(*entry))
            {
                blocks.push(block(own == Some(*entry)));
                continue;
            }
            match (it, own) {
                (Some(it), Some(entry)) if used.insert(entry) => {
                    if !it.is_moved {
                        self.unseen(&mut next, entry, &mut pieces);
                        next = entry + 1;
                    }
                    pieces.push(Piece::Edited { entry, blocks: vec![block(true)], is_moved: it.is_moved });
                }
                _ if new(at) == EMPTY && self.entries.get(next).is_some_and(|it| it.markdown.is_empty()) => {
                    // The edit says an empty line that the Markdown left out.
                    pieces.push(Piece::Copied { entry: next, is_moved: false });
                    next += 1;
                }
                _ => pieces.push(Piece::New(at)),
            }
        }
        self.unseen(&mut next, self.entries.len(), &mut pieces);
        pieces.into_iter().map(|it| self.whole(it, first)).collect()
    }

    /// Turns an edited entry into a copied one if all its Markdown blocks are unchanged.
    fn whole(&self, piece: Piece, first: &BTreeMap<usize, usize>) -> Piece {
        match piece {
            Piece::Edited { entry, blocks, is_moved }
                if blocks.len() == self.entries[entry].markdown.len()
                    && blocks
                        .iter()
                        .enumerate()
                        .all(|(n, it)| it.was == first.get(&entry).map(|at| at + n)) =>
            {
                Piece::Copied { entry, is_moved }
            }
            piece => piece,
        }
    }

    /// Looks at the entries from the index `next` up to `until`, which is excluded, and adds those without
    /// Markdown to `pieces` as copied: they stay where they were. Sets `next` to `until`, if that is larger.
    fn unseen(&self, next: &mut usize, until: usize, pieces: &mut Vec<Piece>) {
        while *next < until {
            if self.entries[*next].markdown.is_empty() {
                pieces.push(Piece::Copied { entry: *next, is_moved: false });
            }
            *next += 1;
        }
    }
}

/// Returns the indices of the entries that are in no piece, because the edit removed them.
pub(super) fn left(sidecar: &Sidecar, pieces: &[Piece]) -> BTreeSet<usize> {
    let kept = |it: &Piece| match it {
        Piece::Copied { entry, .. } | Piece::Edited { entry, .. } => Some(*entry),
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

/// Returns whether the texts before and after the edit have enough words in common to belong together. Called
/// if no block of the one belongs to a block of the other.
fn have_common(old: &[(usize, &str)], new: &[&str]) -> bool {
    let words = |texts: &mut dyn Iterator<Item = &str>| {
        let text: Vec<String> = texts.map(str::to_owned).collect();
        text.iter().flat_map(|it| it.split_whitespace()).map(number).collect::<BTreeSet<u64>>()
    };
    let (old, new) = (words(&mut old.iter().map(|it| it.1)), words(&mut new.iter().copied()));
    old.intersection(&new).count() * 100 > old.len().max(new.len()) * SAME as usize
}

/// Returns, for each block of the edited Markdown, the entry of the next block from there on that stands in its old order.
fn later(found: &[Option<Match>], entry: &dyn Fn(usize) -> usize) -> Vec<Option<usize>> {
    let mut next = None;
    let step = |it: &Option<Match>| {
        if let Some(it) = it.filter(|it| !it.is_moved) {
            next = Some(entry(it.at));
        }
        next
    };
    let mut all: Vec<Option<usize>> = found.iter().rev().map(step).collect();
    all.reverse();
    all
}

/// Returns a hash of a text.
pub(super) fn number(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
