//! Finds the comments on text (marks of the kind annotation) that an edit removed.

use super::Edit;
use super::moved::Gone;
use crate::compare::shortened;
use crate::tree::{MarkKind, Node, Span, all};

/// A comment, the text that it is about, and the place of that text.
struct Comment {
    id: String,
    text: String,
    span: Span,
}

/// Returns the comments of each part that no part has any more.
pub(super) fn gone(edits: &[Edit<'_, '_, '_, '_>]) -> Vec<Vec<Gone>> {
    let left: Vec<Comment> = edits.iter().flat_map(|it| comments(it.edited)).collect();
    let is_gone = |it: &Comment| !left.iter().any(|other| other.id == it.id);
    let gone = |it: Comment| Gone {
        span: it.span,
        what: format!("comment {} on {:?}", it.id, shortened(&it.text)),
        comment: Some(it.id),
    };
    edits.iter().map(|it| comments(it.ours).into_iter().filter(is_gone).map(gone).collect()).collect()
}

fn comments(nodes: &[Node<'_>]) -> Vec<Comment> {
    let mut found: Vec<Comment> = Vec::new();
    for node in all(nodes, |it: &Node<'_>| it.mark(MarkKind::Annotation).is_some()) {
        for mark in node.marks.iter().filter(|it| it.kind == MarkKind::Annotation) {
            let Some(id) = mark.get("id").map(|it| it.shown()) else { continue };
            match found.iter_mut().find(|it| it.id == id) {
                Some(comment) => comment.text.push_str(&node.text),
                None => {
                    found.push(Comment { id: id.to_owned(), text: node.text.to_string(), span: node.span })
                }
            }
        }
    }
    found
}
