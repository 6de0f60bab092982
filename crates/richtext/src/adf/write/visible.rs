//! What a reader sees of what ADF has no node for.

use crate::tree::{Kind, Node};

use super::fit::format;

/// The text a person would see in place of `node`; empty if there is none.
pub(super) fn text(node: &Node<'_>) -> String {
    match node.kind {
        Kind::RawInline | Kind::RawBlock if format(node) == "markdown" => without_tags(&node.text),
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

fn first(node: &Node<'_>, names: &[&str]) -> String {
    let said = names.iter().filter_map(|it| node.get(it)).map(|it| it.shown());
    said.into_iter().find(|it| !it.is_empty()).unwrap_or_default().to_owned()
}

/// HTML as a person sees it: comments and tags show nothing.
fn without_tags(html: &str) -> String {
    let (mut seen, mut rest) = (String::new(), html);
    while let Some(start) = rest.find('<') {
        seen.push_str(&rest[..start]);
        rest = &rest[start..];
        let is_tag = rest[1..].starts_with(|it: char| it.is_ascii_alphabetic() || "/!?".contains(it));
        let close = if rest.starts_with("<!--") { "-->" } else { ">" };
        match rest.find(close).filter(|_| is_tag) {
            Some(end) => rest = &rest[end + close.len()..],
            None => {
                seen.push('<');
                rest = &rest[1..];
            }
        }
    }
    seen.push_str(rest);
    seen.trim().to_owned()
}
