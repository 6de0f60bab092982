//! Losses that reading a written text does not show: addresses that lead nowhere, and JSON in wiki markup.
//!
//! In: the nodes, and the text before and after. Out: losses and diagnostics. Reading the written text again does not show
//! these, because this crate understands what it wrote.

use std::collections::BTreeMap;

use crate::diagnostic::Diagnostic;
use crate::format::Format;
use crate::loss::{Loss, LossKind, MAX_LOSSES};
use crate::names::newly_named;
use crate::tree::{Node, Span};
use crate::values::hrefs::Target;

/// Returns the losses in `edited` that reading the new source does not show: names that a format without names of mentions
/// leaves out (only losses of identity, because the id decides who is mentioned), and addresses that lead nowhere. `base` is
/// the Markdown before the edit, and `is_known` says whether the source had an address.
pub(crate) fn of_edit(
    format: Format,
    base: &[Node<'_>],
    edited: &[Node<'_>],
    is_known: &dyn Fn(&str) -> bool,
) -> Vec<Loss> {
    let loss = |it: Diagnostic| Loss { kind: LossKind::Identity, message: it.message, span: it.span };
    match format {
        Format::Markdown(_) => Vec::new(),
        Format::Adf => addresses(format, edited, is_known),
        Format::Storage | Format::Wiki(_) => newly_named(base, edited).into_iter().map(loss).collect(),
    }
}

/// Returns losses for the addresses in `nodes` that products do not follow, except those that the document had before an edit.
/// Only ADF has such: it has no links to pages, files and shortcuts by name.
pub(crate) fn addresses(to: Format, nodes: &[Node<'_>], is_known: &dyn Fn(&str) -> bool) -> Vec<Loss> {
    if to != Format::Adf {
        return Vec::new();
    }
    let mut found = Vec::new();
    nodes.iter().for_each(|it| gather(it, &mut found));
    let loss = |(node, address): (&Node<'_>, &str)| Loss {
        kind: LossKind::Attribute,
        message: format!(
            "{}: expected the web address of a {}, but found only its name: {address}",
            node.kind.shown(),
            if address.starts_with("attachment:") { "file" } else { "page" },
        ),
        span: node.span,
    };
    found.into_iter().filter(|it| !is_known(it.1)).take(MAX_LOSSES).map(loss).collect()
}

/// Adds the addresses of `node` and its descendants that name a page, a file or a shortcut.
fn gather<'n, 'a>(node: &'n Node<'a>, found: &mut Vec<(&'n Node<'a>, &'n str)>) {
    let marks = node.marks.iter().filter_map(|it| it.text("href"));
    let is_named = |it: &&str| !matches!(Target::of(it), None | Some(Target::Anchor { .. }));
    found.extend(node.text_of("url").into_iter().chain(marks).filter(is_named).map(|it| (node, it)));
    node.children.iter().for_each(|it| gather(it, found));
}

/// Returns diagnostics for the kinds of nodes that `after`, wiki markup that was written for `blocks`, has more often as JSON
/// in the macro `{adf}` than `before`.
pub(crate) fn json_in_wiki(to: Format, before: &str, after: &str, blocks: &[Node<'_>]) -> Vec<Diagnostic> {
    if !matches!(to, Format::Wiki(_)) || !has_json(after) {
        return Vec::new();
    }
    let old = counts(before);
    let new = counts(after).into_iter();
    let more = new.filter(|(name, count)| *count > old.get(name).copied().unwrap_or_default());
    let told = |(name, _): (&str, usize)| {
        let span = blocks.iter().find_map(|it| place(it, name)).unwrap_or_default();
        let found = format!("expected wiki markup for the {name}, but it has none here");
        Diagnostic::new(span, format!("{found}: it is JSON in the macro {{adf}}, which Jira Cloud reads"))
    };
    more.map(told).collect()
}

/// Returns whether wiki markup has a macro `{adf}`.
pub(crate) fn has_json(wiki: &str) -> bool {
    memchr::memmem::find(wiki.as_bytes(), OPEN.as_bytes()).is_some()
}

/// The beginning of the macro in which nodes are JSON.
const OPEN: &str = "{adf:display=";

/// Returns how often nodes of each kind are in macros `{adf}`.
fn counts(wiki: &str) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for part in wiki.split(OPEN).skip(1) {
        let name = part.split_once("{\"type\":\"").and_then(|it| it.1.split_once('"')).map(|it| it.0);
        *counts.entry(name.unwrap_or_default()).or_default() += 1;
    }
    counts
}

/// Returns the span of the first node called `name` in `node`.
fn place(node: &Node<'_>, name: &str) -> Option<Span> {
    if node.kind.adf_name() == Some(name) {
        return Some(node.span);
    }
    node.children.iter().find_map(|it| place(it, name))
}
