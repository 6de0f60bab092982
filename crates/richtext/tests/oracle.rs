//! Conversions of ADF to wiki markup and back, compared with Atlassian's own transformer on the same
//! documents (docs/richtext-oracles.md has the counts).
//!
//! In: `oracle/adf-to-wiki.atlaskit-12.2.2.json`, recorded from that transformer. Both transformers get every
//! document. A document comes back if the result is the same JSON, ignoring the order of keys.

mod corpus;

use plainwire_richtext::{Dialect, Format, convert};
use serde_json::Value;

const JIRA: Format = Format::Wiki(Dialect::Jira);

/// The number of documents with each result, for one of the two transformers.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    /// Documents that come back as the same JSON.
    same: usize,
    /// Documents that come back as other JSON.
    other: usize,
    /// Documents that the transformer refused to convert.
    refused: usize,
}

impl Count {
    fn add(&mut self, document: &Value, back: Option<&Value>) {
        match back {
            Some(back) if back == document => self.same += 1,
            Some(_) => self.other += 1,
            None => self.refused += 1,
        }
    }
}

/// Returns the name and the text of each document in the recording, and the JSON that came back from
/// Atlassian's transformer; `None` if it refused the document.
fn recorded() -> Vec<(String, String, Option<Value>)> {
    let Some(recorded) = corpus::file("oracle/adf-to-wiki.atlaskit-12.2.2.json") else { return Vec::new() };
    let recorded: serde_json::Map<String, Value> = serde_json::from_str(&recorded).expect("it is JSON");
    let document = |name: &str| corpus::file(&format!("adf/{name}")).expect("it was recorded from this file");
    recorded
        .into_iter()
        .map(|(name, it)| (document(&name), name, it.get("adf_roundtrip").cloned()))
        .map(|(document, name, theirs)| (name, document, theirs))
        .collect()
}

/// Converts an ADF document to wiki markup and back with this crate, and returns the resulting ADF.
fn ours(document: &str) -> Value {
    let wiki = convert(Format::Adf, JIRA, document).text;
    serde_json::from_str(&convert(JIRA, Format::Adf, &wiki).text).expect("our ADF is JSON")
}

#[test]
#[expect(clippy::print_stderr, reason = "the counts are what this is about")]
fn more_documents_come_back_from_wiki_markup_than_with_atlassians_transformer() {
    let (mut our, mut their) = (Count::default(), Count::default());
    let documents = recorded();
    let mut different = Vec::new();
    for (name, source, theirs) in &documents {
        let document: Value = serde_json::from_str(source).expect("it is JSON");
        let back = ours(source);
        if back != document {
            different.push(name);
        }
        our.add(&document, Some(&back));
        their.add(&document, theirs.as_ref());
    }
    if documents.is_empty() {
        return;
    }
    eprintln!("of {} documents come back: ours {our:?}, theirs {their:?}", documents.len());
    assert_eq!(their, Count { same: 23, other: 39, refused: 5 }, "the recording is another one");
    assert!(our.same >= SAME, "expected at least {SAME} that are the same, but found {our:?}: {different:?}");
}

/// The least number of documents, of 67, that must come back as the same JSON when this crate converts them.
const SAME: usize = 55;
