//! Tests with the Markdown and ADF of the corpora, which are in a directory beside the repository. Without
//! that directory they test nothing.

use super::*;
use crate::corpus;

fn examples() -> Vec<String> {
    let Some(text) = corpus::file("markdown/commonmark-0.31.2-spec.json") else { return Vec::new() };
    let examples: Vec<serde_json::Value> = serde_json::from_str(&text).expect("it is JSON");
    examples.iter().map(|it| it["markdown"].as_str().expect("each has one").to_owned()).collect()
}

pub(super) fn markdown() -> Vec<(String, String)> {
    let mut all: Vec<_> =
        examples().into_iter().enumerate().map(|(at, it)| (format!("example {}", at + 1), it)).collect();
    for extension in ["md", "txt"] {
        all.extend(corpus::files("markdown", extension));
    }
    let blocks = |(name, text): &(String, String)| {
        let parts = text.split("````````````````````````````````").enumerate();
        parts.map(|(at, it)| (format!("{name} part {at}"), it.to_owned())).collect::<Vec<_>>()
    };
    let specs: Vec<_> = all.iter().filter(|it| it.0.contains("gfm-")).flat_map(blocks).collect();
    all.extend(specs);
    all
}

#[test]
fn what_was_read_is_written_so_that_it_is_read_again() {
    let wrong: Vec<String> = markdown()
        .iter()
        .filter_map(|(name, text)| {
            difference(&read(text))
                .map(|it| format!("--- {name}: {it}\nof {:?}", text.chars().take(300).collect::<String>()))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.into_iter().take(12).collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn places_are_as_the_tree_promises() {
    for (name, text) in markdown() {
        let nodes = read(&text);
        assert_eq!(
            crate::tree::misplaced(&nodes, &text),
            None,
            "{name} {:?}",
            text.chars().take(300).collect::<String>()
        );
        spans::texts_decode(&nodes, &text, &name);
    }
}

#[test]
fn documents_of_adf_come_back() {
    let mut wrong = Vec::new();
    for folder in ["adf", "adf-invalid"] {
        for (name, text) in corpus::files(folder, "json") {
            // These two documents have nodes that ADF does not allow there, in code and in a heading without
            // a level. Such nodes stay raw ADF, so the trees differ.
            let raw = name.ends_with("code_block_simple.json")
                || name.ends_with("heading-with-non-text-block.json");
            if raw || name.contains("INDEX") {
                continue;
            }
            let (nodes, _) = crate::spelling::of(crate::Format::Adf).read(&text);
            wrong.extend(difference(&nodes).map(|it| format!("--- {name}: {it}")));
            let _ = PLAIN.document(&nodes);
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.into_iter().take(12).collect::<Vec<_>>().join("\n")
    );
}
