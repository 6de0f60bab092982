//! Writes a tree as wiki markup.
//!
//! In: nodes. Out: markup. Text is spelled as plainly as possible, read again, and escaped only if it came
//! back different. A node that markup cannot express is written as Atlassian's `{adf}`, a group as its
//! children, and HTML from Markdown as its visible text.

mod block;
mod inline;
mod link;
mod list;
mod macros;
pub(super) mod same;
mod table;
mod text;

use std::collections::BTreeSet;

use crate::adf::{node_json, valid_json};
use crate::format::Dialect;
use crate::tree::{Holds, Kind, Mark, MarkKind, Node};

use super::Wiki;
use super::read::Container;
pub(crate) use text::text;

/// Returns a document that consists of these blocks.
pub(crate) fn document(blocks: &[Node<'_>], wiki: &Wiki) -> String {
    Writer::new(wiki).blocks(blocks, Container::Block)
}

/// Returns the markup of `nodes` as children of `parent`; as blocks of the document if `parent` is `None`.
pub(crate) fn part(nodes: &[Node<'_>], parent: Option<&Node<'_>>, wiki: &Wiki) -> String {
    let mut writer = Writer::new(wiki);
    let Some(parent) = parent else { return writer.blocks(nodes, Container::Block) };
    match parent.kind {
        Kind::CodeBlock => nodes.iter().map(|it| it.text.as_ref()).collect(),
        Kind::Heading => within(writer.inlines(nodes, inline::Line::Heading), nodes, parent),
        // A tag alone reads back as a block. Other text stands beside this one.
        kind if kind.holds() == Holds::Inlines
            && let [node] = nodes
            && node.kind == Kind::InlineExtension
            && parent.children.len() > 1
            && let Some(tag) = writer.inline_extension(node) =>
        {
            tag
        }
        kind if kind.holds() == Holds::Inlines => {
            within(writer.inlines(nodes, inline::Line::Paragraph(Container::Block)), nodes, parent)
        }
        Kind::BulletList | Kind::OrderedList => {
            let mut list = Node::new(parent.kind);
            list.attrs.clone_from(&parent.attrs);
            list.children = nodes.into();
            writer.block(&list, None, None, Container::Block)
        }
        Kind::ListItem => writer.blocks(nodes, Container::Item),
        Kind::Table => writer.rows(nodes).unwrap_or_default(),
        Kind::TableRow => writer.cells(nodes).unwrap_or_default(),
        Kind::TableCell | Kind::TableHeader => writer.blocks(nodes, Container::Cell),
        _ => writer.blocks(nodes, Container::Block),
    }
}

/// Like [`part`], for nodes of a list or an item whose own markup is `spelled`: its signs say how deep they are.
pub(crate) fn part_in(nodes: &[Node<'_>], parent: Option<&Node<'_>>, spelled: &str, wiki: &Wiki) -> String {
    let signs = spelled.bytes().take_while(|it| matches!(it, b'*' | b'#' | b'-')).count();
    let marker = Some(&spelled[..signs]).filter(|it| !it.is_empty() && spelled[signs..].starts_with(' '));
    let (Some(parent), Some(marker)) = (parent, marker) else { return part(nodes, parent, wiki) };
    let mut writer = Writer::new(wiki);
    match parent.kind {
        Kind::BulletList | Kind::OrderedList => {
            let mut list = Node::new(parent.kind);
            list.attrs.clone_from(&parent.attrs);
            list.children = nodes.into();
            writer
                .list(&list, &marker[..signs - 1], true)
                .unwrap_or_else(|| writer.other(&list, Container::Block))
        }
        // The text of an item is before them.
        Kind::ListItem => writer.item_blocks(nodes, marker, true).join("\n"),
        _ => part(nodes, Some(parent), wiki),
    }
}

/// Returns `text`, the markup of `nodes`, for its position in `parent`: a reference `&#32;` for a blank at
/// its start or end becomes a blank again, unless that is also the start or end of `parent`.
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

/// Returns the separator between two siblings in `parent`.
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
    keep_raw: bool,
    /// The names of the macros whose bodies are being written. Within one of these macros, a macro of the
    /// same name without parameters can't be written.
    open: Vec<String>,
    /// The names of unknown macros that were written without a body; `bodied` has the names of those that
    /// were written with a body. After a tag without a body, a second tag of that name would be read as its
    /// closing tag.
    singles: BTreeSet<String>,
    bodied: BTreeSet<String>,
    /// The number of blocks around the current one that markup can't express.
    unspelled: usize,
    /// The lowest degree of care with which text is spelled. More careful spellings are tried after it.
    least: inline::Care,
}

impl Writer {
    fn new(wiki: &Wiki) -> Self {
        Self {
            dialect: wiki.dialect,
            keep_raw: wiki.keep_raw,
            open: Vec::new(),
            singles: BTreeSet::new(),
            bodied: BTreeSet::new(),
            unspelled: 0,
            least: inline::Care::Plain,
        }
    }

    /// Returns whether what markup has no syntax for is written as JSON in an `{adf}` macro.
    fn has_adf(&self) -> bool {
        self.keep_raw || self.dialect == Dialect::Jira
    }

    /// Returns `node` as JSON in an `{adf}` macro; as ADF that the schema allows, in several macros if it takes several nodes,
    /// unless everything is kept.
    fn adf(&self, node: &Node<'_>) -> String {
        let display = if node.kind.is_inline() { "inline" } else { "block" };
        let linked = linked(node);
        let all = if self.keep_raw { vec![node_json(&linked)] } else { valid_json(&linked) };
        let between = if node.kind.is_inline() { "" } else { "\n" };
        let shown = |json: &String| {
            format!("{{adf:display={display}}}{}{{adf}}", json.replace("{adf}", "\\u007badf}"))
        };
        all.iter().map(shown).collect::<Vec<_>>().join(between)
    }
}

/// Copies `node` with a link in place of each picture within text, because Atlassian's ADF has no such
/// pictures.
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

/// Returns whether a node of `kind` must have this attribute again after it is written and read: default
/// values need not come back, and a mention needs only its id. Only tests use this function.
#[cfg(test)]
pub(crate) fn is_said(attr: &crate::tree::Attr<'_>, kind: Kind) -> bool {
    !attr.is_default() && (kind != Kind::Mention || attr.name == "id")
}
