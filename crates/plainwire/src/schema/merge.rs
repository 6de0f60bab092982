//! Two schemas that hold for one value, as one schema.
//!
//! In: keywords that stand beside a `$ref` or an alternative, and the keywords that it stands for. Out: all of them in
//! one object, if that says the same.

use serde_json::Value;

use super::walk::Keywords;

/// What to do with two schemas that contradict each other, or that would mean something else as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    /// Leave them as two.
    Exact,
    /// Take what stands closer, for listings of which nothing is checked.
    Loose,
}

/// Keywords that say nothing about values, so that the closer one can stand for both.
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

/// Keywords whose meaning depends on their neighbours.
const NEIGHBOURLY: [&str; 12] = [
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

/// Merges `under` into `over`, which stands closer to the reader. `None` if one schema can't say both.
pub(super) fn merge(mut over: Keywords, under: &Keywords, how: Merge) -> Option<Keywords> {
    let annotates = over.keys().all(|keyword| ANNOTATIONS.contains(&keyword.as_str()));
    let neighbourly = |it: &Keywords| NEIGHBOURLY.iter().any(|keyword| it.contains_key(*keyword));
    if how == Merge::Exact && !annotates && (neighbourly(&over) || neighbourly(under)) {
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
