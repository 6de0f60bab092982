//! I1: an edit that changes nothing leaves every byte of the source. Every block has its own entry in the
//! sidecar, except in a few known documents.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use plainwire_richtext::{Document, Sidecar};

use crate::documents::{generated, sources};

/// Documents in which an empty line divides a list that contains a quote or a colour, so that several blocks
/// share an entry of the sidecar.
const TOGETHER: [&str; 6] = [
    "jira2markdown-101",
    "jira2markdown-102",
    "jira2markdown-103",
    "jira2markdown-104",
    "jira2markdown-105",
    "jira2markdown-106",
];

#[test]
fn restoring_an_unedited_document_gives_its_bytes() {
    let (mut documents, mut blocks, mut coarse) = (0, 0, Vec::new());
    for sample in sources().into_iter().chain(generated(300)) {
        let document = Document::read(sample.format, &sample.source);
        let (markdown, sidecar) = Sidecar::split(&document);
        let sidecar = Sidecar::from_json(&sidecar.to_json()).expect("a sidecar");
        let restored = sidecar.restore(&markdown).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        assert_eq!(restored.text, sample.source, "{}", sample.name);
        assert!(restored.conflicts.is_empty(), "{}: {:?}", sample.name, restored.conflicts);
        assert_eq!(restored.copied, sidecar.blocks(), "{}", sample.name);
        documents += 1;
        blocks += sidecar.blocks();
        if sidecar.blocks() != document.blocks.len() {
            coarse.push(sample.name);
        }
    }
    println!("I1: {documents} documents, {blocks} blocks, each from its own entry");
    coarse.retain(|it| !it.starts_with(crate::corpus::OUTSIDE));
    // If a colour, a quote or a list spans several blocks, all of them need one entry together.
    coarse.retain(|it| !it.ends_with("jira-tests__macros__color-01.wiki") && !TOGETHER.contains(&&**it));
    assert!(coarse.is_empty(), "documents with an entry for several blocks: {coarse:?}");
}
