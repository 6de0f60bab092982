//! A number for what a node says.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::attrs::{canonical, said};
use super::inline::{each, mixed};
use crate::tree::{Attr, Mark, Node};

/// Equal for nodes that say the same, identity aside; for others almost surely not.
pub(crate) fn print(node: &Node<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    write(node, &mut hasher);
    hasher.finish()
}

/// Equal for nodes that say the same, their own marks aside: a mention is the same one when it becomes bold.
pub(crate) fn print_unmarked(node: &Node<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    unmarked(node, &mut hasher);
    hasher.finish()
}

fn write(node: &Node<'_>, hasher: &mut DefaultHasher) {
    marks(&node.marks).hash(hasher);
    unmarked(node, hasher);
}

fn unmarked(node: &Node<'_>, hasher: &mut DefaultHasher) {
    node.kind.hash(hasher);
    attributes(&node.attrs, hasher);
    if node.kind.holds_inlines() {
        inlines(&node.children).hash(hasher);
        return;
    }
    node.text.hash(hasher);
    node.children.len().hash(hasher);
    node.children.iter().for_each(|it| write(it, hasher));
}

/// A number for these siblings, however their text is cut into nodes.
fn inlines(nodes: &[Node<'_>]) -> u64 {
    let mut all = 0_u64;
    each(nodes, |it| all = mixed(all.rotate_left(5) ^ it.id));
    all
}

fn attributes(attrs: &[Attr<'_>], hasher: &mut DefaultHasher) {
    let mut all: Vec<u64> = said(attrs)
        .map(|attr| {
            let mut hasher = DefaultHasher::new();
            (attr.name.as_ref(), canonical(&attr.name, &attr.value).as_ref()).hash(&mut hasher);
            hasher.finish()
        })
        .collect();
    all.sort_unstable();
    all.hash(hasher);
}

/// A number for a set of marks.
pub(super) fn marks(marks: &[Mark<'_>]) -> u64 {
    let mut all: Vec<u64> = marks
        .iter()
        .map(|mark| {
            let mut hasher = DefaultHasher::new();
            mark.kind.hash(&mut hasher);
            attributes(&mark.attrs, &mut hasher);
            hasher.finish()
        })
        .collect();
    all.sort_unstable();
    let mut hasher = DefaultHasher::new();
    all.hash(&mut hasher);
    hasher.finish()
}

/// A number for something among text that is not text.
pub(super) fn object(node: &Node<'_>) -> u64 {
    print(node)
}
