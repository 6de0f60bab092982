//! The tools of a server as text, roughly as a host shows them to a model.
//!
//! In: [`Entry`]s. Out: text. Every host adds words of its own; this text is for people who want to read what
//! a model reads.

use std::fmt::Write as _;

use plainwire_proto::json::visible;
use serde_json::Value;

use crate::{Entry, Shape};

/// The maximal number of members of objects that are shown of one tool. A schema whose objects contain themselves has no
/// end.
const MAX_MEMBERS: usize = 200;

/// Returns `tools` as text, roughly as a host shows them to a model.
///
/// The text has a block for each tool, with its name, its description, and a line for each parameter: `limit
/// (integer, optional, default 50): How many.` The members of an object, and of the objects in a list, are below it.
pub fn render(tools: &[Entry]) -> String {
    let (mut out, nothing) = (String::new(), Value::Null);
    for tool in tools {
        let _ = writeln!(out, "<tool>\n<name>{}</name>", visible(tool.name(), usize::MAX));
        if let Some(text) = tool.description() {
            let _ = writeln!(out, "<description>{text}</description>");
        }
        let (root, mut left) = (tool.input_schema().unwrap_or(&nothing), MAX_MEMBERS);
        let mut lines = String::new();
        for member @ (_, schema, _) in tool.parameters() {
            let shape = Shape::of(schema, root);
            lines += &line(member, &shape);
            members(&shape, "  ", &mut left, &mut lines);
        }
        if !lines.is_empty() {
            let _ = writeln!(out, "<parameters>\n{lines}</parameters>");
        }
        out += "</tool>\n";
    }
    out
}

fn line((name, schema, is_required): (&str, &Value, bool), shape: &Shape<'_>) -> String {
    let need = if is_required { "required" } else { "optional" };
    let mut line = format!("{} ({shape}, {need}", visible(name, usize::MAX));
    if let Some(default) = schema.get("default").filter(|it| !it.is_null()) {
        let _ = write!(line, ", default {default}");
    }
    line.push(')');
    if let Some(text) = schema.get("description").and_then(Value::as_str) {
        let _ = write!(line, ": {text}");
    }
    line.push('\n');
    line
}

/// Adds the members of an object, or of the objects in a list, and their members. `left` is how many may still be added.
fn members(shape: &Shape<'_>, indent: &str, left: &mut usize, out: &mut String) {
    let items = shape.items();
    let (shape, below) = (items.as_ref().unwrap_or(shape), format!("{indent}  "));
    let forms = shape.forms();
    for (n, (form, text)) in forms.iter().enumerate() {
        if !has_room(left) {
            return;
        }
        let (word, text) = (if n == 0 { "either" } else { "or" }, text.map(|it| format!(" {it}")));
        let _ = writeln!(out, "{indent}{word}:{}", text.unwrap_or_default());
        members(form, &below, left, out);
    }
    for member in if forms.is_empty() { shape.properties() } else { Vec::new() } {
        let Some(inner) = shape.member(member.0).filter(|_| has_room(left)) else { continue };
        let _ = write!(out, "{indent}{}", line(member, &inner));
        members(&inner, &below, left, out);
    }
}

/// Takes room for one more line of members.
fn has_room(left: &mut usize) -> bool {
    let had_any = *left > 0;
    *left = left.saturating_sub(1);
    had_any
}
