//! Paragraphs that a format writes as one: an item or a cell of wiki markup has only one, with empty lines in it.

use thin_vec::{ThinVec, thin_vec};

use crate::tree::{Kind, Node};

/// Returns `nodes` with an empty line (two line breaks) in place of the end of each paragraph that another one follows. Empty
/// paragraphs, and those with marks or attributes, stay as they are.
pub(crate) fn joined<'a>(nodes: &[Node<'a>]) -> ThinVec<Node<'a>> {
    let mut all: ThinVec<Node<'a>> = ThinVec::with_capacity(nodes.len());
    for node in nodes {
        match all.last_mut() {
            Some(last) if is_plain(last) && is_plain(node) => {
                last.children.extend(EMPTY_LINE());
                last.children.extend(node.children.iter().cloned());
            }
            _ => all.push(node.clone()),
        }
    }
    all
}

/// The line breaks of an empty line: `\\` at the end of a line.
const EMPTY_LINE: fn() -> ThinVec<Node<'static>> =
    || thin_vec![Node::new(Kind::HardBreak).with("wiki:form", "\\\\"), Node::new(Kind::HardBreak)];

fn is_plain(node: &Node<'_>) -> bool {
    node.kind == Kind::Paragraph
        && !node.children.is_empty()
        && node.marks.is_empty()
        && !node.attrs.iter().any(|it| !it.is_incidental())
}
