//! Hashes of nodes by content: equal for nodes of equal content.

use super::attrs::{canonical, says};
use super::inline::{SPREAD, mixed};
use crate::tree::{Attr, Kind, Mark, Node};

/// Returns a hash of a node's content, without identifiers. Hashes of nodes with different content almost
/// surely differ.
pub(crate) fn print(node: &Node<'_>) -> u64 {
    prints(node).0
}

/// Like [`print()`], but without the marks of the node: a mention that becomes bold keeps its hash.
pub(crate) fn print_unmarked(node: &Node<'_>) -> u64 {
    unmarked(node, Mixer::default()).0
}

/// Returns the hash of [`print()`], and a hash that also depends on identifiers. The second leaves out
/// identifiers of text nodes, because text may be split into nodes anywhere.
pub(super) fn prints(node: &Node<'_>) -> (u64, u64) {
    let mut said = Mixer::default();
    said.number(marks(&node.marks));
    unmarked(node, said)
}

/// Hashes a node without its marks, starting from the hash state `said`. Returns the hashes without and with
/// identifiers.
fn unmarked(node: &Node<'_>, mut said: Mixer) -> (u64, u64) {
    said.number(node.kind as u64);
    said.number(attributes(&node.attrs, says));
    let mut all = Mixer(said.0 ^ attributes(&node.attrs, |it| !says(it)));
    if node.kind.holds_inlines() {
        let held = inlines(&node.children);
        said.number(held);
        all.number(held);
        let objects = node.children.iter().filter(|it| it.kind != Kind::Text);
        objects.for_each(|it| all.number(attributes(&it.attrs, |it| !says(it))));
    } else {
        said.text(&node.text);
        all.text(&node.text);
        for child in &node.children {
            let (of_child, all_of_child) = prints(child);
            said.number(of_child);
            all.number(all_of_child);
        }
    }
    (said.0, all.0)
}

/// Returns a hash of sibling inline nodes that does not depend on how their text is split into nodes.
pub(super) fn inlines(nodes: &[Node<'_>]) -> u64 {
    let mut all = Mixer::default();
    let mut last = None;
    for node in nodes {
        if node.kind != Kind::Text {
            last = None;
            all.number(print(node));
            continue;
        }
        if node.text.is_empty() {
            continue;
        }
        let marks = marks(&node.marks);
        if last.replace(marks) != Some(marks) {
            all.number(marks ^ SPREAD);
        }
        all.bytes(&node.text);
    }
    mixed(all.0)
}

/// Returns a hash of the attributes for which `counts` is true. Their order makes no difference.
fn attributes(attrs: &[Attr<'_>], counts: impl Fn(&Attr<'_>) -> bool) -> u64 {
    let number = |attr: &Attr<'_>| {
        let mut one = Mixer::default();
        one.text(&attr.name);
        one.text(&canonical(&attr.name, &attr.value));
        one.0
    };
    attrs.iter().filter(|it| counts(it)).map(number).fold(0, u64::wrapping_add)
}

/// Returns a hash of a list of marks, without identifiers. Their order makes no difference.
pub(super) fn marks(marks: &[Mark<'_>]) -> u64 {
    let number = |mark: &Mark<'_>| {
        let mut one = Mixer(attributes(&mark.attrs, says));
        one.number(mark.kind as u64 + 1);
        one.0
    };
    marks.iter().map(number).fold(0, u64::wrapping_add)
}

/// The state of a hash. The hasher of `std` takes ten times as long, which would be most of a comparison's
/// time.
#[derive(Default)]
struct Mixer(u64);

impl Mixer {
    fn number(&mut self, number: u64) {
        self.0 = mixed(self.0.rotate_left(5) ^ number.wrapping_mul(SPREAD));
    }

    /// Adds a text that is not continued by a further call.
    fn text(&mut self, text: &str) {
        let (chunks, rest) = text.as_bytes().as_chunks::<8>();
        chunks.iter().for_each(|it| self.number(u64::from_le_bytes(*it)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.number(u64::from_le_bytes(last) ^ (text.len() as u64).rotate_right(8));
    }

    /// Adds a piece of a longer text. The hash does not depend on how the text is split into pieces.
    fn bytes(&mut self, text: &str) {
        self.0 = text.bytes().fold(self.0, |all, byte| (all ^ u64::from(byte)).wrapping_mul(SPREAD));
    }
}
