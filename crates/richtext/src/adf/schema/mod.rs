//! Atlassian's schema of ADF, and the check of a document against it.
//!
//! In: JSON. Out: the first violation, with a message and its span. The rules are tables made from
//! Atlassian's own JSON schema.

#[rustfmt::skip]
mod content;
mod model;
mod rule;
mod said;
#[rustfmt::skip]
mod table;
mod value;

pub(super) use model::Model;
pub(crate) use said::{complaints, new_complaints};

use self::rule::Break;
use self::value::Value;
use crate::diagnostic::Diagnostic;
use crate::document::MAX_SOURCE;
use crate::tree::{MAX_DEPTH, Span};

/// Checks `source` against the JSON schema that Atlassian publishes for ADF (`full.json` of
/// `@atlaskit/adf-schema` 57.7.22). Returns an empty list if the document is valid.
///
/// Reports only the first violation, at the innermost node or value that explains it: "expected one of
/// paragraph, …, but found a heading". A document longer than [`MAX_SOURCE`] or deeper than
/// [`MAX_DEPTH`] counts as invalid, although the schema sets no such limits.
#[must_use]
pub fn check(source: &str) -> Vec<Diagnostic> {
    if source.len() > MAX_SOURCE {
        let found = format!("expected at most {MAX_SOURCE} bytes, but found {}", source.len());
        return vec![Break::of_source(Span::default(), &found).diagnostic];
    }
    let document = match Value::of(source) {
        Ok(document) => document,
        Err(fault) => return vec![fault.0],
    };
    if let Some(span) = document.too_deep() {
        let found = format!("expected at most {MAX_DEPTH} nested nodes, but found more");
        return vec![Break::of_source(span, &found).diagnostic];
    }
    let broken = table::DOC_NODE.check(&document, 0).err();
    broken.map(|it| it.diagnostic).into_iter().collect()
}
