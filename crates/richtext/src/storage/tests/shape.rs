//! A short form of a tree: two trees have equal shapes if and only if they mean the same.
//!
//! The short form leaves out spans, the order of attributes and marks, the division of text into nodes, and
//! attributes that record how another format spells a node.

use thin_vec::ThinVec;

use crate::tree::{Attr, Kind, Node, Value};
use crate::values::json;

/// Returns the short form of the nodes.
pub(super) fn shape(nodes: &[Node<'_>]) -> String {
    let mut out = Vec::new();
    let mut texts: Option<(String, String)> = None;
    for node in nodes {
        if node.kind != Kind::Text {
            flush(&mut texts, &mut out);
            out.push(one(node));
            continue;
        }
        let marks = marks(node);
        match &mut texts {
            Some((text, same)) if *same == marks => text.push_str(&node.text),
            _ => {
                flush(&mut texts, &mut out);
                texts = Some((node.text.to_string(), marks));
            }
        }
    }
    flush(&mut texts, &mut out);
    out.join(" ")
}

fn flush(texts: &mut Option<(String, String)>, out: &mut Vec<String>) {
    if let Some((text, marks)) = texts.take().filter(|it| !it.0.is_empty()) {
        out.push(format!("{text:?}{marks}"));
    }
}

fn one(node: &Node<'_>) -> String {
    let mut out = format!("{:?}{}{}", node.kind, attrs(&said(node)), marks(node));
    if !node.text.is_empty() {
        out.push_str(&format!(" {:?}", node.text));
    }
    if !node.children.is_empty() {
        out.push_str(&format!("[{}]", shape(&node.children)));
    }
    out
}

fn marks(node: &Node<'_>) -> String {
    let mut marks: Vec<_> =
        node.marks.iter().map(|it| format!("+{:?}{}", it.kind, attrs(&it.attrs))).collect();
    marks.sort();
    marks.concat()
}

/// Returns the attributes of `node` that matter for its meaning. A mention with an id loses its text and its
/// default values, because Confluence shows the name that belongs to the id. Attributes that only record that
/// something is empty are left out.
fn said<'a>(node: &Node<'a>) -> ThinVec<Attr<'a>> {
    let named = node.kind == Kind::Mention && node.get("id").is_some();
    let empty = |it: &Attr<'a>| it.name.starts_with('/') && it.is_incidental();
    let is_said = |it: &&Attr<'a>| !empty(it) && (!named || it.name != "text" && !it.is_default());
    node.attrs.iter().filter(is_said).cloned().collect()
}

fn attrs(attrs: &[Attr<'_>]) -> String {
    let mut shown: Vec<_> = attrs.iter().filter(|it| matters(&it.name)).map(attr).collect();
    shown.sort();
    if shown.is_empty() { String::new() } else { format!("{{{}}}", shown.join(" ")) }
}

fn matters(name: &str) -> bool {
    name != "storage:version"
        && name.split_once(':').is_none_or(|it| matches!(it.0, "html" | "ac" | "ri" | "param" | "storage"))
}

fn attr(attr: &Attr<'_>) -> String {
    match &attr.value {
        Value::Str(text) => format!("{}={text:?}", attr.name),
        Value::Json(text) => format!("{}={}", attr.name, canonical(text)),
    }
}

/// Returns JSON with the members of its objects sorted.
fn canonical(text: &str) -> String {
    if let Some(members) = json::members(text) {
        let mut shown: Vec<_> = members.iter().map(|it| format!("{:?}:{}", it.0, canonical(it.1))).collect();
        shown.sort();
        return format!("{{{}}}", shown.join(","));
    }
    match json::elements(text) {
        Some(elements) => {
            format!("[{}]", elements.iter().map(|it| canonical(it)).collect::<Vec<_>>().join(","))
        }
        None => text.trim().to_owned(),
    }
}
