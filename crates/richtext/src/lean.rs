//! Blocks without what an edit leaves as it is in the source: widths, classes, collections of files and the like.
//!
//! In: a block of a source. Out: the block with what a writer reads and changes. An edit leaves the rest as it is in the source:
//! it stays with its block, row, cell or node, wherever that goes.

use std::borrow::Cow;

use thin_vec::ThinVec;

use crate::emoji;
use crate::tree::{Attr, Kind, MACRO, MarkKind, Node, Value};
use crate::values::parameters;

/// Returns what is shown of `block`; the block itself if that is all of it.
pub(crate) fn lean<'n, 'a>(block: &'n Node<'a>) -> Cow<'n, Node<'a>> {
    if is_lean(block) { Cow::Borrowed(block) } else { Cow::Owned(leaned(block)) }
}

/// Returns whether the paragraph is an empty line, which is not shown. It stays where it is.
pub(crate) fn is_unseen(node: &Node<'_>) -> bool {
    node.kind == Kind::Paragraph && node.children.iter().all(|it| it.kind == Kind::Text && it.text.is_empty())
}

/// Returns the nodes of `ours` that its Markdown shows as `base`: without empty paragraphs, if the Markdown leaves them out.
pub(crate) fn seen<'n, 'x>(ours: &'n [Node<'x>], base: &[Node<'_>]) -> Vec<&'n Node<'x>> {
    if ours.len() > base.len() && !base.iter().any(is_unseen) {
        return ours.iter().filter(|it| !is_unseen(it)).collect();
    }
    ours.iter().collect()
}

/// Returns `nodes` with the empty paragraphs of `ours` that Markdown does not show, each after the node that it follows in the
/// source. `places` has the index in `seen`, the nodes that Markdown shows, of each of `nodes`.
pub(crate) fn with_unseen<'x>(
    nodes: ThinVec<Node<'x>>,
    places: &[Option<usize>],
    seen: &[&Node<'x>],
    ours: &[Node<'x>],
) -> ThinVec<Node<'x>> {
    let after = |it: Option<&Node<'x>>| {
        let start =
            it.and_then(|it| ours.iter().position(|own| std::ptr::eq(own, it))).map_or(0, |it| it + 1);
        ours[start..].iter().take_while(|it| is_unseen(it)).cloned()
    };
    let mut all: ThinVec<Node<'x>> = after(None).collect();
    for (node, place) in nodes.into_iter().zip(places) {
        all.push(node);
        if let Some(at) = place {
            all.extend(after(Some(seen[*at])));
        }
    }
    all
}

fn is_lean(node: &Node<'_>) -> bool {
    let has_marks = node.kind.is_inline() || node.marks.iter().all(|it| is_shown_mark(it.kind));
    let name = node.text_of("shortName").filter(|_| node.kind == Kind::Emoji);
    let is_short = name.and_then(emoji::named).is_some() && !emoji::is_named(node);
    has_marks
        && !is_short
        && node.attrs.iter().all(|it| is_shown(node, it))
        && !(may_hide(node) && node.children.iter().any(is_unseen))
        && node.children.iter().all(is_lean)
}

fn leaned<'a>(node: &Node<'a>) -> Node<'a> {
    let mut lean = Node { attrs: ThinVec::new(), children: ThinVec::new(), ..node.clone() };
    if !node.kind.is_inline() {
        lean.marks.retain(|it| is_shown_mark(it.kind));
    }
    lean.attrs = match node.text_of("shortName").and_then(emoji::named) {
        Some(named) if node.kind == Kind::Emoji => named.attrs,
        _ => node.attrs.iter().filter_map(|it| shown(node, it)).collect(),
    };
    let hides = may_hide(node);
    lean.children = node.children.iter().filter(|it| !(hides && is_unseen(it))).map(leaned).collect();
    lean
}

/// Returns whether empty paragraphs in `node` can be left out: it has other blocks, too.
fn may_hide(node: &Node<'_>) -> bool {
    let is_holder = matches!(
        node.kind,
        Kind::Panel
            | Kind::Expand
            | Kind::NestedExpand
            | Kind::LayoutColumn
            | Kind::TableCell
            | Kind::TableHeader
            | Kind::BodiedExtension
            | Kind::Group
    );
    is_holder && !node.children.iter().all(is_unseen) && !node.children.iter().any(|it| it.kind.is_inline())
}

/// Returns whether a mark of a block says something to a writer.
fn is_shown_mark(kind: MarkKind) -> bool {
    !matches!(kind, MarkKind::Breakout | MarkKind::Fragment | MarkKind::Border | MarkKind::DataConsumer)
}

fn is_shown(node: &Node<'_>, attr: &Attr<'_>) -> bool {
    match (&*attr.name, &attr.value) {
        ("parameters", Value::Json(json)) => shown_parameters(node, json).is_some_and(|it| it == **json),
        // A colour that only a style sheet names.
        ("panelColor", Value::Str(color)) if color.starts_with("var(") => false,
        ("colspan" | "rowspan", _) if attr.is_default() => false,
        _ => attr.is_incidental() || is_shown_name(node, &attr.name),
    }
}

/// Returns what is shown of an attribute; `None` if nothing is.
fn shown<'a>(node: &Node<'_>, attr: &Attr<'a>) -> Option<Attr<'a>> {
    match (&*attr.name, &attr.value) {
        ("parameters", Value::Json(json)) => Some(Attr::json("parameters", shown_parameters(node, json)?)),
        _ => is_shown(node, attr).then(|| attr.clone()),
    }
}

/// Returns the parameters of a macro that are shown: their texts. Returns `None` if none of `json` is shown.
fn shown_parameters(node: &Node<'_>, json: &str) -> Option<String> {
    if node.text_of("extensionType") != Some(MACRO) {
        return None;
    }
    let Some(parts) = parameters::read(json) else { return Some(parameters::of_texts([], None)) };
    let is_name = |it: &str| !it.contains([':', '/']) && it != "_name" && !it.starts_with("breakout");
    let texts = parts.params.iter().filter(|it| is_name(&it.0) && !(it.1.is_empty() && it.2.is_some()));
    Some(parameters::of_texts(texts.map(|it| (&*it.0, &*it.1)), parts.body.as_deref()))
}

/// Returns whether an attribute of this name is shown.
fn is_shown_name(node: &Node<'_>, name: &str) -> bool {
    let has_url = || node.get("url").is_some();
    match node.kind {
        _ if name.starts_with('/') => true,
        _ if name.contains(':') => matches!(name, "param:title" | "html:title"),
        Kind::Table => name == "isNumberColumnEnabled",
        Kind::TableRow | Kind::ListItem | Kind::Paragraph | Kind::LayoutSection => false,
        Kind::TableCell | Kind::TableHeader => matches!(name, "colspan" | "rowspan" | "background"),
        Kind::MediaSingle => matches!(name, "layout" | "width"),
        Kind::Media => matches!(name, "type" | "id" | "url" | "alt"),
        Kind::MediaInline => matches!(name, "id" | "alt" | "url" | "type"),
        Kind::Mention => matches!(name, "id" | "text"),
        Kind::Emoji => emoji::is_named(node) || name == "shortName" || !is_by_name(node),
        Kind::Status => matches!(name, "text" | "color"),
        Kind::InlineCard | Kind::BlockCard | Kind::EmbedCard => {
            matches!(name, "url" | "layout" | "width") || !has_url() && matches!(name, "data" | "datasource")
        }
        Kind::Extension | Kind::BodiedExtension | Kind::InlineExtension => {
            matches!(name, "extensionType" | "extensionKey" | "text")
        }
        Kind::Panel => matches!(name, "panelType" | "panelColor" | "panelIconText"),
        Kind::LayoutColumn => name == "width",
        Kind::CodeBlock => name == "language",
        _ => true,
    }
}

/// Returns whether the short name of an emoji is all that is shown of it.
fn is_by_name(node: &Node<'_>) -> bool {
    node.text_of("shortName").is_some_and(|it| it.len() > 2 && it.starts_with(':') && it.ends_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::spelling::of;

    /// Returns the Markdown of what is shown of a source in storage format.
    fn shown(source: &str) -> String {
        let (blocks, _) = of(Format::Storage).read(source);
        let blocks: Vec<Node<'_>> = blocks.iter().map(|it| lean(it).into_owned()).collect();
        of(Format::EDITED).document(&blocks)
    }

    #[test]
    fn a_table_with_widths_is_a_table_of_pipes() {
        let table = r#"<table class="wrapped" data-layout="wide"><colgroup><col style="width: 10.0px;" /></colgroup><tbody><tr><th><p>a</p></th></tr><tr><td class="x"><p local-id="1">b</p></td></tr></tbody></table>"#;
        assert_eq!(shown(table), "| a |\n| --- |\n| b |\n");
    }

    #[test]
    fn a_macro_shows_the_texts_of_its_parameters() {
        let include = r#"<ac:structured-macro ac:name="include" ac:macro-id="m"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="Home" /></ac:link></ac:parameter></ac:structured-macro>"#;
        assert_eq!(shown(include), "::macro{name=include _=Home}\n");
    }

    #[test]
    fn what_shows_all_is_not_copied() {
        let (blocks, _) = of(Format::Storage).read("<p local-id=\"1\">a <strong>b</strong></p>");
        assert!(matches!(lean(&blocks[0]), Cow::Borrowed(_)));
    }
}
