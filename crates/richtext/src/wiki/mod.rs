//! Wiki markup, as Jira and Confluence read it.
//!
//! In: a source, or a tree. Out: the tree of the source, or markup for the tree. Nodes that markup cannot
//! express are written as Atlassian's `{adf}`.

mod chars;
mod names;
mod params;
mod read;
mod write;

#[cfg(test)]
mod tests;

use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::format::Dialect;
use crate::spelling::Spelling;
use crate::tree::{Kind, Node, NodeLimit};

/// Wiki markup in one dialect, as an implementation of [`Spelling`] (the operations of a format).
pub(crate) struct Wiki {
    pub(crate) dialect: Dialect,
    /// True if what markup has no syntax for is kept in macros: in both dialects as JSON in `{adf}`, source of other formats in
    /// `{plainwire-raw}`. Otherwise only Jira's dialect has `{adf}`.
    pub(crate) keep_raw: bool,
}

impl Spelling for Wiki {
    fn read_within<'a>(&self, source: &'a str, room: NodeLimit) -> (ThinVec<Node<'a>>, Vec<Diagnostic>) {
        read::read(source, self.dialect, room)
    }

    fn document(&self, blocks: &[Node<'_>]) -> String {
        write::document(blocks, self)
    }

    fn part(&self, nodes: &[Node<'_>], parent: Option<&Node<'_>>) -> String {
        write::part(nodes, parent, self)
    }

    fn part_in(&self, nodes: &[Node<'_>], parent: Option<&Node<'_>>, spelled: &str) -> String {
        write::part_in(nodes, parent, spelled, self)
    }

    fn between(&self, parent: Option<&Node<'_>>) -> &'static str {
        write::between(parent)
    }

    fn text(&self, text: &str, within: Kind, before: &str, after: &str) -> String {
        if within == Kind::CodeBlock {
            // Use the line ends of the surrounding source.
            let is_crlf = before.contains("\r\n") || after.contains("\r\n");
            return if is_crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
        }
        write::text(text, before, after)
    }

    fn place(&self, spelling: &str, within: Kind, offset: usize) -> Option<usize> {
        if within == Kind::CodeBlock {
            return chars::place_in_code(spelling, offset);
        }
        chars::place(spelling, offset)
    }
}
