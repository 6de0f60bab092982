//! Content models: the children that each kind of node may have, and the marks of these children, in the form
//! that the writer needs.

use super::content::MODELS;
use crate::tree::{Kind, MarkKind};

/// The content model of a node kind: the children that the schema allows in it.
pub(in crate::adf) struct Model {
    /// The smallest number of children that the schema allows.
    pub(in crate::adf) least: usize,
    /// The kinds allowed as children, each with its allowed sets of marks. All marks of a child must be from
    /// one of these sets.
    pub(in crate::adf) children: &'static [(Kind, &'static [&'static [MarkKind]])],
}

impl Model {
    /// Returns the content model of `kind`, or of the document if `kind` is `None`. Returns `None` if the
    /// schema has no model for `kind`.
    pub(in crate::adf) fn of(kind: Option<Kind>) -> Option<&'static Self> {
        let index = kind.map_or(0, |it| it as usize + 1);
        let known = INDEX.get(index).copied().unwrap_or(u8::MAX);
        MODELS.get(known as usize).map(|it| &it.1)
    }

    /// Returns whether nodes of the kind `child` are allowed as children.
    pub(in crate::adf) fn allows(&self, child: Kind) -> bool {
        self.children.iter().any(|it| it.0 == child)
    }

    /// Returns the sets of marks allowed on a child of the kind `child`: all marks of the child must be from
    /// one of these sets. Empty if no such child is allowed.
    pub(in crate::adf) fn marks(&self, child: Kind) -> &'static [&'static [MarkKind]] {
        self.children.iter().find(|it| it.0 == child).map_or(&[], |it| it.1)
    }
}

/// The index in [`MODELS`] of the row for each kind, at the number of the kind plus 1; at 0, the index of the
/// row for the document. `u8::MAX` for a kind without a row. Saves a search in each lookup.
static INDEX: [u8; 64] = index();

const fn index() -> [u8; 64] {
    let mut index = [u8::MAX; 64];
    let mut row = 0;
    while row < MODELS.len() {
        let place = match MODELS[row].0 {
            Some(kind) => kind as usize + 1,
            None => 0,
        };
        index[place] = row as u8;
        row += 1;
    }
    index
}
