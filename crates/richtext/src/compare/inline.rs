//! Sibling inline nodes as one sequence of units: characters, and nodes that are not text. The sequence does
//! not depend on how the text is split into nodes.

use std::ops::{Deref, Range};

use super::print::{marks, print};
use super::shortened;
use crate::align::Hunk;
use crate::loss::LossKind;
use crate::tree::{Kind, Node};

/// A character of a text node, or an inline node that is not text. Every character has its own unit, so a
/// unit is small: data that all characters of a node have in common is in [`Units`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    /// The character; `None` for a node that is not text.
    pub(crate) char: Option<char>,
    node: u32,
    offset: u32,
}

impl Unit {
    /// Returns the index of the unit's node among its siblings.
    pub(crate) fn node(self) -> usize {
        self.node as usize
    }

    /// Returns the byte offset of the character in its node's text; 0 if the unit is not a character.
    pub(crate) fn offset(self) -> usize {
        self.offset as usize
    }
}

/// The units (characters, and nodes that are not text) of sibling inline nodes.
pub(crate) struct Units {
    all: Vec<Unit>,
    /// A hash for each of the sibling nodes: of the marks for a text node, of all content for any other node.
    numbers: Vec<u64>,
}

impl Units {
    /// Returns the units of the sibling inline nodes `nodes`.
    pub(crate) fn of(nodes: &[Node<'_>]) -> Self {
        let number = |it: &Node<'_>| if it.kind == Kind::Text { marks(&it.marks) } else { print(it) };
        let count = |it: &Node<'_>| if it.kind == Kind::Text { it.text.chars().count() } else { 1 };
        let mut all = Vec::with_capacity(nodes.iter().map(count).sum());
        for (at, node) in nodes.iter().enumerate() {
            let unit = |char, offset| Unit { char, node: at as u32, offset: offset as u32 };
            if node.kind == Kind::Text {
                all.extend(node.text.char_indices().map(|(offset, it)| unit(Some(it), offset)));
            } else {
                all.push(unit(None, 0));
            }
        }
        Self { all, numbers: nodes.iter().map(number).collect() }
    }

    /// Returns a hash of the marks of `unit`, which must be a character.
    pub(crate) fn marks(&self, unit: Unit) -> u64 {
        self.numbers[unit.node()]
    }

    /// Returns a hash of a unit: of its character and marks, or of its node. Units with equal content have
    /// equal hashes.
    fn id(&self, unit: &Unit) -> u64 {
        let number = self.numbers[unit.node()];
        match unit.char {
            Some(char) => mixed(number ^ u64::from(char).wrapping_add(1).wrapping_mul(SPREAD)),
            None => number,
        }
    }

    fn ids(&self, range: Range<usize>) -> Vec<u64> {
        self.all[range].iter().map(|it| self.id(it)).collect()
    }
}

impl Deref for Units {
    type Target = [Unit];

    fn deref(&self) -> &[Unit] {
        &self.all
    }
}

/// An odd number without a pattern in its bits, from the golden ratio. Multiplying by it spreads the bits of
/// a hash.
pub(super) const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns `number` with its bits mixed by the last step of the generator SplitMix64. Different numbers give
/// different results.
pub(super) fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A difference between two sequences of units: where the first has `ours`, the second has `theirs`. One of
/// the two may be empty.
pub(super) struct Change<'u> {
    pub(super) ours: &'u [Unit],
    pub(super) theirs: &'u [Unit],
}

/// Returns the differences between two sequences of units, in order.
pub(super) fn changes<'u>(ours: &'u Units, theirs: &'u Units) -> Vec<Change<'u>> {
    hunks(ours, theirs).into_iter().map(|(a, b)| Change { ours: &ours[a], theirs: &theirs[b] }).collect()
}

/// Returns the ranges in which two sequences of units differ, in order. Units between the ranges are equal.
pub(crate) fn hunks(ours: &Units, theirs: &Units) -> Vec<Hunk> {
    // Usually little differs, so hashes are only listed for the units between the equal beginnings and the
    // equal ends.
    let same = |it: &(&Unit, &Unit)| ours.id(it.0) == theirs.id(it.1);
    let start = ours.iter().zip(theirs.iter()).take_while(same).count();
    let end = ours[start..].iter().rev().zip(theirs[start..].iter().rev()).take_while(same).count();
    let (a, b) = (ours.ids(start..ours.len() - end), theirs.ids(start..theirs.len() - end));
    let moved = |it: Range<usize>| it.start + start..it.end + start;
    crate::align::hunks(&a, &b).into_iter().map(|it| (moved(it.0), moved(it.1))).collect()
}

impl Change<'_> {
    /// Returns the two nodes if the change replaces one node that is not text by another of its kind.
    pub(super) fn objects<'n, 'a, 'b>(
        &self,
        ours: &'n [Node<'a>],
        theirs: &'n [Node<'b>],
    ) -> Option<(&'n Node<'a>, &'n Node<'b>)> {
        let ([a], [b]) = (self.ours, self.theirs) else { return None };
        let (a_node, b_node) = (&ours[a.node()], &theirs[b.node()]);
        (a.char.is_none() && b.char.is_none() && a_node.kind == b_node.kind).then_some((a_node, b_node))
    }

    /// Returns [`LossKind::Attribute`] if only the marks of text differ, otherwise [`LossKind::Content`].
    pub(super) fn kind(&self) -> LossKind {
        let chars = |units: &[Unit]| units.iter().map(|it| it.char).collect::<Vec<_>>();
        let only_text = self.ours.iter().all(|it| it.char.is_some());
        let same = only_text && chars(self.ours) == chars(self.theirs);
        if same { LossKind::Attribute } else { LossKind::Content }
    }

    /// Returns the message for the change: the expected units and those found.
    pub(super) fn shown(&self, ours: &[Node<'_>], theirs: &[Node<'_>]) -> String {
        // Beside a node, text is called so: a date and its text look alike.
        let has_node = [self.ours, self.theirs].iter().any(|it| it.iter().any(|it| it.char.is_none()));
        let described = |units, nodes| described(units, nodes, if has_node { "text " } else { "" });
        format!("expected {}, but found {}", described(self.ours, ours), described(self.theirs, theirs))
    }
}

fn described(units: &[Unit], nodes: &[Node<'_>], of_text: &str) -> String {
    let Some(first) = units.first() else { return "nothing".to_owned() };
    let text: String = units.iter().filter_map(|it| it.char).collect();
    let marks: Vec<&str> = nodes[first.node()].marks.iter().map(crate::tree::Mark::name).collect();
    let marked = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    match units.iter().find(|it| it.char.is_none()) {
        Some(object) => {
            let node = &nodes[object.node()];
            let text = if text.is_empty() { super::name(node).unwrap_or_default() } else { text };
            format!("{} {:?}", node.kind.shown(), shortened(&text))
        }
        None => format!("{of_text}{:?}{marked}", shortened(&text)),
    }
}
