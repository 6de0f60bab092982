//! How many nodes a reader may make.

use std::cell::Cell;

use super::MAX_NODES;
use super::span::Span;
use crate::diagnostic::Diagnostic;

/// Room for the nodes of a document. A reader takes of it for each node, and where it is full keeps what follows as it was written.
pub(crate) struct Room {
    most: usize,
    left: Cell<usize>,
    /// Whether there was none for something that is being read.
    over: Cell<bool>,
    /// Where the first thing begins for which there was none.
    refused: Cell<Option<usize>>,
}

impl Default for Room {
    fn default() -> Self {
        Self::of(MAX_NODES)
    }
}

impl Room {
    /// Room for `most` nodes.
    pub(crate) fn of(most: usize) -> Self {
        Self { most, left: Cell::new(most), over: Cell::new(false), refused: Cell::new(None) }
    }

    /// Takes room for `nodes` that were made.
    pub(crate) fn take(&self, nodes: usize) {
        self.left.set(self.left.get().saturating_sub(nodes));
    }

    /// Gives back what was taken since this much was left, of nodes that are no more.
    pub(crate) fn give_back(&self, left: usize) {
        self.left.set(left);
        self.over.set(false);
    }

    /// How many nodes there is room for.
    pub(crate) fn left(&self) -> usize {
        self.left.get()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.left.get() == 0
    }

    /// Notes that there was no room for what begins at `at`.
    pub(crate) fn refuse(&self, at: usize) {
        self.left.set(0);
        self.over.set(true);
        self.refused.set(Some(self.refused.get().map_or(at, |it| it.min(at))));
    }

    /// Whether what begins at `at` was the first thing there was no room for.
    pub(crate) fn ended_at(&self, at: usize) -> bool {
        self.refused.get() == Some(at)
    }

    /// Whether there was no room for something that is being read.
    pub(crate) fn has_refused(&self) -> bool {
        self.over.get()
    }

    /// What is to be said of that, once for a document.
    pub(crate) fn diagnostic(&self) -> Option<Diagnostic> {
        let found = format!(
            "expected at most {} nodes, but found more: what follows is kept as it was written",
            self.most
        );
        self.refused.get().map(|at| Diagnostic::new(Span::at(at), found))
    }
}
