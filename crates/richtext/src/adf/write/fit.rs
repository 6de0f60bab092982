//! Checks whether a node can be written unchanged in its position.

use super::super::schema::Model;
use crate::tree::{Kind, Node};

/// Returns whether `node` and its descendants may be in `parent` (`None`: the document).
pub(super) fn fits(node: &Node<'_>, parent: Option<Kind>) -> bool {
    is_allowed(node, parent) && is_sound(node) && is_full(node) && {
        node.children.iter().all(|it| fits(it, Some(node.kind)))
    }
}

/// Returns whether `node` may be in `parent`, regardless of its children.
pub(super) fn is_allowed(node: &Node<'_>, parent: Option<Kind>) -> bool {
    let kind = match node.kind {
        Kind::Group | Kind::Image => return false,
        // Raw ADF is unknown to this crate, so it may be valid in this position.
        Kind::RawBlock | Kind::RawInline if format(node) == "adf" && super::is_verbatim(node) => return true,
        Kind::RawBlock | Kind::RawInline if format(node) == "markdown" => return false,
        Kind::RawBlock => Kind::Extension,
        Kind::RawInline => Kind::InlineExtension,
        kind => kind,
    };
    Model::of(parent).is_none_or(|it| it.allows(kind))
}

pub(super) fn format<'n>(node: &'n Node<'_>) -> &'n str {
    node.text_of("/format").unwrap_or("adf")
}

/// Returns whether a node has the attributes that only its source can provide, and no panel title that has to
/// become a heading.
pub(super) fn is_sound(node: &Node<'_>) -> bool {
    let has = |name| node.get(name).is_some();
    match node.kind {
        Kind::Text => !node.text.is_empty(),
        Kind::Panel => !has("param:title"),
        Kind::Date => has("timestamp"),
        Kind::Mention => has("id"),
        Kind::MediaInline => has("id"),
        Kind::Media => has("id") || has("url"),
        Kind::EmbedCard => has("url"),
        Kind::InlineCard | Kind::BlockCard => has("url") || has("data") || has("datasource"),
        _ => true,
    }
}

/// Returns whether a node has the children it needs.
pub(super) fn is_full(node: &Node<'_>) -> bool {
    if node.kind == Kind::MediaSingle {
        let kinds: Vec<_> = node.children.iter().map(|it| it.kind).collect();
        return matches!(&*kinds, [Kind::Media] | [Kind::Media, Kind::Caption])
            || kinds.contains(&Kind::RawBlock);
    }
    // The schema has two kinds of section, and the model has the lower minimum of the two. Two columns suit
    // both.
    let least = if node.kind == Kind::LayoutSection { 2 } else { 0 };
    // A raw node may contain several nodes.
    let raw = |it: &Node<'_>| it.kind.is_verbatim() && format(it) == "adf" && super::is_verbatim(it);
    Model::of(Some(node.kind)).is_none_or(|it| node.children.len() >= it.least.max(least))
        || node.children.iter().any(raw)
}
