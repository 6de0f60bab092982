//! Compares inline nodes that were read back with the nodes that were written.

use crate::tree::{Attr, Kind, Mark, MarkKind, Node};
use crate::values::hrefs;

/// Returns whether `one` and `other` have equal texts, marks and inline nodes, as far as markup can express
/// them.
pub(crate) fn same_inlines(one: &[Node<'_>], other: &[Node<'_>]) -> bool {
    let (mut one, mut other) = (Runs::new(one), Runs::new(other));
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if one.is_same(&other) => {}
            _ => return false,
        }
    }
}

/// An iterator over nodes that joins neighbouring texts with equal marks.
struct Runs<'n, 'a> {
    nodes: &'n [Node<'a>],
}

struct Run<'n, 'a> {
    node: &'n Node<'a>,
    text: String,
    marks: Vec<&'n Mark<'a>>,
}

impl<'n, 'a> Runs<'n, 'a> {
    fn new(nodes: &'n [Node<'a>]) -> Self {
        Self { nodes }
    }

    fn next(&mut self) -> Option<Run<'n, 'a>> {
        let (node, mut rest) = self.nodes.split_first()?;
        let mut run = Run { node, text: node.text.to_string(), marks: marks(node) };
        if node.kind == Kind::Text {
            while let Some((next, after)) = rest.split_first() {
                if next.kind != Kind::Text || !same_marks(&run.marks, &marks(next)) {
                    break;
                }
                run.text.push_str(&next.text);
                rest = after;
            }
        }
        self.nodes = rest;
        if run.node.kind == Kind::Text && run.text.is_empty() { self.next() } else { Some(run) }
    }
}

impl Run<'_, '_> {
    fn is_same(&self, other: &Self) -> bool {
        self.node.kind == other.node.kind
            && self.text == other.text
            && same_marks(&self.marks, &other.marks)
            && said(&self.node.attrs, self.node.kind) == said(&other.node.attrs, other.node.kind)
    }
}

/// Returns the marks of `node` that wiki markup or ADF can express, in an order that does not depend on their
/// nesting.
pub(super) fn marks<'n, 'a>(node: &'n Node<'a>) -> Vec<&'n Mark<'a>> {
    let mut marks: Vec<_> = node.marks.iter().filter(|it| is_known(it)).collect();
    marks.sort_by_key(|it| (it.kind, it.text("type").map(str::to_owned)));
    marks
}

/// Returns whether wiki markup or ADF can express the mark.
pub(super) fn is_known(mark: &Mark<'_>) -> bool {
    mark.kind != MarkKind::Other || is_cite(mark) || !mark.name().contains(':')
}

/// Returns whether this is the mark of a citation, `??…??`.
pub(super) fn is_cite(mark: &Mark<'_>) -> bool {
    mark.kind == MarkKind::Other && mark.name() == "html:cite"
}

fn same_marks(one: &[&Mark<'_>], other: &[&Mark<'_>]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| {
            one.kind == other.kind && said(&one.attrs, Kind::Text) == said(&other.attrs, Kind::Text)
        })
}

/// Returns the names and values of the attributes to compare: for a mention only the id, for a hard break
/// none, for other nodes and for marks all except `localId`. Attributes of other formats are never compared.
fn said(attrs: &[Attr<'_>], kind: Kind) -> Vec<(String, String)> {
    let is_looked_up = |it: &Attr<'_>| match kind {
        Kind::Mention => it.name != "id",
        Kind::HardBreak => true,
        _ => it.name == "localId",
    };
    let mut said: Vec<_> = attrs
        .iter()
        .filter(|it| !it.is_foreign() && !is_looked_up(it))
        .map(|it| match (kind, &*it.name, it.value.shown()) {
            // Markup can refer to a picture file next to the text only as an attachment.
            (Kind::Image, "url", url) if !url.contains(':') => ("url".to_owned(), hrefs::attachment(url)),
            (_, name, value) => (name.to_owned(), value.to_owned()),
        })
        .collect();
    said.sort();
    said
}
