//! Atlassian Document Format (ADF): the JSON of the newer interfaces of Jira and Confluence.
//!
//! In: JSON, or a tree. Out: a tree with spans, or compact JSON with the keys in Atlassian's order. Valid ADF
//! that was read is written back as equal JSON. A tree from another format is written so that Atlassian's
//! schema allows it (`write::repair` has the table of replacements).

mod read;
mod scan;
mod schema;
mod text;
mod write;

#[cfg(test)]
mod tests;

pub use self::schema::check;
pub(crate) use self::schema::{complaints, new_complaints};
pub(crate) use self::write::valid_json;

use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::spelling::Spelling;
use crate::tree::{Kind, Node, NodeLimit};
use crate::values::json::escape;

/// The `extensionType` of the extensions that carry raw nodes (source kept verbatim) of other formats in ADF.
/// Their `extensionKey` is the name of the format.
const RAW: &str = "com.plainwire.raw";

/// The attribute for the element name of a [`Kind::Group`], in the JSON of [`node_json`], which only this
/// crate reads.
const ELEMENT: &str = "plainwire:element";

/// Node kinds that ADF lacks, with their names in the JSON of [`node_json`], which only this crate reads. Raw
/// nodes are not among them: [`node_json`] writes these as their source or as an extension.
const OWN: [(&str, Kind); 2] = [("plainwire:group", Kind::Group), ("plainwire:image", Kind::Image)];

/// Returns the name that [`OWN`] has for `kind`; `None` if it has none.
fn tree_name(kind: Kind) -> Option<&'static str> {
    OWN.iter().find(|it| it.1 == kind).map(|it| it.0)
}

/// The format ADF, as an implementation of [`Spelling`] (the operations of a format).
pub(crate) struct Adf {
    /// True if content that ADF has no place for is kept in extensions that only this crate reads ([`RAW`]).
    pub(crate) keep_raw: bool,
}

impl Spelling for Adf {
    fn read_within<'a>(&self, source: &'a str, room: NodeLimit) -> (ThinVec<Node<'a>>, Vec<Diagnostic>) {
        read::read(source, room)
    }

    fn document(&self, blocks: &[Node<'_>]) -> String {
        write::document(blocks, self.keep_raw)
    }

    fn part(&self, nodes: &[Node<'_>], parent: Option<&Node<'_>>) -> String {
        write::part(nodes, parent, self.keep_raw)
    }

    fn alone(&self, part: &str) -> String {
        format!("[{part}]")
    }

    fn is_full(&self, nodes: &[Node<'_>]) -> bool {
        write::are_full(nodes)
    }

    fn between(&self, _parent: Option<&Node<'_>>) -> &'static str {
        ","
    }

    fn text(&self, text: &str, _within: Kind, _before: &str, _after: &str) -> String {
        let mut spelled = String::with_capacity(text.len());
        escape(&mut spelled, text);
        spelled
    }

    fn place(&self, spelling: &str, _within: Kind, offset: usize) -> Option<usize> {
        text::place(spelling, offset)
    }
}

/// Returns `node` as JSON, for a format that has no syntax for it. The JSON has all attributes of the node,
/// also those that ADF does not have or that the schema forbids.
pub(crate) fn node_json(node: &Node<'_>) -> String {
    write::verbatim(node)
}

/// Reads the output of [`node_json`], with spans in `json`. The result is a raw node if `json` is not a node,
/// or if it has more nodes than `room` (what the node limit leaves) allows. `at` is the offset of `json` in
/// the document.
pub(crate) fn read_node<'a>(json: &'a str, room: &NodeLimit, at: usize) -> Node<'a> {
    read::lone(json, room, at)
}
