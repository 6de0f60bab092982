//! Compares the trees of this crate with those of Atlassian's own transformer for the corpus
//! (docs/richtext-oracles.md has the counts and the reasons).

use super::read;
use crate::corpus;
use crate::format::Dialect;
use crate::tree::{Kind, Node};
use serde_json::Value as Json;

/// Lists a tree of this crate in the form for the comparison: kinds, trimmed texts, and the names of marks.
/// This function and `theirs` also remove known differences; each of these is a row of the table in
/// docs/richtext-oracles.md.
fn ours(nodes: &[Node<'_>], to: &mut Vec<String>) {
    for node in nodes {
        match node.kind {
            Kind::Text => {
                let mut marks: Vec<_> = node
                    .marks
                    .iter()
                    .map(|it| if it.name() == "html:cite" { "em" } else { it.name() })
                    .collect();
                marks.sort_unstable();
                text(&node.text, &marks.join("+"), to);
            }
            Kind::MediaSingle | Kind::Image => to.push("media".to_owned()),
            Kind::InlineExtension => {}
            kind => {
                to.push(kind.adf_name().unwrap_or("raw").to_owned());
                ours(&node.children, to);
                to.push("/".to_owned());
            }
        }
    }
}

fn theirs(json: &Json, in_head: bool, to: &mut Vec<String>) {
    let Some(Json::Array(nodes)) = json.get("content") else { return };
    for node in nodes {
        let kind = node.get("type").and_then(Json::as_str).unwrap_or_default();
        match kind {
            "text" => {
                let mut marks = Vec::new();
                if let Some(Json::Array(found)) = node.get("marks") {
                    marks = found.iter().filter_map(|it| it.get("type")?.as_str()).collect();
                }
                // In Atlassian's trees, the text of header cells also has the mark for bold.
                marks.retain(|it| !(in_head && *it == "strong"));
                marks.sort_unstable();
                text(node.get("text").and_then(Json::as_str).unwrap_or_default(), &marks.join("+"), to);
            }
            "mediaSingle" => to.push("media".to_owned()),
            _ => {
                to.push(kind.to_owned());
                theirs(node, in_head || kind == "tableHeader", to);
                to.push("/".to_owned());
            }
        }
    }
}

fn text(text: &str, marks: &str, to: &mut Vec<String>) {
    let text: Vec<_> = text.split_whitespace().collect();
    let text = text.join(" ");
    if let Some(last) = to.last_mut().filter(|it| it.ends_with(&format!("\"^{marks}"))) {
        let len = last.len() - marks.len() - 2;
        last.truncate(len);
        last.push_str(&format!("{text}\"^{marks}"));
    } else if !text.is_empty() {
        to.push(format!("\"{text}\"^{marks}"));
    }
}

/// Returns whether `source`, read as Jira's dialect, and `adf`, the tree of Atlassian's transformer for it,
/// are equal in the form of [`ours`], apart from known differences.
fn is_alike(source: &str, adf: &Json) -> bool {
    let (mut one, mut other) = (Vec::new(), Vec::new());
    ours(&read(source, Dialect::Jira), &mut one);
    theirs(adf, false, &mut other);
    one == other
}

#[test]
fn the_corpus_is_read_as_atlassians_transformer_reads_it_but_for_known_reasons() {
    let Some(recorded) = corpus::file("oracle/wiki-to-adf.atlaskit-12.2.2.json") else { return };
    let recorded = serde_json::from_str::<Json>(&recorded).expect("it is JSON");
    let mut same = 0;
    let files = corpus::files("wiki", "wiki");
    for (name, source) in &files {
        let Some(adf) = recorded.get(name.trim_start_matches("wiki/")).and_then(|it| it.get("adf")) else {
            continue;
        };
        same += usize::from(is_alike(source, adf));
    }
    assert!(files.is_empty() || same >= SAME, "{same} of {} files are read alike", files.len());
}

/// The least number of files, of the 234 in the corpus, whose trees must equal those of Atlassian's
/// transformer.
const SAME: usize = 185;
