//! What each format has to be able to do, so that everything else can be written once for all of them.
//!
//! A format reads a source to a tree and writes a tree; restoring and patching also ask it to write a part that is to stand between
//! parts of a source, and where in the spelling of a text a character is.

use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::format::Format;
use crate::tree::{Kind, Node, Room};

#[cfg(test)]
mod tests;

/// The format's own code.
pub(crate) fn of(format: Format) -> Box<dyn Spelling> {
    match format {
        Format::Adf => Box::new(crate::adf::Adf),
        Format::Storage => Box::new(crate::storage::Storage),
        Format::Wiki(dialect) => Box::new(crate::wiki::Wiki { dialect }),
        Format::Markdown(flavor) => Box::new(crate::markdown::Markdown { flavor }),
    }
}

/// How one format is read and written.
pub(crate) trait Spelling {
    /// The blocks of `source`, and what is wrong with it.
    fn read<'a>(&self, source: &'a str) -> (ThinVec<Node<'a>>, Vec<Diagnostic>) {
        self.read_within(source, Room::default())
    }

    /// The same. What there is no room for is kept as it was written.
    fn read_within<'a>(&self, source: &'a str, room: Room) -> (ThinVec<Node<'a>>, Vec<Diagnostic>);

    /// A whole document of these blocks.
    fn document(&self, blocks: &[Node<'_>]) -> String;

    /// These siblings as they stand in a `parent` (`None`: the document), without what holds them: blocks with what stands between
    /// them, or runs of text.
    fn part(&self, nodes: &[Node<'_>], parent: Option<&Node<'_>>) -> String;

    /// What [`part`](Self::part) wrote, as a text that can be read by itself.
    fn alone(&self, part: &str) -> String {
        part.to_owned()
    }

    /// Whether all that has to hold something does, as far as the format cares.
    fn is_full(&self, nodes: &[Node<'_>]) -> bool {
        let _ = nodes;
        true
    }

    /// What stands between two siblings in `parent`: `,`, a line feed, nothing.
    fn between(&self, parent: Option<&Node<'_>>) -> &'static str;

    /// `text` as it has to be spelled between `before` and `after`, which are spellings, in a node of this kind
    /// ([`Kind::Text`], or [`Kind::CodeBlock`] for the text of one).
    fn text(&self, text: &str, within: Kind, before: &str, after: &str) -> String;

    /// Where in `spelling`, the spelling of a text, its decoded byte `offset` begins; `None` if `offset` lies within something that is
    /// spelled as one, such as an entity of two characters.
    fn place(&self, spelling: &str, within: Kind, offset: usize) -> Option<usize>;
}
