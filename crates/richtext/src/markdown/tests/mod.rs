//! Tests of reading and writing Markdown, and of reading what was written as the same blocks.

mod corpora;
mod hazards;
mod parts;
mod reading;
mod robust;
mod spans;
mod writing;

use thin_vec::ThinVec;

use super::Markdown;
use crate::Flavor;
use crate::spelling::Spelling;
use crate::tree::{Attr, Kind, Mark, MarkKind, Node, Value};

const EXTENDED: Markdown = Markdown { flavor: Flavor::Extended };
const PLAIN: Markdown = Markdown { flavor: Flavor::Plain };

fn read(source: &str) -> ThinVec<Node<'_>> {
    EXTENDED.read(source).0
}

fn write(nodes: &[Node<'_>]) -> String {
    EXTENDED.document(nodes)
}

/// Returns a tree as text for comparisons. The text leaves out spans and identifiers, sorts attributes and
/// marks, and joins neighbouring texts.
fn shown(nodes: &[Node<'_>]) -> String {
    let mut out = String::new();
    show(nodes, 0, &mut out);
    out
}

fn show(nodes: &[Node<'_>], depth: usize, out: &mut String) {
    let mut last: Option<String> = None;
    for node in nodes {
        let head = head(node);
        if node.kind == Kind::Text {
            if node.text.is_empty() {
                continue;
            }
            if last.as_ref() == Some(&head) {
                out.pop();
                out.pop();
                out.push_str(&format!("{:?}\n", node.text)[1..]);
                continue;
            }
            out.push_str(&format!("{}{head} {:?}\n", " ".repeat(depth), node.text));
            last = Some(head);
            continue;
        }
        last = None;
        out.push_str(&format!("{}{head} {:?}\n", " ".repeat(depth), node.text));
        show(&node.children, depth + 1, out);
    }
}

fn head(node: &Node<'_>) -> String {
    let mut said = attrs(&node.attrs);
    said.sort();
    let mut marks: Vec<String> = node
        .marks
        .iter()
        .filter(|_| node.kind != Kind::HardBreak)
        .map(|it| {
            let mut said = attrs(&it.attrs);
            said.sort();
            format!("{:?}{said:?}", it.kind)
        })
        .collect();
    marks.sort();
    format!("{:?} {said:?} {marks:?}", node.kind)
}

fn attrs(all: &[Attr<'_>]) -> Vec<String> {
    let carried = all.iter().filter(|it| super::attrs::is_carried(it));
    let value = |it: &Value<'_>| match it {
        Value::Str(text) => format!("{text:?}"),
        Value::Json(json) => {
            let json = strip_identity(json);
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(&json);
            parsed.map_or(json, |it| it.to_string())
        }
    };
    carried.map(|it| format!("{}={}", it.name, value(&it.value))).collect()
}

/// Returns `json`, the `parameters` of a macro in ADF, without `macroMetadata` if that has only identifiers;
/// otherwise unchanged.
fn strip_identity(json: &str) -> String {
    let Some(members) = crate::values::json::members(json) else { return json.to_owned() };
    if !members.iter().any(|it| it.0 == "macroMetadata")
        || members.iter().any(|it| !matches!(&*it.0, "macroParams" | "macroMetadata"))
    {
        return json.to_owned();
    }
    let known = |json: &str| {
        crate::values::json::members(json)
            .is_some_and(|it| it.iter().all(|it| matches!(&*it.0, "macroId" | "schemaVersion")))
    };
    match (members.iter().find(|it| it.0 == "macroParams"), members.iter().find(|it| it.0 == "macroMetadata"))
    {
        (Some(params), Some(meta)) if known(meta.1) => format!("{{\"macroParams\":{}}}", params.1),
        _ => json.to_owned(),
    }
}

/// Asserts that `nodes`, written as Markdown, are read back as equal nodes. `name` is for the message of a
/// failure.
fn comes_back(nodes: &[Node<'_>], name: &str) {
    if let Some(wrong) = difference(nodes) {
        panic!("{name}: {wrong}");
    }
}

fn difference(nodes: &[Node<'_>]) -> Option<String> {
    let text = write(nodes);
    let again = read(&text);
    let (expected, found) = (shown(nodes), shown(&again));
    if expected == found {
        return crate::tree::misplaced(&again, &text).map(|it| format!("{it} in {text:?}"));
    }
    let line = expected.lines().zip(found.lines()).position(|(a, b)| a != b).unwrap_or(0);
    let near = |it: &str| {
        let lines = it.lines().skip(line.saturating_sub(2)).take(5);
        lines.map(|it| it.chars().take(200).collect::<String>()).collect::<Vec<_>>().join("\n")
    };
    Some(format!(
        "expected\n{}\nbut found\n{}\nin\n{}",
        near(&expected),
        near(&found),
        text.chars().take(500).collect::<String>()
    ))
}
