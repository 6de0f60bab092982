//! The tree of an HTML page, if it is no larger than a page that a person reads.
//!
//! In: HTML. Out: a tree for Readability. The parser of HTML can make many elements of few bytes, and nests what looks flat: so the
//! tree is measured while it grows, and not the text.

use dom_query::{Document, NodeId, NodeRef, Tree};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::{ParseOpts, parse_document};

/// The largest number of nodes, and the greatest depth. The time of Readability grows with their product.
pub(super) const MAX_NODES: usize = 50_000;
pub(super) const MAX_DEPTH: usize = 200;

/// The bytes that are parsed before the tree is measured again.
const STEP: usize = 1_024;

/// Returns the tree; `None` if it is too large.
pub(super) fn tree(html: &str) -> Option<Document> {
    let mut parser = parse_document(Document::default(), ParseOpts::default());
    let mut rest = html;
    while !rest.is_empty() {
        let (step, after) = rest.split_at(border(rest));
        parser.process(StrTendril::from_slice(step));
        let tree = &parser.tokenizer.sink.sink.tree;
        if tree.len() > MAX_NODES || !is_open_path_short(tree) {
            return None;
        }
        rest = after;
    }
    let document = parser.finish();
    is_shallow(&document).then_some(document)
}

/// Returns the end of a step: at most [`STEP`] bytes, and of whole characters.
fn border(text: &str) -> usize {
    (0..=STEP.min(text.len())).rev().find(|&at| at > 0 && text.is_char_boundary(at)).unwrap_or(text.len())
}

/// Returns whether the elements that are open are few: the time for each new one grows with their number. They are the last ones on
/// the way from the root.
fn is_open_path_short(tree: &Tree) -> bool {
    let last = |it: &NodeRef<'_>| tree.last_child_of(&it.id);
    std::iter::successors(Some(tree.root()), last).nth(MAX_DEPTH + 1).is_none()
}

fn is_shallow(document: &Document) -> bool {
    let mut open: Vec<(NodeId, usize)> = vec![(document.tree.root().id, 0)];
    while let Some((node, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            return false;
        }
        open.extend(document.tree.child_ids_of_it(&node, false).map(|it| (it, depth + 1)));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_parser_makes_of_a_page_is_measured() {
        assert!(tree("<title>T</title><p>ä€😀").is_some());
        assert!(tree(&"<p>text</p>".repeat(10_000)).is_some());
        let formatting: String = (0..390).map(|at| format!("<b id={at}>")).collect();
        for (what, html) in [
            ("ends that end nothing", "<div></x>".repeat(5_000)),
            ("slashes that end nothing", "<div/>".repeat(5_000)),
            ("formatting that is made anew in each paragraph", formatting + &"<p>x, y</p>".repeat(40_000)),
            ("many", "<i></i>".repeat(MAX_NODES + 1)),
        ] {
            assert!(tree(&html).is_none(), "{what}");
        }
    }
}
