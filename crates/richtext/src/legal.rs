//! Mistakes of an edit: values that the schema does not allow, and code with other marks, as in `**`x`**`, which is made
//! legal: ADF allows code only links and comments.

use std::collections::HashSet;

use crate::adf;
use crate::compare::shortened;
use crate::diagnostic::Diagnostic;
use crate::format::Format;
use crate::names::renamed;
use crate::storage;
use crate::tree::{Kind, Mark, MarkKind, Node, all};

/// Returns the diagnostics for [`Restored::invalid`](crate::Restored::invalid): mistakes in `edited`, the Markdown after the edit, that
/// `base`, the Markdown before it, does not have.
pub(crate) fn invalid(format: Format, base: &[Node<'_>], edited: &[Node<'_>]) -> Vec<Diagnostic> {
    match format {
        Format::Markdown(_) => Vec::new(),
        Format::Adf => adf::new_complaints(base, edited),
        Format::Storage | Format::Wiki(_) => {
            let mut found = adf::new_complaints(base, edited);
            found.extend(renamed(base, edited));
            let old = storage::malformed(base);
            let is_new = |it: &Diagnostic| !old.iter().any(|old| old.message == it.message);
            found.extend(storage::malformed(edited).into_iter().filter(is_new));
            found
        }
    }
}

/// The codes with other marks that a document has before an edit: they stay.
pub(crate) struct Known(HashSet<String>);

impl Known {
    /// Returns those in `before`, parts of the document.
    pub(crate) fn of<'n, 'a: 'n>(before: impl Iterator<Item = &'n [Node<'a>]>) -> Self {
        Self(before.flat_map(|it| all(it, is_illegal)).map(|it| it.text.to_string()).collect())
    }

    /// Takes the marks off code in `nodes` that ADF does not allow beside it, unless it is known. Returns a diagnostic for each
    /// code that had some.
    pub(crate) fn make_legal(&self, nodes: &mut [Node<'_>]) -> Vec<Diagnostic> {
        let mut told = Vec::new();
        nodes.iter_mut().for_each(|it| self.make_node_legal(it, &mut told));
        told
    }

    fn make_node_legal(&self, node: &mut Node<'_>, told: &mut Vec<Diagnostic>) {
        if is_illegal(node) && !self.0.contains(&*node.text) {
            let others: Vec<&str> =
                node.marks.iter().filter(|it| !is_legal(it.kind)).map(Mark::name).collect();
            let found = format!(
                "expected code {:?} without {}, which ADF does not allow: written as code only",
                shortened(&node.text),
                others.join(" and ")
            );
            if told.len() < MAX_TOLD {
                told.push(Diagnostic::new(node.span, found));
            }
            node.marks.retain(|it| is_legal(it.kind));
        }
        node.children.iter_mut().for_each(|it| self.make_node_legal(it, told));
    }
}

fn is_illegal(node: &Node<'_>) -> bool {
    let is_code = node.kind == Kind::Text && node.mark(MarkKind::Code).is_some();
    is_code && node.marks.iter().any(|it| !is_legal(it.kind))
}

fn is_legal(kind: MarkKind) -> bool {
    matches!(kind, MarkKind::Code | MarkKind::Link | MarkKind::Annotation)
}

/// The most codes with other marks that are told.
const MAX_TOLD: usize = 100;
