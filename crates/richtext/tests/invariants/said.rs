//! The content of a tree as JSON, for a second comparison of trees that uses none of the crate's own code for
//! comparing.
//!
//! In: blocks. Out: JSON that is equal for trees with the same content. It leaves out identifiers, the choice
//! between two spellings of one meaning, the order of marks, and the division of text into nodes.

use plainwire_richtext::tree::{Attr, Kind, Mark, Node, Value as Said};
use plainwire_richtext::{Document, Format};
use serde_json::{Map, Value, json};

/// Returns the content of these nodes as JSON.
pub(crate) fn said(nodes: &[Node<'_>]) -> Value {
    let mut all: Vec<Value> = Vec::new();
    for node in nodes {
        let own = one(node);
        match all.last_mut() {
            Some(last) if node.kind == Kind::Text && joins(last, &own) => {
                let text = format!("{}{}", last["text"].as_str().unwrap_or_default(), node.text);
                last["text"] = text.into();
            }
            _ if node.kind == Kind::Text && node.text.is_empty() => {}
            _ => all.push(own),
        }
    }
    // One empty paragraph is what some formats require where there is nothing.
    if let [only] = nodes
        && only.kind == Kind::Paragraph
        && all[0]["children"] == json!([])
        && all[0]["attrs"] == json!({})
        && all[0]["marks"] == json!([])
    {
        return json!([]);
    }
    Value::Array(all)
}

/// Returns the Markdown for an edit of a document: what an edit can see and change.
pub(crate) fn shown(document: &Document<'_>) -> String {
    plainwire_richtext::Sidecar::split(document).0
}

/// Reads a source, and returns its content as JSON.
pub(crate) fn said_by(format: Format, source: &str) -> Value {
    said(&Document::read(format, source).blocks)
}

/// Returns `said` without attributes that have their default value, and without the name of each mention that
/// has an id.
pub(crate) fn meant(mut said: Value) -> Value {
    match &mut said {
        Value::Array(all) => all.iter_mut().for_each(|it| *it = meant(it.take())),
        Value::Object(node) => {
            let is_somebody = node.get("kind") == Some(&"Mention".into());
            if let Some(Value::Object(attrs)) = node.get_mut("attrs") {
                let named = is_somebody && attrs.contains_key("id");
                attrs.retain(|name, value| {
                    let is_default = matches!(name.as_str(), "order" | "colspan" | "rowspan")
                        && value["json"] == 1
                        || name == "layout" && value == "default"
                        || ["accessLevel", "style"].contains(&name.as_str()) && value == "";
                    // A cell that names no width has that of its column.
                    !(is_default || named && name == "text" || name == "colwidth")
                });
            }
            for part in ["marks", "children"] {
                if let Some(it) = node.get_mut(part) {
                    *it = meant(it.take());
                }
            }
        }
        _ => {}
    }
    said
}

fn joins(last: &Value, own: &Value) -> bool {
    last["kind"] == "Text" && last["marks"] == own["marks"] && last["attrs"] == own["attrs"]
}

fn one(node: &Node<'_>) -> Value {
    let mut marks: Vec<Value> = node.marks.iter().map(mark).collect();
    marks.sort_by_key(Value::to_string);
    json!({
        "kind": format!("{:?}", node.kind),
        "attrs": attrs(&node.attrs),
        "marks": marks,
        "text": node.text,
        "children": children(node),
    })
}

/// Returns the children of a node; in items and cells with an empty line in place of the end of each paragraph that another one
/// follows, because wiki markup has only one paragraph there.
fn children(node: &Node<'_>) -> Value {
    let all = said(&node.children);
    let (Kind::ListItem | Kind::TableCell | Kind::TableHeader, Value::Array(blocks)) = (node.kind, &all)
    else {
        return all;
    };
    let is_plain = |it: &Value| {
        it["kind"] == "Paragraph"
            && it["attrs"] == json!({})
            && it["marks"] == json!([])
            && it["children"] != json!([])
    };
    let line_end = one(&Node::new(Kind::HardBreak));
    let mut joined: Vec<Value> = Vec::new();
    for block in blocks {
        match joined.last_mut() {
            Some(last) if is_plain(last) && is_plain(block) => {
                let more = [
                    &[line_end.clone(), line_end.clone()],
                    &block["children"].as_array().expect("a list")[..],
                ];
                last["children"].as_array_mut().expect("a list").extend(more.concat());
            }
            _ => joined.push(block.clone()),
        }
    }
    Value::Array(joined)
}

fn mark(mark: &Mark<'_>) -> Value {
    json!({ "kind": format!("{:?}", mark.kind), "attrs": attrs(&mark.attrs) })
}

fn attrs(attrs: &[Attr<'_>]) -> Value {
    const IDENTITY: [&str; 17] = [
        "localId",
        "/localId",
        "ac:macro-id",
        "ac:local-id",
        "ac:schema-version",
        "ac:task-id",
        "ac:task-uuid",
        "ri:version-at-save",
        "storage:body",
        "storage:element",
        "storage:form",
        "storage:section",
        "storage:version",
        "wiki:form",
        "wiki:language",
        "wiki:lines",
        "wiki:width",
    ];
    let mut all = Map::new();
    for attr in attrs {
        let empty = ["/attrs", "/content", "/marks"].contains(&attr.name.as_ref())
            && ["{}", "[]"].contains(&attr.value.shown().replace(char::is_whitespace, "").as_str());
        let line_feed = attr.name == "text" && attr.value.shown() == "\n";
        if empty || line_feed || IDENTITY.contains(&attr.name.as_ref()) {
            continue;
        }
        all.insert(attr.name.to_string(), value(attr));
    }
    Value::Object(all)
}

fn value(attr: &Attr<'_>) -> Value {
    match &attr.value {
        Said::Str(text) => text.as_ref().into(),
        Said::Json(text) => {
            let mut value = serde_json::from_str(text).unwrap_or_else(|_| format!("not JSON: {text}").into());
            if attr.name == "parameters"
                && let Value::Object(members) = &mut value
            {
                members.remove("macroMetadata");
            }
            json!({ "json": value })
        }
    }
}

/// Returns the part of both values around their first difference, for a message.
pub(crate) fn first_difference(a: &Value, b: &Value) -> String {
    let (a, b) = (a.to_string(), b.to_string());
    let at = a.bytes().zip(b.bytes()).take_while(|it| it.0 == it.1).count();
    let shown = |text: &str| {
        let from = at.saturating_sub(60);
        String::from_utf8_lossy(&text.as_bytes()[from..(at + 80).min(text.len())]).into_owned()
    };
    format!("{} | {}", shown(&a), shown(&b))
}
