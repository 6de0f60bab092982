//! I5: content that Markdown has a syntax for comes back exactly, and Markdown that is read and written again
//! changes its spelling at most once.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use plainwire_richtext::{Flavor, Format, convert};
use serde_json::Value;

use crate::documents::{generated, markdown, sources};

const MARKDOWN: Format = Format::Markdown(Flavor::Extended);

const NODES: [&str; 15] = [
    "doc",
    "paragraph",
    "heading",
    "bulletList",
    "orderedList",
    "listItem",
    "blockquote",
    "codeBlock",
    "rule",
    "text",
    "hardBreak",
    "table",
    "tableRow",
    "tableHeader",
    "tableCell",
];
const MARKS: [&str; 5] = ["strong", "em", "code", "strike", "link"];

/// Returns whether Markdown has a syntax for the ADF node `value` and everything in it. Nodes may have the
/// attributes `level`, `order` and `language` only.
fn is_plain(value: &Value) -> bool {
    let known = |it: &Value, names: &[&str]| it["type"].as_str().is_some_and(|it| names.contains(&it));
    let each = |name: &str, f: &dyn Fn(&Value) -> bool| {
        value.get(name).and_then(Value::as_array).is_none_or(|it| it.iter().all(f))
    };
    let attrs = value.get("attrs").and_then(Value::as_object);
    known(value, &NODES)
        && attrs.is_none_or(|it| it.keys().all(|it| ["level", "order", "language"].contains(&it.as_str())))
        && each("marks", &|it| known(it, &MARKS))
        && each("content", &is_plain)
}

#[test]
fn adf_of_what_markdown_knows_comes_back_exactly() {
    let (mut count, mut failed) = (0, Vec::new());
    for sample in sources().into_iter().chain(generated(1500)).filter(|it| it.format == Format::Adf) {
        let Ok(value) = serde_json::from_str::<Value>(&sample.source) else { continue };
        if !plainwire_richtext::adf::check(&sample.source).is_empty() {
            continue;
        }
        for block in value["content"].as_array().into_iter().flatten().filter(|it| is_plain(it)) {
            let source = serde_json::json!({ "version": 1, "type": "doc", "content": [block] });
            let text = convert(Format::Adf, MARKDOWN, &source.to_string()).text;
            let back: Value =
                serde_json::from_str(&convert(MARKDOWN, Format::Adf, &text).text).expect("JSON");
            count += 1;
            if joined(&back) != joined(&source) {
                failed.push(format!("{}: {source}\n    is {back}\n    by {text:?}", sample.name));
            }
        }
    }
    println!("I5: {count} blocks of what Markdown knows, {} not the same again", failed.len());
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed[..failed.len().min(20)].join("\n"));
}

/// Returns the ADF node `value` without `localId`, empty lists and empty objects. Neighbouring texts with the
/// same marks are joined, and marks are sorted.
fn joined(value: &Value) -> Value {
    let mut value = value.clone();
    let Value::Object(node) = &mut value else { return value };
    if let Some(Value::Object(attrs)) = node.get_mut("attrs") {
        attrs.remove("localId");
    }
    node.retain(|_, it| *it != serde_json::json!([]) && *it != serde_json::json!({}));
    if let Some(Value::Array(marks)) = node.get_mut("marks") {
        marks.sort_by_key(Value::to_string);
    }
    if let Some(Value::Array(content)) = node.get_mut("content") {
        let mut all: Vec<Value> = Vec::new();
        for child in content.iter().map(joined) {
            match all.last_mut() {
                Some(last)
                    if last["type"] == "text"
                        && child["type"] == "text"
                        && last["marks"] == child["marks"] =>
                {
                    let text =
                        [&last["text"], &child["text"]].map(|it| it.as_str().unwrap_or_default()).concat();
                    last["text"] = text.into();
                }
                _ => all.push(child),
            }
        }
        *content = all;
    }
    value
}

#[test]
fn markdown_settles_after_one_pass_through_adf() {
    let samples = markdown();
    let mut failed = Vec::new();
    for sample in &samples {
        let adf = convert(MARKDOWN, Format::Adf, &sample.source).text;
        let once = convert(Format::Adf, MARKDOWN, &adf).text;
        let adf_again = convert(MARKDOWN, Format::Adf, &once).text;
        let twice = convert(Format::Adf, MARKDOWN, &adf_again).text;
        let value = |it: &str| joined(&serde_json::from_str(it).expect("JSON"));
        if value(&adf) != value(&adf_again) || once != twice {
            let short = |it: &str| it.chars().take(400).collect::<String>();
            failed.push(format!(
                "{}: {:?}\n    {:?}\n    {:?}\n    {}\n    {}",
                sample.name,
                short(&sample.source),
                short(&once),
                short(&twice),
                short(&adf),
                short(&adf_again)
            ));
        }
    }
    println!(
        "I5: {} texts of Markdown, {} settled after one pass",
        samples.len(),
        samples.len() - failed.len()
    );
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed[..failed.len().min(20)].join("\n"));
}
