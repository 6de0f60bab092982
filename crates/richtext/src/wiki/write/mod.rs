//! A tree to wiki markup.
//!
//! In: nodes. Out: markup that reads back as those nodes. Text is first spelled as plainly as it can be, read again, and escaped only if it
//! came back as something else; what has no spelling is written as Atlassian's `{adf}`.

mod block;
mod inline;
mod link;
mod list;
mod macros;
pub(super) mod same;
mod table;
mod text;

use std::collections::BTreeSet;

use crate::format::Dialect;
use crate::tree::{Holds, Kind, Mark, MarkKind, Node};

use super::read::Place;
pub(crate) use text::text;

/// A document of these blocks.
pub(crate) fn document(blocks: &[Node<'_>], dialect: Dialect) -> String {
    Writer::new(dialect).blocks(blocks, Place::Block)
}

/// These siblings as they stand in `parent`.
pub(crate) fn part(nodes: &[Node<'_>], parent: Option<&Node<'_>>, dialect: Dialect) -> String {
    let mut writer = Writer::new(dialect);
    let Some(parent) = parent else { return writer.blocks(nodes, Place::Block) };
    match parent.kind {
        Kind::CodeBlock => nodes.iter().map(|it| it.text.as_ref()).collect(),
        Kind::Heading => within(writer.inlines(nodes, inline::Line::Heading), nodes, parent),
        kind if kind.holds() == Holds::Inlines => {
            within(writer.inlines(nodes, inline::Line::Paragraph(Place::Block)), nodes, parent)
        }
        Kind::BulletList | Kind::OrderedList => {
            let mut list = Node::new(parent.kind);
            list.attrs.clone_from(&parent.attrs);
            list.children = nodes.into();
            writer.list(&list, "", true).unwrap_or_else(|| writer.adf(&list))
        }
        Kind::ListItem => writer.blocks(nodes, Place::Item),
        Kind::Table => writer.rows(nodes).unwrap_or_default(),
        Kind::TableRow => writer.cells(nodes).unwrap_or_default(),
        Kind::TableCell | Kind::TableHeader => writer.blocks(nodes, Place::Cell),
        _ => writer.blocks(nodes, Place::Block),
    }
}

/// Of text that does not begin or end its block, blanks at the ends need no reference.
fn within(text: String, nodes: &[Node<'_>], parent: &Node<'_>) -> String {
    let begins = parent.children.first() == nodes.first();
    let ends = parent.children.last() == nodes.last();
    let text = match text.strip_prefix("&#32;") {
        Some(rest) if !begins => format!(" {rest}"),
        _ => text,
    };
    match text.strip_suffix("&#32;") {
        Some(rest) if !ends => format!("{rest} "),
        _ => text,
    }
}

/// What stands between two siblings in `parent`.
pub(crate) fn between(parent: Option<&Node<'_>>) -> &'static str {
    let Some(parent) = parent else { return "\n\n" };
    match parent.kind {
        Kind::TableRow => "",
        kind if kind.holds() == Holds::Inlines => "",
        Kind::BulletList
        | Kind::OrderedList
        | Kind::ListItem
        | Kind::Table
        | Kind::TableCell
        | Kind::TableHeader => "\n",
        _ => "\n\n",
    }
}

struct Writer {
    dialect: Dialect,
    /// The macros whose bodies are being written: none of them may stand in itself.
    open: Vec<String>,
    /// Names of unknown macros written without a body, and with one: a second tag of such a name would be taken for the end of the first.
    singles: BTreeSet<String>,
    bodied: BTreeSet<String>,
    /// How carefully text is spelled at least.
    least: inline::Care,
}

impl Writer {
    fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            open: Vec::new(),
            singles: BTreeSet::new(),
            bodied: BTreeSet::new(),
            least: inline::Care::Plain,
        }
    }

    /// `node` as JSON within the markup.
    fn adf(&self, node: &Node<'_>) -> String {
        let display = if node.kind.is_inline() { "inline" } else { "block" };
        let json = crate::adf::node_json(&linked(node)).replace("{adf}", "\\u007badf}");
        format!("{{adf:display={display}}}{json}{{adf}}")
    }
}

/// `node` with a link for each picture among text, which Atlassian's ADF has not.
fn linked<'a>(node: &Node<'a>) -> Node<'a> {
    if node.kind == Kind::Image {
        let url = node.text_of("url").unwrap_or_default().to_owned();
        let shown = node.text_of("alt").filter(|it| !it.is_empty()).unwrap_or(&url).to_owned();
        let mut link = Node::of_text(shown);
        link.marks.clone_from(&node.marks);
        if link.mark(MarkKind::Link).is_none() && !url.is_empty() {
            link.marks.push(Mark::new(MarkKind::Link).with("href", url));
        }
        return link;
    }
    let mut node = node.clone();
    node.children = node.children.iter().map(linked).collect();
    node
}

/// Whether markup says this of a node of `kind`, for tests.
#[cfg(test)]
pub(crate) fn is_said(attr: &crate::tree::Attr<'_>, kind: Kind) -> bool {
    !attr.is_default() && (kind != Kind::Mention || attr.name == "id")
}
