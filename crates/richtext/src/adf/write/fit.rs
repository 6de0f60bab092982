//! Checks whether a node can be written in its position without a repair.

use super::super::schema::Model;
use crate::tree::{Kind, Node};

/// Returns whether the schema allows `node` in `parent` (`None`: the document), and neither the node nor a
/// descendant needs a repair.
pub(super) fn fits(node: &Node<'_>, parent: Option<Kind>) -> bool {
    is_allowed(node, parent) && is_sound(node) && is_full(node) && {
        node.children.iter().all(|it| fits(it, Some(node.kind)))
    }
}

/// Returns whether the schema allows a node of this kind in `parent` (`None`: the document), regardless of
/// its attributes and children. Raw ADF that is written unchanged is allowed everywhere, because this crate
/// does not know its kind.
pub(super) fn is_allowed(node: &Node<'_>, parent: Option<Kind>) -> bool {
    let kind = match node.kind {
        Kind::Group | Kind::Image => return false,
        // This crate does not understand raw ADF, so it may be valid in this position.
        Kind::RawBlock | Kind::RawInline if format(node) == "adf" && super::is_verbatim(node) => return true,
        Kind::RawBlock | Kind::RawInline if format(node) == "markdown" => return false,
        Kind::RawBlock => Kind::Extension,
        Kind::RawInline => Kind::InlineExtension,
        kind => kind,
    };
    Model::of(parent).is_none_or(|it| it.allows(kind))
}

/// Returns the name of the format that a raw node's source is in.
pub(super) fn format<'n>(node: &'n Node<'_>) -> &'n str {
    node.text_of("/format").unwrap_or("adf")
}

/// Returns whether a node has the attributes that the writer can't make up, such as the id of a mention. Also
/// `false` for an empty text, and for a panel whose title has to become a heading.
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

/// The most columns of a layout section.
pub(super) const MAX_COLUMNS: usize = 3;

/// Returns whether a node has as many children as the schema requires and allows; for a `mediaSingle`, whether it has
/// children of the required kinds. Raw ADF among the children counts as enough, because it may contain
/// several nodes.
pub(super) fn is_full(node: &Node<'_>) -> bool {
    if node.kind == Kind::LayoutSection && node.children.len() > MAX_COLUMNS {
        return false;
    }
    if node.kind == Kind::MediaSingle {
        let kinds: Vec<_> = node.children.iter().map(|it| it.kind).collect();
        return matches!(&*kinds, [Kind::Media] | [Kind::Media, Kind::Caption])
            || kinds.contains(&Kind::RawBlock);
    }
    // The schema has two kinds of layout section, and the model has the lower minimum of the two. Two columns
    // suit both.
    let least = if node.kind == Kind::LayoutSection { 2 } else { 0 };
    // A raw node may contain several nodes.
    let raw = |it: &Node<'_>| it.kind.is_verbatim() && format(it) == "adf" && super::is_verbatim(it);
    Model::of(Some(node.kind)).is_none_or(|it| node.children.len() >= it.least.max(least))
        || node.children.iter().any(raw)
}
