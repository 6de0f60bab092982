//! Text and what stands among it, as one sequence of units: however it is cut into nodes, the sequence is the same.

use std::ops::Range;

use super::print::{marks, object};
use super::shortened;
use crate::loss::LossKind;
use crate::tree::{Kind, Node};

/// A character with its marks, or something that is not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Equal for units that say the same.
    pub(crate) id: u64,
    /// The character; of anything else nothing.
    pub(crate) char: Option<char>,
    /// A number for its marks.
    pub(crate) marks: u64,
    /// Which of the nodes it is of.
    pub(crate) node: usize,
    /// The byte in the node's text.
    pub(crate) offset: usize,
}

/// The units of these siblings.
pub(crate) fn units(nodes: &[Node<'_>]) -> Vec<Unit> {
    let mut units = Vec::with_capacity(nodes.iter().map(|it| it.text.len().max(1)).sum());
    each(nodes, |it| units.push(it));
    units
}

/// Gives the units of these siblings, one after another.
pub(super) fn each(nodes: &[Node<'_>], mut take: impl FnMut(Unit)) {
    for (at, node) in nodes.iter().enumerate() {
        let marks = if node.marks.is_empty() { 0 } else { marks(&node.marks) };
        if node.kind != Kind::Text {
            take(Unit { id: object(node), char: None, marks, node: at, offset: 0 });
            continue;
        }
        for (offset, char) in node.text.char_indices() {
            let id = mixed(marks ^ u64::from(char).wrapping_add(1).wrapping_mul(SPREAD));
            take(Unit { id, char: Some(char), marks, node: at, offset });
        }
    }
}

/// An odd number without a pattern: the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number that looks nothing like `number`, and another for every one: a step of SplitMix64. There is one unit for every character,
/// and a hasher for each of them would take longer than all else.
pub(super) fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A place where two sequences differ.
pub(super) struct Change<'u> {
    pub(super) ours: &'u [Unit],
    pub(super) theirs: &'u [Unit],
}

/// Where they differ, in order.
pub(super) fn changes<'u>(ours: &'u [Unit], theirs: &'u [Unit]) -> Vec<Change<'u>> {
    hunks(ours, theirs).into_iter().map(|(a, b)| Change { ours: &ours[a], theirs: &theirs[b] }).collect()
}

/// The ranges that differ; what lies between them is equal.
pub(crate) fn hunks(ours: &[Unit], theirs: &[Unit]) -> Vec<(Range<usize>, Range<usize>)> {
    let ids = |units: &[Unit]| units.iter().map(|it| it.id).collect::<Vec<u64>>();
    crate::align::hunks(&ids(ours), &ids(theirs))
}

impl Change<'_> {
    /// The two nodes, if it is one thing against one of its kind.
    pub(super) fn objects<'n, 'a, 'b>(
        &self,
        ours: &'n [Node<'a>],
        theirs: &'n [Node<'b>],
    ) -> Option<(&'n Node<'a>, &'n Node<'b>)> {
        let ([a], [b]) = (self.ours, self.theirs) else { return None };
        let (a_node, b_node) = (&ours[a.node], &theirs[b.node]);
        (a.char.is_none() && b.char.is_none() && a_node.kind == b_node.kind).then_some((a_node, b_node))
    }

    /// Whether only marks differ.
    pub(super) fn kind(&self) -> LossKind {
        let chars = |units: &[Unit]| units.iter().map(|it| it.char).collect::<Vec<_>>();
        let only_text = self.ours.iter().all(|it| it.char.is_some());
        let same = only_text && chars(self.ours) == chars(self.theirs);
        if same { LossKind::Attribute } else { LossKind::Content }
    }

    pub(super) fn shown(&self, ours: &[Node<'_>], theirs: &[Node<'_>]) -> String {
        format!("expected {}, but found {}", described(self.ours, ours), described(self.theirs, theirs))
    }
}

fn described(units: &[Unit], nodes: &[Node<'_>]) -> String {
    let Some(first) = units.first() else { return "nothing".to_owned() };
    let text: String = units.iter().filter_map(|it| it.char).collect();
    let marks: Vec<&str> = nodes[first.node].marks.iter().map(crate::tree::Mark::name).collect();
    let marked = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    match units.iter().find(|it| it.char.is_none()) {
        Some(object) => format!("{} {:?}", nodes[object.node].kind.shown(), shortened(&text)),
        None => format!("{:?}{marked}", shortened(&text)),
    }
}
