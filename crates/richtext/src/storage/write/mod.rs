//! Writes the tree as storage format.
//!
//! In: nodes of any reader. Out: text that Confluence accepts and that reads back as nodes with the same
//! meaning. A node that storage format has no element for becomes plainer nodes, or with `keep_raw` ADF in the macro
//! `plainwire-raw`. Raw HTML from Markdown becomes its visible text.

mod block;
mod extension;
mod inline;
mod link;
mod macros;
mod raw;
mod table;
mod tag;

use crate::tree::{Kind, Node};

/// Returns `nodes` written as children of `parent`; as blocks of the document if `parent` is `None`. `keep_raw` is as in
/// [`Storage`](super::Storage).
pub(super) fn part(nodes: &[Node<'_>], parent: Option<&Node<'_>>, keep_raw: bool) -> String {
    let mut writer = Writer { out: String::new(), keep_raw };
    match parent {
        Some(parent) if parent.kind == Kind::CodeBlock => writer.data(nodes),
        Some(parent) if parent.kind == Kind::MediaSingle => writer.media_parts(nodes),
        Some(parent) if parent.kind == Kind::DecisionList => nodes.iter().for_each(|it| writer.adf_node(it)),
        Some(parent) if parent.kind == Kind::LayoutSection => writer.columns(nodes, parent),
        Some(parent) if parent.text_of("/type") == Some("ac:layout") => writer.sections(nodes),
        Some(parent) if matches!(parent.kind, Kind::Table | Kind::TableRow) => writer.rows(nodes, parent),
        Some(parent) => writer.blocks(nodes, parent.kind),
        None => writer.blocks(nodes, Kind::Group),
    }
    writer.out
}

struct Writer {
    out: String,
    keep_raw: bool,
}

impl Writer {
    /// Writes `nodes`, which are blocks and runs of inline nodes inside a node of kind `parent`.
    fn blocks(&mut self, nodes: &[Node<'_>], parent: Kind) {
        for run in nodes.chunk_by(|one, other| one.kind.is_inline() && other.kind.is_inline()) {
            match run {
                [node] if !node.kind.is_inline() => self.block(node, parent),
                run => self.inlines(run),
            }
        }
    }

    fn close(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }
}
