//! Confluence's storage format: XHTML with macros, links and layouts of its own.
//!
//! In: a text that need not be well formed. Out: the tree ([`read`]), and from a tree a text that Confluence accepts ([`write`]).
//! What ADF says and storage format has no word for is in attributes `data-plainwire`, or as a whole in a macro `plainwire-raw`, so
//! that it can be read again.

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
use crate::tree::{Kind, Node, Room};

/// The format.
pub(crate) struct Storage;

impl Spelling for Storage {
    fn read_within<'a>(&self, source: &'a str, room: Room) -> (ThinVec<Node<'a>>, Vec<Diagnostic>) {
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
