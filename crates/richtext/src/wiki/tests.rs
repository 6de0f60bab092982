//! Tests of wiki markup: reading it, writing it, and the spans of its texts.

mod constructs;
mod fuzz;
mod limits;
mod oracle;
mod spelling;
mod trees;

use thin_vec::ThinVec;

use super::Wiki;
use crate::format::Dialect;
use crate::spelling::Spelling;
use crate::tree::{Kind, Mark, Node, misplaced};

const BOTH: [Dialect; 2] = [Dialect::Jira, Dialect::Confluence];

fn read(source: &str, dialect: Dialect) -> ThinVec<Node<'_>> {
    let (blocks, _) = Wiki { dialect, keep_raw: true }.read(source);
    assert_eq!(misplaced(&blocks, source), None, "{source:?}");
    decoded(&blocks, Kind::Paragraph, source);
    blocks
}

/// Checks, for texts of less than 2,000 bytes, that the source at the span of the text decodes to the text,
/// that the end of the text has a position in that source, and, outside of code, that the positions of its
/// characters are in order.
fn decoded(nodes: &[Node<'_>], parent: Kind, source: &str) {
    for node in nodes {
        if node.kind == Kind::Text && !node.inner.is_empty() && node.text.len() < 2000 {
            let spelling = &source[node.inner.range()];
            let place = |it| super::chars::place(spelling, it);
            if parent == Kind::CodeBlock {
                assert_eq!(spelling.replace("\r\n", "\n"), node.text, "{spelling:?}");
                assert_eq!(
                    super::chars::place_in_code(spelling, node.text.len()),
                    Some(spelling.len()),
                    "{spelling:?}"
                );
            } else if !(node.marks.is_empty() && node.text == spelling) {
                assert_eq!(super::chars::decode(spelling), node.text, "{spelling:?}");
                assert_eq!(place(node.text.len()), Some(spelling.len()), "{spelling:?}");
                let places: Vec<_> = node.text.char_indices().filter_map(|it| place(it.0)).collect();
                assert!(places.is_sorted(), "{spelling:?}: {places:?}");
            }
        }
        decoded(&node.children, node.kind, source);
    }
}

/// Returns the nodes in one line of text, without spans.
fn shown(nodes: &[Node<'_>]) -> String {
    nodes.iter().map(show).collect::<Vec<_>>().join(" ")
}

fn show(node: &Node<'_>) -> String {
    let attrs = |it: &[crate::tree::Attr<'_>]| {
        it.iter().map(|it| format!("{}={}", it.name, it.value.shown())).collect::<Vec<_>>().join(",")
    };
    let marks = |it: &Mark<'_>| {
        format!(
            "^{}{}",
            it.name(),
            if it.attrs.is_empty() { String::new() } else { format!("<{}>", attrs(&it.attrs)) }
        )
    };
    let marks: String = node.marks.iter().map(marks).collect();
    if node.kind == Kind::Text {
        return format!("{:?}{marks}", node.text);
    }
    let name = node.kind.adf_name().map_or_else(|| format!("{:?}", node.kind), str::to_owned);
    let raw = if node.text.is_empty() { String::new() } else { format!("{:?}", node.text) };
    let said = if node.attrs.is_empty() { String::new() } else { format!("<{}>", attrs(&node.attrs)) };
    let held = if node.children.is_empty() { String::new() } else { format!("[{}]", shown(&node.children)) };
    format!("{name}{said}{raw}{marks}{held}")
}

/// Checks that the tree of `source` is equal after writing and reading. Returns the written markup.
fn survives(source: &str, dialect: Dialect) -> String {
    let blocks = read(source, dialect);
    let written = Wiki { dialect, keep_raw: true }.document(&blocks);
    let again = read(&written, dialect);
    // A node that is written as the JSON of ADF loses the attributes that ADF does not have.
    let has_foreign = !written.contains("{adf:");
    let normal = |it: &[Node<'_>]| shown(&merged(it, has_foreign));
    assert_eq!(normal(&again), normal(&blocks), "{dialect:?} {source:?} was written {written:?}");
    drop(again);
    written
}

/// Joins neighbouring texts with equal marks. Removes the attributes that are about wiki markup only and,
/// unless `has_foreign`, those of other formats.
fn merged<'a>(nodes: &[Node<'a>], has_foreign: bool) -> ThinVec<Node<'a>> {
    let mut out: ThinVec<Node<'a>> = ThinVec::new();
    for node in nodes {
        let mut node = node.clone();
        let keeps =
            |it: &crate::tree::Attr<'_>| !it.name.starts_with("wiki:") && (has_foreign || !it.is_foreign());
        node.children = merged(&node.children, has_foreign);
        node.attrs.retain(keeps);
        node.attrs.sort_by(|one, other| one.name.cmp(&other.name));
        node.marks.iter_mut().for_each(|it| it.attrs.retain(keeps));
        match out
            .last_mut()
            .filter(|it| it.kind == Kind::Text && node.kind == Kind::Text && it.marks == node.marks)
        {
            Some(last) => last.text = format!("{}{}", last.text, node.text).into(),
            None => out.push(node),
        }
    }
    out
}
