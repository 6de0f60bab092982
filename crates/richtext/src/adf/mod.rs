//! Atlassian Document Format: the JSON of Jira's and Confluence's newer interfaces.
//!
//! In: JSON, or a tree. Out: a tree with places, or compact JSON with the keys in the order Atlassian writes them. What is read comes
//! back the same; what another format made is written so that Atlassian's schema allows it (`write::repair` has the table of what
//! becomes what).

mod read;
mod scan;
mod schema;
mod text;
mod write;

#[cfg(test)]
mod tests;

pub use self::schema::check;
pub(crate) use self::schema::{complaints, missing_parts, new_complaints};

use thin_vec::ThinVec;

use crate::diagnostic::Diagnostic;
use crate::spelling::Spelling;
use crate::tree::{Kind, Node, Room};
use crate::values::json::escape;

/// The `extensionType` of what is kept raw of another format; its `extensionKey` is the format's name.
const RAW: &str = "com.plainwire.raw";

/// In JSON of our own, the attribute that says what element a group is.
const ELEMENT: &str = "plainwire:element";

/// What kinds are called in JSON of our own that ADF has no name for.
const OWN: [(&str, Kind); 2] = [("plainwire:group", Kind::Group), ("plainwire:image", Kind::Image)];

/// The name of a kind in JSON of our own, if ADF has none.
fn tree_name(kind: Kind) -> Option<&'static str> {
    OWN.iter().find(|it| it.1 == kind).map(|it| it.0)
}

/// The format.
pub(crate) struct Adf;

impl Spelling for Adf {
    fn read_within<'a>(&self, source: &'a str, room: Room) -> (ThinVec<Node<'a>>, Vec<Diagnostic>) {
        read::read(source, room)
    }

    fn document(&self, blocks: &[Node<'_>]) -> String {
        write::document(blocks)
    }

    fn part(&self, nodes: &[Node<'_>], parent: Option<&Node<'_>>) -> String {
        write::part(nodes, parent)
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

/// `node` as JSON, for a format that has no syntax for it: with all it says, foreign attributes too, whatever the schema thinks.
pub(crate) fn node_json(node: &Node<'_>) -> String {
    write::verbatim(node)
}

/// The node that `json` is; raw if it is none, or if there is no `room` in the document for it, where it stands at `at`. Its places are
/// those in `json`.
pub(crate) fn read_node<'a>(json: &'a str, room: &Room, at: usize) -> Node<'a> {
    read::lone(json, room, at)
}
