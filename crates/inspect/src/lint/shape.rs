//! Rules about shapes that models fill in wrongly: unions, and limits that are in words only.
//!
//! In: one schema, wherever it stands in the arguments. Out: the rules of this file that it breaks.

use std::fmt::Display;

use serde_json::{Map, Value};

use super::Broken;

/// Words before a number that make it a limit.
const LIMITS: [&str; 9] = [
    "at most ",
    "at least ",
    "between ",
    "no more than ",
    "up to ",
    "maximum of ",
    "minimum of ",
    "less than ",
    "greater than ",
];

/// Keywords that show a limit.
const SHOWN: [&str; 11] = [
    "const",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
];

/// The largest number of references that are followed, one after the other.
const MAX_REFERENCES: usize = 8;

pub(super) fn check(
    root: &Value,
    object: &Map<String, Value>,
    place: &(impl Display + Copy),
    broken: &mut Broken,
) {
    check_union(root, object, place, broken);
    check_words(object, place, broken);
}

/// Checks that a union of objects says in each of them which one it is.
fn check_union(
    root: &Value,
    object: &Map<String, Value>,
    place: &(impl Display + Copy),
    broken: &mut Broken,
) {
    let alternatives = ["anyOf", "oneOf"].into_iter().filter_map(|keyword| object.get(keyword)?.as_array());
    for alternatives in alternatives {
        let objects: Vec<&Map<String, Value>> =
            alternatives.iter().filter_map(|it| properties(root, it)).collect();
        if objects.len() < 2 {
            continue;
        }
        let is_constant = |schema: &Value| {
            schema.get("const").is_some()
                || schema.get("enum").and_then(Value::as_array).is_some_and(|it| it.len() == 1)
        };
        let marks = |name: &String| objects.iter().all(|it| it.get(name).is_some_and(is_constant));
        if !objects[0].keys().any(marks) {
            broken.add("union", place, || {
                format!("expected each of the {} objects to have a property with one constant value, but found none", objects.len())
            });
        }
    }
}

/// Returns the properties of an object, behind its references.
fn properties<'s>(root: &'s Value, schema: &'s Value) -> Option<&'s Map<String, Value>> {
    let mut schema = schema;
    for _ in 0..MAX_REFERENCES {
        let Some(to) = schema.get("$ref").and_then(Value::as_str) else { break };
        schema = root.pointer(to.strip_prefix('#')?)?;
    }
    schema.get("properties").and_then(Value::as_object)
}

/// Checks that a limit in the description is a limit in the schema too.
fn check_words(object: &Map<String, Value>, place: &(impl Display + Copy), broken: &mut Broken) {
    let Some(description) = object.get("description").and_then(Value::as_str) else { return };
    let is_plain =
        object.get("type").and_then(Value::as_str).is_some_and(|it| it != "object" && it != "boolean");
    if !is_plain || SHOWN.iter().any(|keyword| object.contains_key(*keyword)) {
        return;
    }
    let lower = description.to_ascii_lowercase();
    let limit = LIMITS.iter().find_map(|words| {
        let at = lower.find(words)? + words.len();
        lower[at..].starts_with(|it: char| it.is_ascii_digit()).then(|| {
            let number: String =
                lower[at..].chars().take_while(|it| it.is_ascii_digit() || *it == ',').collect();
            format!("{words}{}", number.trim_end_matches(','))
        })
    });
    if let Some(limit) = limit {
        broken.add("limit-in-words", place, || {
            format!("expected a keyword for {limit:?}, but found it in the description only")
        });
    }
}
