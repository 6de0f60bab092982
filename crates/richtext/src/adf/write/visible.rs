//! Visible text of nodes that can't be written in ADF.

use crate::tree::{Kind, Node};
use crate::values::html;

use super::fit::format;

/// Returns the text to write in place of `node`; empty if the node shows none.
pub(super) fn text(node: &Node<'_>) -> String {
    match node.kind {
        Kind::RawInline | Kind::RawBlock if format(node) == "markdown" => {
            html::seen(&node.text).trim().to_owned()
        }
        Kind::RawInline | Kind::RawBlock | Kind::Text => node.text.clone().into_owned(),
        Kind::HardBreak => "\n".to_owned(),
        Kind::Image | Kind::MediaInline => first(node, &["alt", "title", "url", "id"]),
        Kind::Date => first(node, &["timestamp"]),
        Kind::InlineExtension => first(node, &["text", "extensionKey"]),
        Kind::BlockCard | Kind::EmbedCard | Kind::InlineCard => first(node, &["url"]),
        kind if kind.is_inline() => first(node, &["text", "shortName", "id"]),
        _ => node.plain_text(),
    }
}

/// Returns the first value of the attributes `names` that is not empty; an empty string if there is none.
fn first(node: &Node<'_>, names: &[&str]) -> String {
    let said = names.iter().filter_map(|it| node.get(it)).map(|it| it.shown());
    said.into_iter().find(|it| !it.is_empty()).unwrap_or_default().to_owned()
}
