//! A check, for tests of readers, that nodes keep the tree's rules on spans and children.

use super::kind::Holds;
use super::node::Node;
use super::span::Span;

/// Returns a description of the first violation in `blocks` of the [tree](crate::tree)'s rules on spans and
/// children; `None` if there is none. `blocks` were read from `source`. For tests of readers.
#[must_use]
pub fn misplaced(blocks: &[Node<'_>], source: &str) -> Option<String> {
    siblings(blocks, Span::new(0, source.len()), source)
}

fn siblings(nodes: &[Node<'_>], within: Span, source: &str) -> Option<String> {
    let mut before: Option<Span> = None;
    for node in nodes {
        let shown = || format!("{:?} at {}..{}", node.kind, node.span.start, node.span.end);
        if source.get(node.span.range()).is_none() || source.get(node.inner.range()).is_none() {
            return Some(format!(
                "{}, inner {:?}: not on character boundaries of the source",
                shown(),
                node.inner
            ));
        }
        if !within.holds(node.span) {
            return Some(format!("{}: outside its parent's {}..{}", shown(), within.start, within.end));
        }
        if !node.span.holds(node.inner) {
            return Some(format!("{}: its inner span {:?} is outside of it", shown(), node.inner));
        }
        let shares = node.kind.is_inline() && before == Some(node.span);
        if !shares && before.is_some_and(|it| it.end > node.span.start) {
            return Some(format!("{}: begins before its elder sibling ends", shown()));
        }
        before = Some(node.span);
        if node.kind.holds() == Holds::Nothing && !node.children.is_empty() {
            return Some(format!("{}: may have no children", shown()));
        }
        if node.kind.holds() == Holds::Inlines && node.children.iter().any(|it| !it.kind.is_inline()) {
            return Some(format!("{}: has a block among inline nodes", shown()));
        }
        if let Some(found) = siblings(&node.children, node.inner, source) {
            return Some(found);
        }
    }
    (nodes.iter().any(|it| it.kind.is_inline()) && nodes.iter().any(|it| !it.kind.is_inline()))
        .then(|| "blocks and inline nodes are siblings".to_owned())
}
