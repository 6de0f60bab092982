//! What the presets have in common: one schema, brought into a form in which it has few keywords to look at.
//!
//! In: any schema. Out: the same one without `oneOf`, `allOf`, tuples and lists of types where they can be avoided; and
//! ways to say in words what a keyword would have said.

use serde_json::{Value, json};

use crate::schema::merge::{Merge, merge};
use crate::schema::walk::Keywords;

/// The keywords of a schema; of `true`, `false` and nonsense there are none.
pub(super) fn keywords(schema: &Value) -> Keywords {
    schema.as_object().cloned().unwrap_or_default()
}

/// Brings a schema into the common form: alternatives are `anyOf`, a tuple is a list, a value has a type.
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

/// Says the type where other keywords make it plain.
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

/// The types that a schema names.
pub(super) fn types(it: &Keywords) -> Vec<String> {
    match it.get("type") {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// The alternatives of a root, which has to be one object, as that object: what all of them require is required.
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

/// Adds the properties of an alternative; constants of one name, which tell alternatives apart, become one list.
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

/// Adds words to the description.
pub(super) fn say(it: &mut Keywords, words: &str) {
    let text = match it.get("description").and_then(Value::as_str) {
        Some(text) if !text.is_empty() => format!("{text} ({words})"),
        _ => words.to_owned(),
    };
    it.insert("description".to_owned(), Value::from(text));
}

/// Removes a keyword and says in words what it said, if it is short.
pub(super) fn say_instead(it: &mut Keywords, keyword: &str) {
    let Some(value) = it.remove(keyword) else { return };
    let text = match &value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    // Longer defaults and examples cost more than they help.
    if !value.is_null() && text.len() <= 80 {
        say(it, &format!("{keyword}: {text}"));
    }
}

/// A place for what can't be described: text that holds JSON, which is read where JSON is due.
pub(super) fn json_text(description: Option<&Value>, what: &str) -> Keywords {
    let mut it = Keywords::new();
    if let Some(description) = description {
        it.insert("description".to_owned(), description.clone());
    }
    it.insert("type".to_owned(), json!("string"));
    say(&mut it, &format!("{what} as JSON text"));
    it
}

/// "an object", "an array" or "a value", for [`json_text`].
pub(super) fn name_of(types: &[String]) -> &'static str {
    match types {
        [one] if one == "object" => "an object",
        [one] if one == "array" => "an array",
        _ => "a value",
    }
}

/// Whether an object may have members that are not listed, so that only JSON can say them.
pub(super) fn is_map(it: &Keywords) -> bool {
    let named = it.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
    !named && it.get("additionalProperties") != Some(&Value::Bool(false))
}
