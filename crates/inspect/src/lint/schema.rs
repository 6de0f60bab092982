//! Rules about the schema of the arguments: requirements of the protocol, and keywords that known clients
//! refuse.
//!
//! In: an [`Entry`]. Out: the rules of this file that the entry breaks. The output schema is not checked:
//! models seldom see it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Debug, Display, Formatter};

use serde_json::{Map, Value};

use super::{Broken, shape};
use crate::Entry;

/// Limit on the depth of nested objects in OpenAI's strict mode.
const MAX_LEVELS: usize = 10;

/// Limit on the number of all properties of a schema, nested ones included, in OpenAI's strict mode.
const MAX_PROPERTIES: usize = 5_000;

/// Limit on the number of references that are followed to find cycles. A reference beyond the limit counts as
/// not recursive.
const MAX_REFERENCES: usize = 256;

/// Keywords that Gemini's function declarations lack. Some programs are known to send them to Gemini
/// nevertheless.
const NOT_IN_GEMINI: [&str; 7] =
    ["allOf", "const", "exclusiveMaximum", "exclusiveMinimum", "multipleOf", "oneOf", "uniqueItems"];

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

const ROOT: &str = "inputSchema";

pub(super) fn check(tool: &Entry, broken: &mut Broken) {
    let Some(root) = tool.input_schema() else {
        return broken.add("root-not-object", ROOT, || "expected an `inputSchema`, but found none".into());
    };
    check_root(root, broken);
    let (mut properties, mut references) = (0, BTreeMap::new());
    walk(root, &SchemaPosition::ROOT, &mut |schema, place| {
        let Value::Object(object) = schema else {
            if !schema.is_boolean() {
                broken
                    .add("not-a-schema", place, || format!("expected a schema, but found {}", short(schema)));
            }
            return;
        };
        properties += members(object, "properties").count();
        if place.level > MAX_LEVELS {
            broken.add("deep-schema", place, || {
                format!("expected at most {MAX_LEVELS} levels of objects, but found more")
            });
        }
        check_type(object, place, broken);
        check_values(object, place, broken);
        shape::check(root, object, &place, broken);
        if let Some(to) = object.get("$ref").and_then(Value::as_str) {
            check_reference(root, to, place, &mut references, broken);
        }
    });
    if properties > MAX_PROPERTIES {
        broken.add("many-properties", ROOT, || {
            format!("expected at most {MAX_PROPERTIES} properties, but found {properties}")
        });
    }
}

fn check_root(root: &Value, broken: &mut Broken) {
    match root.get("type") {
        Some(Value::String(name)) if name == "object" => {
            if !root.get("properties").is_some_and(Value::is_object) {
                broken.add("missing-properties", ROOT, || "expected `properties`, but found none".into());
            }
        }
        other => broken.add("root-not-object", ROOT, || {
            let found = other.map_or_else(|| "none".into(), short);
            format!("expected the type \"object\", but found {found}")
        }),
    }
    for keyword in ["allOf", "anyOf", "const", "enum", "not", "oneOf"] {
        if root.get(keyword).is_some() {
            broken.add("root-combinator", format_args!("{ROOT}.{keyword}"), || {
                format!("expected no `{keyword}` at the root, but found one")
            });
        }
    }
    for (name, _) in root.as_object().into_iter().flat_map(|it| members(it, "properties")) {
        let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        if name.is_empty() || name.len() > 64 || !name.chars().all(is_legal) {
            broken.add("property-name", format_args!("{ROOT}.properties.{name}"), || {
                format!("expected 1 to 64 letters, digits, `_`, `.` and `-`, but found {name:?}")
            });
        }
    }
}

/// Checks `type`, and the keywords that depend on the type.
fn check_type(object: &Map<String, Value>, place: &SchemaPosition<'_>, broken: &mut Broken) {
    let names: Vec<&Value> = match object.get("type") {
        None => Vec::new(),
        Some(Value::Array(names)) => names.iter().collect(),
        Some(name) => vec![name],
    };
    if let Some(list @ Value::Array(_)) = object.get("type") {
        broken.add("type-list", place, || format!("expected one type, but found {}", short(list)));
    }
    if let Some(unknown) = names.iter().find(|it| !it.as_str().is_some_and(|it| TYPES.contains(&it))) {
        broken.add("not-a-schema", place, || {
            format!("expected a type of JSON Schema, but found {}", short(unknown))
        });
    }
    let is = |name: &str| names.iter().any(|it| it.as_str() == Some(name));
    if is("array") && object.get("items").is_none() {
        broken.add("array-items", place, || "expected `items`, but found none".into());
    }
    if is("object") && !place.is_root() && members(object, "properties").count() == 0 {
        broken.add("empty-object", place, || "expected properties, but found none".into());
    }
    if let Some(format) = object.get("format").and_then(Value::as_str) {
        let taken: &[&str] = match () {
            () if is("number") => &["double", "float"],
            () if is("integer") => &["int32", "int64"],
            () => &["date-time", "enum"],
        };
        if !taken.contains(&format) {
            broken
                .add("format", place, || format!("expected {} as format, but found {format:?}", list(taken)));
        }
    }
    if let Some(values) = object.get("enum").and_then(Value::as_array)
        && !(is("string") && values.iter().all(Value::is_string))
    {
        let found = values.iter().find(|it| !it.is_string());
        broken.add("enum-type", place, || {
            let found = found.map_or_else(|| "no `\"type\": \"string\"`".into(), short);
            format!("expected strings only, but found {found}")
        });
    }
}

/// Checks `required`, and reports the keywords in [`NOT_IN_GEMINI`].
fn check_values(object: &Map<String, Value>, place: &SchemaPosition<'_>, broken: &mut Broken) {
    for keyword in NOT_IN_GEMINI.iter().filter(|it| object.contains_key(**it)) {
        broken.add("keyword", place, || {
            format!("expected a keyword that Gemini supports, but found `{keyword}`")
        });
    }
    let required = object.get("required").and_then(Value::as_array).into_iter().flatten();
    let properties = object.get("properties").and_then(Value::as_object);
    for name in required.filter_map(Value::as_str) {
        if !properties.is_some_and(|it| it.contains_key(name)) {
            broken.add("required-unknown", place, || {
                format!("expected a property {name:?}, but found it under `required` only")
            });
        }
    }
}

fn check_reference<'s>(
    root: &'s Value,
    to: &'s str,
    place: &SchemaPosition<'_>,
    followed: &mut BTreeMap<&'s str, &'static str>,
    broken: &mut Broken,
) {
    let rule = followed.get(to).copied().unwrap_or_else(|| match target(root, to) {
        // `target` does not resolve percent escapes and names of anchors. Such a reference may have a target,
        // so it is no `dangling-reference`.
        None if (to == "#" || to.starts_with("#/")) && !to.contains('%') => "dangling-reference",
        Some(_) if followed.len() < MAX_REFERENCES && comes_back(root, to) => "recursive-reference",
        _ => "reference",
    });
    if followed.len() < MAX_REFERENCES {
        followed.insert(to, rule);
    }
    broken.add(rule, place, || match rule {
        "dangling-reference" => format!("expected {to:?} to be in the schema, but it is not"),
        "recursive-reference" => {
            format!("expected a schema without recursion, but found {to:?} inside itself")
        }
        _ => format!("expected an inline schema, but found a reference to {to:?}"),
    });
}

fn target<'s>(root: &'s Value, to: &str) -> Option<&'s Value> {
    to.strip_prefix('#').and_then(|pointer| root.pointer(pointer))
}

/// Returns whether a chain of references that begins with `to` leads to `to` again.
fn comes_back<'s>(root: &'s Value, to: &'s str) -> bool {
    let (mut seen, mut left) = (BTreeSet::new(), vec![to]);
    while let Some(at) = left.pop() {
        let Some(schema) = target(root, at) else { continue };
        let mut found = false;
        walk(schema, &SchemaPosition::ROOT, &mut |it, _| {
            let Some(next) = it.get("$ref").and_then(Value::as_str) else { return };
            found |= next == to;
            if seen.len() < MAX_REFERENCES && seen.insert(next) {
                left.push(next);
            }
        });
        if found {
            return true;
        }
    }
    false
}

/// The position of a schema in the whole schema. It is formatted only for a finding, since paths may be long
/// and many.
#[derive(Clone, Copy, Debug)]
struct SchemaPosition<'p> {
    /// The keyword whose value contains the schema, such as `properties`; `inputSchema` for the root.
    keyword: &'p str,
    /// The number of properties on the path from the root to the schema.
    level: usize,
    /// The name of a property or definition, or the index of a subschema; `None` if the keyword has only one
    /// schema.
    name: Option<&'p dyn Step>,
    /// The position of the enclosing schema; `None` for the root.
    parent: Option<&'p Self>,
}

trait Step: Debug + Display {}

impl<T: Debug + Display> Step for T {}

impl SchemaPosition<'_> {
    const ROOT: Self = Self { keyword: ROOT, level: 0, name: None, parent: None };

    fn is_root(&self) -> bool {
        self.parent.is_none()
    }
}

impl Display for SchemaPosition<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            write!(out, "{parent}.")?;
        }
        out.write_str(self.keyword)?;
        self.name.map_or(Ok(()), |name| write!(out, ".{name}"))
    }
}

/// Calls `visit` for a schema and all its subschemas, each with its position. Names under `properties` and
/// `$defs` are not read as keywords.
fn walk<'s>(
    schema: &'s Value,
    place: &SchemaPosition<'_>,
    visit: &mut impl FnMut(&'s Value, &SchemaPosition<'_>),
) {
    visit(schema, place);
    for (keyword, inner) in schema.as_object().into_iter().flatten() {
        let parent = Some(place);
        let (keyword, level) = (keyword.as_str(), place.level);
        match (keyword, inner) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(named),
            ) => {
                let level = level + usize::from(keyword == "properties" || keyword == "patternProperties");
                for (name, it) in named {
                    walk(it, &SchemaPosition { keyword, level, name: Some(name), parent }, visit);
                }
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                for (n, it) in schemas.iter().enumerate() {
                    walk(it, &SchemaPosition { keyword, level, name: Some(&n), parent }, visit);
                }
            }
            (
                "additionalProperties"
                | "contains"
                | "else"
                | "if"
                | "items"
                | "not"
                | "propertyNames"
                | "then"
                | "unevaluatedItems"
                | "unevaluatedProperties",
                it,
            ) => walk(it, &SchemaPosition { keyword, level, name: None, parent }, visit),
            _ => {}
        }
    }
}

fn members<'s>(object: &'s Map<String, Value>, keyword: &str) -> impl Iterator<Item = (&'s str, &'s Value)> {
    let members = object.get(keyword).and_then(Value::as_object);
    members.into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" or ")
}

/// Returns a value as JSON, cut to 80 characters.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
