//! The operations of a format. All code that is common to the formats is written against them.
//!
//! A format reads a source into a tree and writes a tree. Restoring and patching need two more operations:
//! writing some nodes so that they fit between parts of a source, and finding a character in the spelling of
//! a text.

use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::format::Format;
use crate::tree::{Kind, Node, Room};

#[cfg(test)]
mod tests;

/// Returns the implementation of a format.
pub(crate) fn of(format: Format) -> Box<dyn Spelling> {
    match format {
        Format::Adf => Box::new(crate::adf::Adf),
        Format::Storage => Box::new(crate::storage::Storage),
        Format::Wiki(dialect) => Box::new(crate::wiki::Wiki { dialect }),
        Format::Markdown(flavor) => Box::new(crate::markdown::Markdown { flavor }),
    }
}

/// Reads and writes one format.
pub(crate) trait Spelling {
    /// Returns the blocks of `source`, and diagnostics.
    fn read<'a>(&self, source: &'a str) -> (ThinVec<Node<'a>>, Vec<Diagnostic>) {
        self.read_within(source, Room::default())
    }

    /// Like [`read`](Self::read), but makes at most `room` nodes and keeps the remaining source raw.
    fn read_within<'a>(&self, source: &'a str, room: Room) -> (ThinVec<Node<'a>>, Vec<Diagnostic>);

    /// Returns a whole document with these blocks.
    fn document(&self, blocks: &[Node<'_>]) -> String;

    /// Returns the text of sibling nodes as it appears in `parent` (`None`: the document), without `parent`'s
    /// own markup: blocks with their separators, or runs of text.
    fn part(&self, nodes: &[Node<'_>], parent: Option<&Node<'_>>) -> String;

    /// Returns the output of [`part`](Self::part) as a text that can be read by itself.
    fn alone(&self, part: &str) -> String {
        part.to_owned()
    }

    /// Returns whether all nodes have the children that the format requires.
    fn is_full(&self, nodes: &[Node<'_>]) -> bool {
        let _ = nodes;
        true
    }

    /// Returns the separator between two siblings in `parent`: `,`, a line feed, nothing.
    fn between(&self, parent: Option<&Node<'_>>) -> &'static str;

    /// Returns the spelling of `text` between the spellings `before` and `after`, in a node of kind `within`
    /// ([`Kind::Text`], or [`Kind::CodeBlock`] for the text of a code block).
    fn text(&self, text: &str, within: Kind, before: &str, after: &str) -> String;

    /// Returns the offset in `spelling`, the spelling of a text, at which its decoded byte `offset` begins.
    /// Returns `None` if `offset` lies within characters that are spelled together, such as an entity of two
    /// characters.
    fn place(&self, spelling: &str, within: Kind, offset: usize) -> Option<usize>;
}
