//! A limit on the number of nodes that a reader makes.

use std::cell::Cell;

use super::MAX_NODES;
use super::span::Span;
use crate::diagnostic::Diagnostic;

/// The number of nodes that a reader may still make for a document. The reader lowers the number for each
/// node; once the number is 0, the reader keeps the remaining source raw.
pub(crate) struct NodeLimit {
    /// The limit for the whole document, in nodes.
    most: usize,
    /// The number of nodes that may still be made.
    left: Cell<usize>,
    /// True if the limit stopped the construct that is being read.
    over: Cell<bool>,
    /// The smallest byte offset of a construct that the limit stopped; `None` if it stopped none.
    refused: Cell<Option<usize>>,
}

impl Default for NodeLimit {
    fn default() -> Self {
        Self::of(MAX_NODES)
    }
}

impl NodeLimit {
    /// Creates a limit of `most` nodes.
    pub(crate) fn of(most: usize) -> Self {
        Self { most, left: Cell::new(most), over: Cell::new(false), refused: Cell::new(None) }
    }

    /// Lowers the number of nodes that may still be made by the number `nodes`, but not below 0.
    pub(crate) fn take(&self, nodes: usize) {
        self.left.set(self.left.get().saturating_sub(nodes));
    }

    /// Sets the number of nodes that may still be made to `left`, its value at an earlier moment, because the
    /// nodes made since then were discarded. Also forgets that the limit stopped the current construct.
    pub(crate) fn give_back(&self, left: usize) {
        self.left.set(left);
        self.over.set(false);
    }

    /// Returns how many nodes may still be made.
    pub(crate) fn left(&self) -> usize {
        self.left.get()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.left.get() == 0
    }

    /// Records that the limit stopped the construct at the byte offset `at`. No further node may be made,
    /// until [`give_back`](Self::give_back) is called.
    pub(crate) fn refuse(&self, at: usize) {
        self.left.set(0);
        self.over.set(true);
        self.refused.set(Some(self.refused.get().map_or(at, |it| it.min(at))));
    }

    /// Returns whether the construct at the byte offset `at` is the first that the limit stopped.
    pub(crate) fn ended_at(&self, at: usize) -> bool {
        self.refused.get() == Some(at)
    }

    /// Returns whether the limit stopped the construct that is being read.
    pub(crate) fn has_refused(&self) -> bool {
        self.over.get()
    }

    /// Returns the diagnostic for a document that reached the limit; `None` if the limit stopped nothing.
    pub(crate) fn diagnostic(&self) -> Option<Diagnostic> {
        let found =
            format!("expected at most {} nodes, but found more: the rest is kept as raw source", self.most);
        self.refused.get().map(|at| Diagnostic::new(Span::at(at), found))
    }
}
