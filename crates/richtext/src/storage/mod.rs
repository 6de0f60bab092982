//! Confluence's storage format: XHTML with elements for macros, links and layouts.
//!
//! In: text that need not be well formed, or a tree. Out: a tree ([`read`]), or text that Confluence accepts
//! ([`write()`]). ADF properties that storage format lacks are written to `data-plainwire` attributes; nodes
//! that it lacks, to the macro `plainwire-raw`. The reader understands both.

mod escape;
mod grid;
pub(crate) mod layout;
mod names;
mod read;
mod style;
mod write;
mod xml;

use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::spelling::Spelling;
use crate::tree::{Kind, Node, NodeLimit};

/// The storage format, as an implementation of [`Spelling`] (the operations of a format).
pub(crate) struct Storage;

impl Spelling for Storage {
    fn read_within<'a>(&self, source: &'a str, room: NodeLimit) -> (ThinVec<Node<'a>>, Vec<Diagnostic>) {
        read::read_within(source, room)
    }

    fn document(&self, blocks: &[Node<'_>]) -> String {
        write::part(blocks, None)
    }

    fn part(&self, nodes: &[Node<'_>], parent: Option<&Node<'_>>) -> String {
        write::part(nodes, parent)
    }

    fn between(&self, _parent: Option<&Node<'_>>) -> &'static str {
        ""
    }

    fn text(&self, text: &str, within: Kind, before: &str, after: &str) -> String {
        escape::between(text, within == Kind::CodeBlock, before, after)
    }

    fn place(&self, spelling: &str, _within: Kind, offset: usize) -> Option<usize> {
        escape::place(spelling, offset)
    }
}

/// Returns a diagnostic for each raw node of storage format that is not well-formed XML: it would be written as it is, and
/// Confluence would refuse the page.
pub(crate) fn malformed(nodes: &[Node<'_>]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut open: Vec<&Node<'_>> = nodes.iter().rev().collect();
    while let Some(node) = open.pop() {
        if node.kind.is_verbatim() && node.text_of("/format") == Some("storage") {
            let why = xml::fault(&node.text).map(|it| format!("storage format: {it}"));
            found.extend(why.map(|it| Diagnostic::new(node.span, it)));
        }
        open.extend(node.children.iter().rev());
    }
    found
}

#[cfg(test)]
mod tests;
