//! Finds out whether the edited Markdown was cut off, as a model does that reaches the limit of its answer.

use super::edited::Edited;
use super::pieces::{Piece, left};
use super::{Conflict, Sidecar};
use crate::compare::shortened;

/// The share of the Markdown, in percent, below which a missing end may be what an author deleted.
const SHARE: usize = 10;

impl Sidecar {
    /// Returns a conflict if the end of the text is missing and it looks cut off: the text ends in the middle of a block, or
    /// the edit changed nothing else and several blocks are missing.
    pub(super) fn cut_off(&self, pieces: &[Piece], edited: &Edited<'_>) -> Option<Conflict> {
        let gone = left(self, pieces);
        let is_there = |entry: &usize| !gone.contains(entry) && !self.entries[*entry].markdown.is_empty();
        let last = (0..self.entries.len()).rev().find(is_there)?;
        let missing: Vec<usize> = (last + 1..self.entries.len()).filter(|it| gone.contains(it)).collect();
        let first = *missing.first()?;
        let size = |entries: &mut dyn Iterator<Item = usize>| -> usize {
            entries.flat_map(|it| &self.entries[it].markdown).map(String::len).sum()
        };
        let share = 100 * size(&mut missing.iter().copied()) / size(&mut (0..self.entries.len())).max(1);
        let is_end = edited.len().checked_sub(1).map(|it| edited.text(it).trim_end());
        let is_in_block = is_end.is_some_and(|end| {
            let old = self.entries[last].markdown.last().map_or("", |it| it.trim_end());
            old.len() > end.len() && old.starts_with(end)
        });
        let is_all = pieces.iter().all(|it| matches!(it, Piece::Copied { is_moved: false, .. }));
        let is_cut = is_in_block || is_all && missing.len() > 1 && share >= SHARE;
        let begin =
            self.entries[first].markdown.first().map_or("", |it| it.lines().next().unwrap_or_default());
        let blocks =
            if missing.len() == 1 { "1 block".to_owned() } else { format!("{} blocks", missing.len()) };
        is_cut.then(|| Conflict {
            what: format!("rest of the text ({blocks}, from {:?} on)", shortened(begin)),
            block: if is_in_block { last } else { first },
        })
    }
}
