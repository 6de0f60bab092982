//! Merging of two schemas that apply to the same value.
//!
//! In: the keywords beside a `$ref`, and those of its definition (or the keywords beside a list of schemas,
//! and those of a schema in it). Out: one object with the keywords of both. [`Merge`] says what happens if
//! such an object would have another meaning.

use serde_json::Value;

use super::walk::Keywords;

/// The way to handle two schemas that contradict each other, or that would have another meaning as one
/// schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    /// Schemas that contradict each other, or would get another meaning, are not merged: [`merge`] returns
    /// `None`.
    Exact,
    /// All schemas are merged. The `properties` and the `required` of both are united. Of any other keyword
    /// that both have, and of a property with the same name, the one beside the reference is kept. For
    /// schemas that are sent to clients but not used for checks.
    Loose,
}

/// Keywords that restrict no values. If both schemas have such a keyword, the value beside the `$ref` is
/// kept.
const ANNOTATIONS: [&str; 9] = [
    "$comment",
    "default",
    "deprecated",
    "description",
    "example",
    "examples",
    "readOnly",
    "title",
    "writeOnly",
];

/// Keywords whose meaning depends on the keywords beside them.
const CONTEXTUAL: [&str; 12] = [
    "$defs",
    "additionalProperties",
    "contains",
    "definitions",
    "else",
    "if",
    "items",
    "patternProperties",
    "prefixItems",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Merges `under`, the keywords of the schema to which a `$ref` leads (or of an alternative), into `over`,
/// the keywords beside the `$ref`. With [`Merge::Exact`], returns `None` if one schema can't express both.
pub(super) fn merge(mut over: Keywords, under: &Keywords, how: Merge) -> Option<Keywords> {
    let annotates = over.keys().all(|keyword| ANNOTATIONS.contains(&keyword.as_str()));
    let contextual = |it: &Keywords| CONTEXTUAL.iter().any(|keyword| it.contains_key(*keyword));
    if how == Merge::Exact && !annotates && (contextual(&over) || contextual(under)) {
        return None;
    }
    for (keyword, theirs) in under {
        let Some(ours) = over.get_mut(keyword) else {
            over.insert(keyword.clone(), theirs.clone());
            continue;
        };
        if ours == theirs || ANNOTATIONS.contains(&keyword.as_str()) {
            continue;
        }
        match (keyword.as_str(), ours, theirs) {
            ("properties", Value::Object(ours), Value::Object(theirs)) => {
                if how == Merge::Exact && theirs.keys().any(|name| ours.contains_key(name)) {
                    return None;
                }
                for (name, schema) in theirs {
                    ours.entry(name).or_insert_with(|| schema.clone());
                }
            }
            ("required", Value::Array(ours), Value::Array(theirs)) => {
                let new: Vec<_> = theirs.iter().filter(|name| !ours.contains(name)).cloned().collect();
                ours.extend(new);
            }
            _ if how == Merge::Exact => return None,
            _ => {}
        }
    }
    Some(over)
}
