//! Which nodes stand in which, and with which marks: the schema as the writer needs it.

use super::content::MODELS;
use crate::tree::{Kind, MarkKind};

/// What a kind of node holds.
pub(in crate::adf) struct Model {
    /// How many it has to hold.
    pub(in crate::adf) least: usize,
    /// The kinds it may hold; with each, the sets of marks of which it may have one.
    pub(in crate::adf) children: &'static [(Kind, &'static [&'static [MarkKind]])],
}

impl Model {
    /// What `kind` holds, `None` being the document; nothing if the schema does not know it.
    pub(in crate::adf) fn of(kind: Option<Kind>) -> Option<&'static Self> {
        let index = kind.map_or(0, |it| it as usize + 1);
        let known = INDEX.get(index).copied().unwrap_or(u8::MAX);
        MODELS.get(known as usize).map(|it| &it.1)
    }

    /// Whether it may hold such a node.
    pub(in crate::adf) fn allows(&self, child: Kind) -> bool {
        self.children.iter().any(|it| it.0 == child)
    }

    /// The sets of marks of which such a child may have one.
    pub(in crate::adf) fn marks(&self, child: Kind) -> &'static [&'static [MarkKind]] {
        self.children.iter().find(|it| it.0 == child).map_or(&[], |it| it.1)
    }
}

/// Where in the table the model of each kind is, so that asking costs nothing.
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
