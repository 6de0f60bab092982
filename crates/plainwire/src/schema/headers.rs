//! `x-mcp-header`: arguments that HTTP clients repeat in headers.
//!
//! In: the schema of a tool's arguments. Out: the schema, with a `type` added beside the keyword where so far
//! only a definition or constants state the type, because clients look for it there; and the first mistake in
//! the `x-mcp-header` keywords. A client ignores a tool with a mistake in them, so the tool would be listed
//! but never used. The macros refuse the mistakes that they can see. This module finds those that only the
//! derived schema shows, and those in schemas written by hand.
//!
//! Spec: 2026-07-28 "Custom Headers from Tool Parameters", "Schema Extension".

use serde_json::Value;

use super::{resolve, walk};

/// The keyword by which the schema of an argument requests a header. Its value is the part of the header's
/// name behind `Mcp-Param-`.
const KEYWORD: &str = "x-mcp-header";

/// Adds `type` to the schema of each argument with a header, if so far only its reference or its list of
/// constants states the type.
pub(super) fn add_types(schema: &mut Value) {
    if walk::any(schema, &mut |keywords| keywords.contains_key(KEYWORD)) {
        let root = schema.clone();
        add_types_below(schema, &root);
    }
}

/// Removes the keyword from the schema of a result: only arguments become headers.
pub(super) fn remove(schema: &mut Value) {
    if let Value::Object(keywords) = schema {
        keywords.remove(KEYWORD);
        walk::each_mut(keywords, remove);
    }
}

fn add_types_below(schema: &mut Value, root: &Value) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for property in properties.values_mut() {
        let found = type_of(property, root);
        if let Value::Object(keywords) = &mut *property
            && keywords.contains_key(KEYWORD)
            && let Some(kind) = found
        {
            keywords.entry("type").or_insert(kind);
        }
        add_types_below(property, root);
    }
}

/// Returns the `type` of a schema or of the definition that it refers to, or the one `type` that all
/// alternatives of its `oneOf` have. `None` if there is neither.
fn type_of(schema: &Value, root: &Value) -> Option<Value> {
    let schema = resolve(schema, root);
    let said = |it: &Value| it.get("type").cloned();
    said(schema).or_else(|| {
        let alternatives = schema.get("oneOf").and_then(Value::as_array)?;
        let first = said(alternatives.first()?)?;
        alternatives.iter().all(|it| said(it).as_ref() == Some(&first)).then_some(first)
    })
}

/// Returns the first mistake in the `x-mcp-header` keywords of a schema, as text; `None` if there is none.
pub(super) fn problem(schema: &Value) -> Option<String> {
    plainwire_proto::http::param_headers(schema).err()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn says_the_type_of_what_has_a_header_and_of_nothing_else() {
        let names = json!([{ "type": "string", "const": "eu", "description": "Here." }, { "type": "string", "const": "us" }]);
        let mixed = json!([{ "type": "string", "const": "eu" }, { "type": "integer", "const": 1 }]);
        let mut schema = json!({
            "type": "object",
            "properties": {
                "a": { "oneOf": names, "x-mcp-header": "A" },
                "b": { "$ref": "#/$defs/Zone", "x-mcp-header": "B" },
                "c": { "oneOf": names },
                "d": { "oneOf": mixed, "x-mcp-header": "D" },
                "e": { "properties": { "f": { "oneOf": names, "x-mcp-header": "F" } } },
            },
            "$defs": { "Zone": { "enum": ["a"], "type": "string" } },
        });
        let mut expected = schema.clone();
        add_types(&mut schema);
        expected["properties"]["a"]["type"] = json!("string");
        expected["properties"]["b"]["type"] = json!("string");
        expected["properties"]["e"]["properties"]["f"]["type"] = json!("string");
        assert_eq!(schema, expected);
    }

    #[track_caller]
    fn check(properties: &Value, expected: Option<&str>) {
        let schema = json!({ "type": "object", "properties": properties });
        assert_eq!(problem(&schema).as_deref(), expected);
    }

    #[test]
    fn takes_texts_integers_and_booleans_and_their_members() {
        check(
            &json!({
                "region": { "type": "string", "x-mcp-header": "Region" },
                "x-mcp-header": { "type": "number" },
                "place": { "type": "object", "properties": { "n": { "type": "integer", "x-mcp-header": "N" } } },
                "dry": { "type": "boolean", "x-mcp-header": "dry-run" },
            }),
            None,
        );
    }

    #[test]
    fn says_what_no_client_could_follow() {
        let found = "expected `type` of `a` to be string, integer or boolean for `x-mcp-header`, but found \"number\"";
        check(&json!({ "a": { "type": "number", "x-mcp-header": "A" } }), Some(found));
    }
}
