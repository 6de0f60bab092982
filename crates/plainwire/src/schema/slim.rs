//! Slimming: schemas with less text and the same meaning.
//!
//! In: a schema. Out: the same schema without the parts that no model needs. [`slim`] does not change which
//! values fit. [`slim_arguments`] also relies on the rule that `null` counts as absent in arguments. Names
//! chosen by the user, constants, defaults and examples are never changed.

use serde_json::Value;

use super::inline::{InlineRule, inline};
use super::merge::{Merge, merge};
use super::required;
use super::walk::{self, Keywords};

/// Largest nesting depth of schemas that are slimmed. Deeper ones are left unchanged.
pub(super) const MAX_DEPTH: usize = 128;

/// Values of `format` that name a machine type of numbers. No model needs them, and some clients refuse them.
const FORMATS: [&str; 14] = [
    "double", "float", "int", "int8", "int16", "int32", "int64", "int128", "uint", "uint8", "uint16",
    "uint32", "uint64", "uint128",
];

/// Removes the parts of a schema that no model needs. The same values fit as before.
///
/// Never fails and never panics. Unknown keywords stay. A schema nested deeper than 128 levels is left
/// unchanged. The result is never longer than the input.
///
/// ```
/// use plainwire::serde_json::json;
///
/// let mut schema = json!({
///     "$schema": "https://json-schema.org/draft/2020-12/schema",
///     "title": "Page",
///     "type": "object",
///     "properties": { "size": { "$ref": "#/$defs/Size" } },
///     "$defs": { "Size": { "type": "integer", "format": "uint32", "minimum": 0 } },
/// });
/// plainwire::schema::slim(&mut schema);
/// let slim = json!({ "type": "object", "properties": { "size": { "type": "integer", "minimum": 0 } } });
/// assert_eq!(schema, slim);
/// ```
pub fn slim(schema: &mut Value) {
    if !walk::is_deeper(schema, MAX_DEPTH) {
        each(schema, &mut noise);
        inline(schema, InlineRule::Shorter);
        each(schema, &mut nullable);
    }
}

/// Like [`slim`], but for a schema of results: descriptions are removed as well. A model reads the result,
/// but hosts do not show it the schema of the result; programs use names and types.
/// [`crate::Tool::describe_output`] keeps the descriptions.
///
/// ```
/// use plainwire::serde_json::json;
///
/// let mut schema = json!({ "properties": { "due": { "type": "string", "description": "The last day." } } });
/// plainwire::schema::slim_results(&mut schema);
/// assert_eq!(schema, json!({ "properties": { "due": { "type": "string" } } }));
/// ```
pub fn slim_results(schema: &mut Value) {
    if !walk::is_deeper(schema, MAX_DEPTH) {
        each(schema, &mut |keywords| {
            keywords.remove("description");
        });
        slim(schema);
    }
}

/// Like [`slim`], but for a schema of arguments: `null` counts as absent for an optional property, so its
/// type does not list `null`. A default of null is removed, and so is one of `false`, an empty text, list or
/// object: a reader expects nothing else of an argument that is absent.
///
/// ```
/// use plainwire::serde_json::json;
///
/// let mut schema = json!({ "properties": { "limit": { "type": ["integer", "null"], "default": null } } });
/// plainwire::schema::slim_arguments(&mut schema);
/// assert_eq!(schema, json!({ "properties": { "limit": { "type": "integer" } } }));
/// ```
pub fn slim_arguments(schema: &mut Value) {
    if !walk::is_deeper(schema, MAX_DEPTH) {
        // A definition that was inlined into an optional property may still allow null. Another round removes
        // that null. Each round makes the text shorter, and the second round is nearly always the last.
        for _ in 0..MAX_ROUNDS {
            let before = schema.clone();
            each(schema, &mut optional);
            slim(schema);
            if *schema == before {
                break;
            }
        }
    }
}

/// Largest number of passes of [`slim_arguments`] over a schema. One pass is needed for each level of
/// definitions nested in each other; a schema that a person can read has fewer levels.
const MAX_ROUNDS: usize = 16;

/// Applies `change` to the schemas inside a schema, the innermost first, and then to the schema itself.
fn each(schema: &mut Value, change: &mut dyn FnMut(&mut Keywords)) {
    if let Value::Object(keywords) = schema {
        walk::each_mut(keywords, |inner| each(inner, change));
        change(keywords);
    }
}

/// Removes `title`, `$schema` and the formats of machine numbers (such as `int32`), and replaces a `oneOf` of
/// bare constants by an `enum`.
fn noise(keywords: &mut Keywords) {
    if keywords.get("title").is_some_and(Value::is_string) {
        keywords.remove("title");
    }
    if keywords.get("$schema").is_some_and(Value::is_string) {
        keywords.remove("$schema");
    }
    if keywords.get("format").and_then(Value::as_str).is_some_and(|format| FORMATS.contains(&format)) {
        keywords.remove("format");
    }
    if let Some(merged) = constants(keywords) {
        keywords.remove("oneOf");
        keywords.extend(merged);
    }
}

/// Returns the `enum`, and perhaps `type`, that replaces a `oneOf` of bare constants. `None` if an
/// alternative has other keywords, such as a description, if the types differ, if a constant appears twice,
/// or if `keywords` already has an `enum` or `type`.
fn constants(keywords: &Keywords) -> Option<Keywords> {
    let alternatives = keywords.get("oneOf")?.as_array()?;
    let mut kind = None;
    let mut values: Vec<Value> = Vec::new();
    for alternative in alternatives {
        let alternative = alternative.as_object()?;
        let allowed = match (alternative.get("const"), alternative.get("enum")) {
            (Some(constant), None) => std::slice::from_ref(constant),
            (None, Some(Value::Array(allowed))) => allowed,
            _ => return None,
        };
        let theirs = alternative.get("type");
        if alternative.len() != 1 + usize::from(theirs.is_some()) || *kind.get_or_insert(theirs) != theirs {
            return None;
        }
        // `oneOf` refuses a value that two alternatives allow; `enum` would accept it.
        if allowed.iter().any(|value| values.contains(value)) {
            return None;
        }
        values.extend(allowed.iter().cloned());
    }
    let mut merged = Keywords::from_iter([("enum".to_owned(), Value::Array(values))]);
    if let Some(kind) = kind? {
        merged.insert("type".to_owned(), kind.clone());
    }
    merged.keys().all(|keyword| !keywords.contains_key(keyword)).then_some(merged)
}

/// Removes null from the optional properties of a schema: from their types, constants, alternatives and
/// default.
fn optional(keywords: &mut Keywords) {
    let required: Vec<String> = required(keywords).into_iter().map(ToOwned::to_owned).collect();
    let Some(Value::Object(properties)) = keywords.get_mut("properties") else { return };
    for (name, schema) in properties {
        if let Value::Object(schema) = schema
            && !required.contains(name)
        {
            without_null(schema);
        }
    }
}

fn without_null(keywords: &mut Keywords) {
    if keywords.get("default").is_some_and(|default| default.is_null() || is_empty(default, keywords)) {
        keywords.remove("default");
    }
    if let Some(Value::Array(values)) = keywords.get_mut("enum")
        && values.len() > 1
    {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(types)) = keywords.get_mut("type")
        && types.len() > 1
    {
        types.retain(|name| name != "null");
        if types.len() == 1
            && let Some(only) = types.pop()
        {
            keywords.insert("type".to_owned(), only);
        }
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(alternatives)) = keywords.get_mut(keyword)
            && alternatives.len() > 1
        {
            alternatives.retain(|alternative| !is_null(alternative));
            collapse(keywords, keyword);
        }
    }
}

/// Keywords that may refuse an empty value. Beside one of them, an empty default stays, and is checked as any other.
const AT_LEAST: [&str; 8] =
    ["const", "enum", "format", "minItems", "minLength", "minProperties", "pattern", "required"];

/// Returns whether a default is `false`, or an empty text, list or object, and fits the schema with these keywords.
fn is_empty(default: &Value, keywords: &Keywords) -> bool {
    let kind = match default {
        Value::Bool(false) => "boolean",
        Value::String(text) if text.is_empty() => "string",
        Value::Array(items) if items.is_empty() => "array",
        Value::Object(members) if members.is_empty() => "object",
        _ => return false,
    };
    let fits = match keywords.get("type") {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(types)) => types.iter().any(|it| it == kind),
        _ => false,
    };
    fits && !AT_LEAST.iter().any(|keyword| keywords.contains_key(*keyword))
}

/// Removes each `additionalProperties: true`: an object without the keyword is as open. Nothing changes in a schema that has
/// `unevaluatedProperties` somewhere, for which it makes a difference, or that is nested deeper than 128 levels.
pub(super) fn without_open(schema: &mut Value) {
    let mut counts = |keywords: &Keywords| keywords.contains_key("unevaluatedProperties");
    if !walk::is_deeper(schema, MAX_DEPTH) && !walk::any(schema, &mut counts) {
        each(schema, &mut |keywords| {
            if keywords.get("additionalProperties") == Some(&Value::Bool(true)) {
                keywords.remove("additionalProperties");
            }
        });
    }
}

/// Returns whether a schema is `{"type": "null"}`: it allows null and nothing else.
pub(super) fn is_null(schema: &Value) -> bool {
    schema.as_object().is_some_and(|it| it.len() == 1 && it.get("type").is_some_and(|kind| kind == "null"))
}

/// If the list of alternatives under `keyword` (`anyOf` or `oneOf`) has only one, replaces the list by that
/// alternative, unless it can't be merged with the keywords beside the list.
fn collapse(keywords: &mut Keywords, keyword: &str) {
    if let Some(Value::Array(alternatives)) = keywords.get(keyword)
        && let [Value::Object(only)] = &alternatives[..]
    {
        let mut beside = keywords.clone();
        beside.remove(keyword);
        if let Some(merged) = merge(beside, only, Merge::Exact) {
            *keywords = merged;
        }
    }
}

/// Writes `anyOf: [{type: T}, {type: null}]` as `type: [T, null]`. The alternative with the type `T` may have
/// other keywords, but none that would refuse null or get another meaning beside `type: [T, null]`; an `enum`
/// gets null. The same is done for `oneOf`, and if null comes first.
fn nullable(keywords: &mut Keywords) {
    let alternatives = match (keywords.get("anyOf"), keywords.get("oneOf")) {
        (Some(alternatives), None) | (None, Some(alternatives)) => alternatives.as_array(),
        _ => None,
    };
    let Some([one, other]) = alternatives.map(Vec::as_slice) else { return };
    let Some(Value::Object(only)) =
        (if is_null(one) { Some(other) } else { Some(one).filter(|_| is_null(other)) })
    else {
        return;
    };
    let Some(Value::String(kind)) = only.get("type") else { return };
    let widening = ["$ref", "allOf", "anyOf", "const", "else", "if", "not", "oneOf", "then"];
    if kind == "null" || widening.iter().any(|keyword| only.contains_key(*keyword)) {
        return;
    }
    let mut only = only.clone();
    only.insert("type".to_owned(), Value::from(vec![kind.as_str(), "null"]));
    if let Some(Value::Array(values)) = only.get_mut("enum") {
        values.push(Value::Null);
    }
    let mut beside = keywords.clone();
    beside.remove("anyOf");
    beside.remove("oneOf");
    if let Some(merged) = merge(beside, &only, Merge::Exact) {
        *keywords = merged;
    }
}
