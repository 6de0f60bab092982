//! A walk over a schema: the positions at which it holds other schemas.
//!
//! In: the keywords of one schema. Out: the schemas directly inside it. Values that only look like schemas
//! are not visited: names chosen by the user, constants, examples. Only this module knows which keywords hold
//! schemas.

use serde_json::{Map, Value};

/// The members of a schema, by keyword.
pub(crate) type Keywords = Map<String, Value>;

/// The kind of value that a keyword has.
enum KeywordKind {
    /// Schemas under names chosen by the user.
    Named,
    /// A schema, or a list of schemas.
    Schemas,
    /// A value that holds no schemas, such as a constant or an example; also the value of an unknown keyword.
    Other,
}

fn kind_of(keyword: &str) -> KeywordKind {
    match keyword {
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" | "properties" => {
            KeywordKind::Named
        }
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
        | "unevaluatedProperties" => KeywordKind::Schemas,
        _ => KeywordKind::Other,
    }
}

/// Visits each schema directly inside the schema that has these keywords.
pub(super) fn each<'s>(keywords: &'s Keywords, mut visit: impl FnMut(&'s Value)) {
    for (keyword, inner) in keywords {
        match (kind_of(keyword), inner) {
            (KeywordKind::Named, Value::Object(named)) => named.values().for_each(&mut visit),
            (KeywordKind::Schemas, Value::Array(schemas)) => schemas.iter().for_each(&mut visit),
            (KeywordKind::Schemas, schema) => visit(schema),
            _ => {}
        }
    }
}

/// Like [`each`], but passes the schemas mutably.
pub(super) fn each_mut(keywords: &mut Keywords, mut visit: impl FnMut(&mut Value)) {
    for (keyword, inner) in keywords {
        match (kind_of(keyword), inner) {
            (KeywordKind::Named, Value::Object(named)) => named.values_mut().for_each(&mut visit),
            (KeywordKind::Schemas, Value::Array(schemas)) => schemas.iter_mut().for_each(&mut visit),
            (KeywordKind::Schemas, schema) => visit(schema),
            _ => {}
        }
    }
}

/// Returns whether `fits` returns true for the keywords of a schema, or of any schema inside it. After the
/// first that fits, `fits` is not called again.
pub(super) fn any(schema: &Value, fits: &mut dyn FnMut(&Keywords) -> bool) -> bool {
    let Value::Object(keywords) = schema else { return false };
    let mut found = fits(keywords);
    each(keywords, |inner| found = found || any(inner, fits));
    found
}

/// Returns whether arrays and objects are nested more than `levels` deep. Does not look deeper than that.
pub(super) fn is_deeper(json: &Value, levels: usize) -> bool {
    let Some(levels) = levels.checked_sub(1) else { return json.is_array() || json.is_object() };
    match json {
        Value::Array(items) => items.iter().any(|item| is_deeper(item, levels)),
        Value::Object(members) => members.values().any(|member| is_deeper(member, levels)),
        _ => false,
    }
}
