//! Where schemas stand inside of a schema.
//!
//! In: the keywords of one schema. Out: the schemas right below it, and none of what only looks like one: names that are
//! the user's, constants, examples. Which keyword means what is known here and nowhere else.

use serde_json::{Map, Value};

/// The members of a schema.
pub(crate) type Keywords = Map<String, Value>;

/// What the value of a keyword holds.
enum Place {
    /// Schemas under names of the user's.
    Named,
    /// A schema, or a list of them.
    Schemas,
    /// Anything else.
    Other,
}

fn place(keyword: &str) -> Place {
    match keyword {
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" | "properties" => Place::Named,
        "additionalProperties"
        | "allOf"
        | "anyOf"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "oneOf"
        | "prefixItems"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Place::Schemas,
        _ => Place::Other,
    }
}

/// Visits each schema right below another one.
pub(super) fn each<'s>(keywords: &'s Keywords, mut visit: impl FnMut(&'s Value)) {
    for (keyword, inner) in keywords {
        match (place(keyword), inner) {
            (Place::Named, Value::Object(named)) => named.values().for_each(&mut visit),
            (Place::Schemas, Value::Array(schemas)) => schemas.iter().for_each(&mut visit),
            (Place::Schemas, schema) => visit(schema),
            _ => {}
        }
    }
}

/// As [`each`], to change them.
pub(super) fn each_mut(keywords: &mut Keywords, mut visit: impl FnMut(&mut Value)) {
    for (keyword, inner) in keywords {
        match (place(keyword), inner) {
            (Place::Named, Value::Object(named)) => named.values_mut().for_each(&mut visit),
            (Place::Schemas, Value::Array(schemas)) => schemas.iter_mut().for_each(&mut visit),
            (Place::Schemas, schema) => visit(schema),
            _ => {}
        }
    }
}

/// Returns whether `fits` holds for the keywords of a schema or of one inside of it.
pub(super) fn any(schema: &Value, fits: &mut dyn FnMut(&Keywords) -> bool) -> bool {
    let Value::Object(keywords) = schema else { return false };
    let mut found = fits(keywords);
    each(keywords, |inner| found = found || any(inner, fits));
    found
}

/// Returns whether JSON is nested deeper than `levels`. Looks no deeper than that.
pub(super) fn is_deeper(json: &Value, levels: usize) -> bool {
    let Some(levels) = levels.checked_sub(1) else { return json.is_array() || json.is_object() };
    match json {
        Value::Array(items) => items.iter().any(|item| is_deeper(item, levels)),
        Value::Object(members) => members.values().any(|member| is_deeper(member, levels)),
        _ => false,
    }
}
