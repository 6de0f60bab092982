//! Confluence's storage format: XHTML with elements for macros, links and layouts.
//!
//! In: text that need not be well formed, or a tree. Out: a tree ([`read`]), or text that Confluence accepts
//! ([`write()`]). ADF properties that storage format lacks are written to `data-plainwire` attributes; nodes
//! that it lacks, to the macro `plainwire-raw`. The reader understands both.

mod escape;
mod grid;
pub(crate) mod layout;
mod malformed;
mod names;
mod read;
mod style;
mod write;
mod xml;

pub(crate) use malformed::malformed;
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

#[cfg(test)]
mod tests;
