//! The tools of a server as text, roughly as a host shows them to a model.
//!
//! In: [`Entry`]s. Out: text. Every host adds words of its own; this text is for people who want to read what
//! a model reads.

use std::fmt::Write as _;

use serde_json::Value;

use crate::Entry;

/// Returns `tools` as text, roughly as a host shows them to a model.
///
/// The text has a block for each tool, with its name, its description, and a line for each parameter: `limit
/// (integer, optional, default 50): How many.`
pub fn render(tools: &[Entry]) -> String {
    let mut out = String::new();
    for tool in tools {
        let _ = writeln!(out, "<tool>\n<name>{}</name>", tool.name());
        if let Some(text) = tool.description() {
            let _ = writeln!(out, "<description>{text}</description>");
        }
        let lines: Vec<String> = tool.parameters().map(|(name, it, needed)| line(name, it, needed)).collect();
        if !lines.is_empty() {
            let _ = writeln!(out, "<parameters>\n{}\n</parameters>", lines.join("\n"));
        }
        out += "</tool>\n";
    }
    out
}

fn line(name: &str, schema: &Value, is_required: bool) -> String {
    let need = if is_required { "required" } else { "optional" };
    let mut line = format!("{name} ({}, {need}", kind(schema));
    if let Some(default) = schema.get("default").filter(|it| !it.is_null()) {
        let _ = write!(line, ", default {default}");
    }
    line.push(')');
    if let Some(text) = schema.get("description").and_then(Value::as_str) {
        let _ = write!(line, ": {text}");
    }
    line
}

/// Returns the type of a schema in a few words: `integer`, `array of string`, `"open" | "closed"`, `string |
/// null`.
fn kind(schema: &Value) -> String {
    let values = schema.get("enum").and_then(Value::as_array);
    if let Some(values) = values.cloned().or_else(|| Some(vec![schema.get("const")?.clone()])) {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    let choices = ["anyOf", "oneOf"].iter().find_map(|it| schema.get(it)).and_then(Value::as_array);
    if let Some(choices) = choices {
        return choices.iter().map(kind).collect::<Vec<_>>().join(" | ");
    }
    match schema.get("type") {
        Some(Value::String(name)) if name == "array" => match schema.get("items") {
            Some(items) => format!("array of {}", kind(items)),
            None => "array".into(),
        },
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | "),
        _ => reference(schema).unwrap_or("any").into(),
    }
}

/// Returns the last segment of a reference: `Filter` for `#/$defs/Filter`.
fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.rsplit('/').next()
}
