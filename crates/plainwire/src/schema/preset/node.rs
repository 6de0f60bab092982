//! Shared steps of the presets: one schema in a common form with few keywords.
//!
//! In: any schema. Out: the same schema without `oneOf`, `allOf`, `const` and tuples. Also functions that
//! move keywords into the description.

use serde_json::{Value, json};

use crate::schema::merge::{Merge, merge};
use crate::schema::walk::Keywords;

/// Returns the keywords of a schema. `true`, `false` and values that are no schema have none.
pub(super) fn keywords(schema: &Value) -> Keywords {
    schema.as_object().cloned().unwrap_or_default()
}

/// Brings a schema into the common form: the parts of `allOf` are merged, alternatives are `anyOf`, a
/// constant is an `enum`, a tuple is a list, and there is a `type` if other keywords imply it. Schemas inside
/// it do not change.
pub(super) fn normalize(mut it: Keywords) -> Keywords {
    for part in take_list(&mut it, "allOf") {
        it = merge(it.clone(), &keywords(&part), Merge::Loose).unwrap_or(it);
    }
    for alternative in take_list(&mut it, "oneOf") {
        if let Value::Array(any) = it.entry("anyOf").or_insert_with(|| json!([])) {
            any.push(alternative);
        }
    }
    if let Some(constant) = it.remove("const") {
        it.entry("enum").or_insert_with(|| json!([constant]));
    }
    let parts = take_list(&mut it, "prefixItems");
    if !parts.is_empty() {
        let count = parts.len();
        let item = if parts.iter().all(|part| *part == parts[0]) {
            parts[0].clone()
        } else {
            json!({ "anyOf": parts })
        };
        it.insert("items".to_owned(), item);
        it.entry("minItems").or_insert_with(|| json!(count));
        it.entry("maxItems").or_insert_with(|| json!(count));
    }
    add_type(&mut it);
    it
}

fn take_list(it: &mut Keywords, keyword: &str) -> Vec<Value> {
    match it.remove(keyword) {
        Some(Value::Array(all)) => all,
        _ => Vec::new(),
    }
}

/// Adds the keyword `type` if other keywords imply the type.
fn add_type(it: &mut Keywords) {
    if it.contains_key("type") || it.contains_key("anyOf") || it.contains_key("$ref") {
        return;
    }
    let kinds = match it.get("enum") {
        Some(Value::Array(values)) => {
            let mut kinds: Vec<_> = values.iter().map(kind).collect();
            kinds.sort_unstable();
            kinds.dedup();
            kinds
        }
        _ if it.contains_key("properties") => vec!["object"],
        _ if it.contains_key("items") => vec!["array"],
        _ => return,
    };
    let kind = if let [one] = kinds[..] { json!(one) } else { json!(kinds) };
    it.insert("type".to_owned(), kind);
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "array",
        Value::Bool(_) => "boolean",
        Value::Null => "null",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::Object(_) => "object",
        Value::String(_) => "string",
    }
}

/// Returns the types in the keyword `type` of a schema.
pub(super) fn types(it: &Keywords) -> Vec<String> {
    match it.get("type") {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Merges the alternatives of a root into one object, because a root has to be an object. A property is
/// required if all alternatives require it.
pub(super) fn united(mut root: Keywords) -> Keywords {
    let alternatives: Vec<Keywords> = take_list(&mut root, "anyOf").iter().map(keywords).collect();
    let required =
        |it: &Keywords| crate::schema::required(it).into_iter().map(|name| json!(name)).collect::<Vec<_>>();
    let mut always: Option<Vec<Value>> = None;
    for alternative in &alternatives {
        let theirs = required(alternative);
        always = Some(match always {
            None => theirs,
            Some(ours) => ours.into_iter().filter(|name| theirs.contains(name)).collect(),
        });
        unite_properties(&mut root, alternative);
    }
    let mut names = required(&root);
    names.extend(always.into_iter().flatten());
    names.dedup();
    if !alternatives.is_empty() {
        root.insert("required".to_owned(), Value::Array(names));
    }
    root.insert("type".to_owned(), json!("object"));
    root.remove("enum");
    root
}

/// Adds the properties of `alternative` to `root`. If both have a property with constants, such as the one
/// that tells alternatives apart, its `enum` in `root` gets the constants of both; other properties of `root`
/// stay as they are.
fn unite_properties(root: &mut Keywords, alternative: &Keywords) {
    let Some(Value::Object(theirs)) = alternative.get("properties") else { return };
    let Value::Object(ours) = root.entry("properties").or_insert_with(|| json!({})) else { return };
    for (name, schema) in theirs {
        let Some(known) = ours.get_mut(name) else {
            ours.insert(name.clone(), schema.clone());
            continue;
        };
        let mut one = normalize(keywords(known));
        if let (Some(Value::Array(values)), Some(Value::Array(more))) =
            (one.get_mut("enum"), normalize(keywords(schema)).get("enum"))
        {
            let new: Vec<_> = more.iter().filter(|value| !values.contains(value)).cloned().collect();
            values.extend(new);
            *known = Value::Object(one);
        }
    }
}

/// Adds words to the description: in parentheses, or as the description if there is none.
pub(super) fn add_to_description(it: &mut Keywords, words: &str) {
    let text = match it.get("description").and_then(Value::as_str) {
        Some(text) if !text.is_empty() => format!("{text} ({words})"),
        _ => words.to_owned(),
    };
    it.insert("description".to_owned(), Value::from(text));
}

/// Removes a keyword, and adds it to the description if its value is not null and has at most 80 bytes.
pub(super) fn move_to_description(it: &mut Keywords, keyword: &str) {
    let Some(value) = it.remove(keyword) else { return };
    let text = match &value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    // Longer defaults and examples cost more tokens than they help.
    if !value.is_null() && text.len() <= 80 {
        add_to_description(it, &format!("{keyword}: {text}"));
    }
}

/// Returns a schema for a string that holds JSON, for values that the preset can't describe. Arguments may
/// have such a string where the value itself is expected. `what` is the kind of value, as [`name_of`] returns
/// it.
pub(super) fn json_text(description: Option<&Value>, what: &str) -> Keywords {
    let mut it = Keywords::new();
    if let Some(description) = description {
        it.insert("description".to_owned(), description.clone());
    }
    it.insert("type".to_owned(), json!("string"));
    add_to_description(&mut it, &format!("{what} as JSON text"));
    it
}

/// Returns the kind of value that has these types, for [`json_text`]: "an object", "an array", or else "a
/// value".
pub(super) fn name_of(types: &[String]) -> &'static str {
    match types {
        [one] if one == "object" => "an object",
        [one] if one == "array" => "an array",
        _ => "a value",
    }
}

/// Returns whether a schema of objects names no members but allows some. Only a string that holds JSON can
/// express such a map.
pub(super) fn is_map(it: &Keywords) -> bool {
    let named = it.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
    // The names of a map may have to fit a pattern, such as that of numbers.
    let has_patterns = it.contains_key("patternProperties");
    !named && (has_patterns || it.get("additionalProperties") != Some(&Value::Bool(false)))
}
