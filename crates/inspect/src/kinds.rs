//! Kinds: values of tools that say what they are, by a member `kind` such as `bookDetails:v1`.
//!
//! In: entries of `tools/list`. Out: the schema of each kind, and the tools that return it.

use serde_json::{Map, Value, json};

use crate::Entry;

/// The maximal nesting of schemas in which kinds are looked for.
const MAX_DEPTH: usize = 32;

/// The maximal number of kinds of one server.
const MAX_KINDS: usize = 1_000;

/// The schema of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct KindSchema {
    /// The name and the version, such as `bookDetails:v1`.
    pub kind: String,
    /// The JSON Schema of a value of this kind.
    pub schema: Value,
    /// The tools that return such values, in the order of the list.
    pub tools: Vec<String>,
    /// The tools whose schema of this kind is another one. A program that reads the kind can't rely on it.
    pub others: Vec<String>,
}

/// Returns the kinds in the output schemas of tools, by name; at most 1,000.
///
/// ```
/// use plainwire_inspect::{Entry, kinds};
///
/// let tool = Entry::read(r#"{
///     "name": "find",
///     "inputSchema": { "type": "object" },
///     "outputSchema": { "type": "object", "anyOf": [
///         { "type": "object", "properties": { "kind": { "const": "book:v1" }, "title": { "type": "string" } } },
///         { "type": "object", "properties": { "kind": { "const": "noBook:v1" } } }
///     ] }
/// }"#);
/// let all = kinds(&[tool]);
/// let names: Vec<&str> = all.iter().map(|it| it.kind.as_str()).collect();
/// assert_eq!(names, ["book:v1", "noBook:v1"]);
/// assert_eq!(all[0].schema["properties"]["title"]["type"], "string");
/// ```
pub fn kinds(tools: &[Entry]) -> Vec<KindSchema> {
    let mut all = Vec::new();
    for tool in tools {
        if let Some(schema) = tool.output_schema() {
            find(schema, schema, MAX_DEPTH, tool.name(), &mut all);
        }
    }
    all.sort_by(|one, other| one.kind.cmp(&other.kind));
    all
}

fn find(schema: &Value, root: &Value, left: usize, tool: &str, all: &mut Vec<KindSchema>) {
    let (Some(keywords), Some(left)) = (schema.as_object(), left.checked_sub(1)) else { return };
    if let Some(kind) = keywords.get("properties").and_then(|it| it.get("kind")?.get("const")?.as_str()) {
        note(kind, whole(keywords, root), tool, all);
    }
    for (keyword, inner) in keywords {
        match (keyword.as_str(), inner) {
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(parts)) => {
                parts.iter().for_each(|part| find(part, root, left, tool, all));
            }
            ("$defs" | "definitions" | "properties", Value::Object(parts)) => {
                parts.values().for_each(|part| find(part, root, left, tool, all));
            }
            ("additionalProperties" | "items", part) => find(part, root, left, tool, all),
            _ => {}
        }
    }
}

/// Returns a part of a schema as a schema of its own, with the definitions that it may refer to.
fn whole(keywords: &Map<String, Value>, root: &Value) -> Value {
    let mut schema = keywords.clone();
    let refers = |name: &str| Value::Object(keywords.clone()).to_string().contains(&format!("\"#/{name}/"));
    for name in ["$defs", "definitions"] {
        if let Some(definitions) = root.get(name).filter(|_| refers(name)) {
            schema.insert(name.to_owned(), definitions.clone());
        }
    }
    schema.entry("$schema").or_insert_with(|| json!("https://json-schema.org/draft/2020-12/schema"));
    Value::Object(schema)
}

fn note(kind: &str, schema: Value, tool: &str, all: &mut Vec<KindSchema>) {
    if let Some(known) = all.iter_mut().find(|it| it.kind == kind) {
        let list = if known.schema == schema { &mut known.tools } else { &mut known.others };
        if !list.iter().any(|it| it == tool) {
            list.push(tool.to_owned());
        }
    } else if all.len() < MAX_KINDS {
        let (kind, tools) = (kind.to_owned(), vec![tool.to_owned()]);
        all.push(KindSchema { kind, schema, tools, others: Vec::new() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, output_schema: Value) -> Entry {
        let tool =
            json!({ "name": name, "inputSchema": { "type": "object" }, "outputSchema": output_schema });
        Entry::read(&tool.to_string())
    }

    fn of_kind(kind: &str, member: &Value) -> Value {
        json!({ "type": "object", "properties": { "kind": { "const": kind }, "a": member } })
    }

    #[test]
    fn a_kind_with_two_schemas_is_found_with_both_tools() {
        let text = json!({ "type": "string" });
        let all = kinds(&[
            tool("one", of_kind("a:v1", &text)),
            tool("two", json!({ "type": "array", "items": of_kind("a:v1", &text) })),
            tool("three", of_kind("a:v1", &json!({ "type": "number" }))),
        ]);
        assert_eq!(all.len(), 1);
        assert_eq!(
            (&*all[0].tools, &*all[0].others),
            (&["one".to_owned(), "two".to_owned()][..], &["three".to_owned()][..])
        );
    }

    #[test]
    fn a_schema_has_the_definitions_that_it_refers_to() {
        let schema = json!({
            "$defs": { "B": { "type": "object" } },
            "anyOf": [of_kind("a:v1", &json!({ "$ref": "#/$defs/B" })), of_kind("b:v1", &json!(true))]
        });
        let all = kinds(&[tool("one", schema)]);
        assert_eq!(all[0].schema["$defs"], json!({ "B": { "type": "object" } }));
        assert_eq!((&all[1].kind, all[1].schema.get("$defs")), (&"b:v1".to_owned(), None));
    }

    #[test]
    fn at_most_1000_kinds_are_found() {
        let many: Vec<Value> = (0..1_001).map(|n| of_kind(&format!("k{n}:v1"), &json!(true))).collect();
        assert_eq!(kinds(&[tool("one", json!({ "anyOf": many }))]).len(), 1_000);
    }
}
