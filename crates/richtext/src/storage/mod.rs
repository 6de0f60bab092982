//! Confluence's storage format: XHTML with elements for macros, links and layouts.
//!
//! In: text that need not be well formed, or a tree. Out: a tree ([`read`]), or text that Confluence accepts
//! ([`write()`]). What storage format lacks is written as [plainer](crate::plainer) nodes; if the caller wants to keep it,
//! ADF properties are written to `data-plainwire` attributes, and nodes to the macro `plainwire-raw`. The reader
//! understands both.

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
pub(crate) struct Storage {
    /// True if content that storage format has no place for is kept in the macro `plainwire-raw` and in attributes
    /// `data-plainwire`.
    pub(crate) keep_raw: bool,
}

impl Spelling for Storage {
    fn read_within<'a>(&self, source: &'a str, room: NodeLimit) -> (ThinVec<Node<'a>>, Vec<Diagnostic>) {
        read::read_within(source, room)
    }

    fn document(&self, blocks: &[Node<'_>]) -> String {
        write::part(blocks, None, self.keep_raw)
    }

    fn part(&self, nodes: &[Node<'_>], parent: Option<&Node<'_>>) -> String {
        write::part(nodes, parent, self.keep_raw)
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
