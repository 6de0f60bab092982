//! Makes code legal that has other marks, as in `**`x`**`: ADF allows code only links and comments.

use crate::diagnostic::Diagnostic;
use crate::tree::{Kind, MarkKind, Node};

/// Takes the marks off code that ADF does not allow beside it. Returns a diagnostic for each code that had some.
pub(crate) fn make_legal(nodes: &mut [Node<'_>]) -> Vec<Diagnostic> {
    let mut told = Vec::new();
    nodes.iter_mut().for_each(|it| make_node_legal(it, &mut told));
    told
}

fn make_node_legal(node: &mut Node<'_>, told: &mut Vec<Diagnostic>) {
    let is_code = node.kind == Kind::Text && node.mark(MarkKind::Code).is_some();
    let is_legal = |kind: MarkKind| matches!(kind, MarkKind::Code | MarkKind::Link | MarkKind::Annotation);
    if is_code && node.marks.iter().any(|it| !is_legal(it.kind)) {
        let others: Vec<&str> =
            node.marks.iter().filter(|it| !is_legal(it.kind)).map(|it| it.name()).collect();
        let found = format!(
            "expected code {:?} without {}, which ADF does not allow: written as code only",
            node.text,
            others.join(" and ")
        );
        if told.len() < MAX_TOLD {
            told.push(Diagnostic::new(node.span, found));
        }
        node.marks.retain(|it| is_legal(it.kind));
    }
    node.children.iter_mut().for_each(|it| make_node_legal(it, told));
}

/// The most codes with other marks that are told.
const MAX_TOLD: usize = 100;
