//! Arguments: from JSON text into the function's own types.
//!
//! In: the text and the schema of the type. Out: the value, or a sentence that a model can act on: where, what was
//! expected, what was found. The straight way is one pass with no tree. Only what does not fit, or has bounds that no
//! type checks, is looked at as a tree, with two repairs: text where a number, a boolean, a list or an object is due is read as JSON, and `null` counts
//! as absent.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Rejected;
use crate::schema::{InputSchema, required, resolve};
use plainwire_proto::json::shorten;

/// Reads arguments into a `T`.
///
/// # Errors
/// [`Rejected`] for what neither fits nor can be repaired, and for names that `T` does not know.
pub(super) fn read<T: DeserializeOwned>(text: &str, schema: &InputSchema) -> Result<T, Rejected> {
    if !schema.constrained
        && let Ok((value, None)) = straight(text)
    {
        return Ok(value);
    }
    let mut tree: Value = serde_json::from_str(text).map_err(|error| Rejected(error.to_string()))?;
    repair(&mut tree, &schema.value, &schema.value, "arguments")?;
    match serde_path_to_error::deserialize::<_, T>(&tree) {
        Ok(value) => match unknown::<T>(&tree) {
            None => Ok(value),
            Some(path) => Err(unknown_name(&path, schema)),
        },
        Err(error) => {
            let path = match error.path().to_string() {
                root if root == "." => "arguments".to_owned(),
                path => format!("arguments.{path}"),
            };
            Err(Rejected(format!("expected `{path}` to fit, but found: {}", error.inner())))
        }
    }
}

/// Refuses every argument, for handlers that take none.
pub(super) fn refuse_any(text: &str, schema: &InputSchema) -> Result<(), Rejected> {
    if text == "{}" {
        return Ok(());
    }
    match serde_json::from_str::<serde_json::Map<String, Value>>(text)
        .ok()
        .and_then(|map| map.into_iter().next())
    {
        Some((name, _)) => Err(unknown_name(&name, schema)),
        None => Ok(()),
    }
}

/// One pass, no tree; also tells the first name that `T` did not take.
fn straight<T: DeserializeOwned>(text: &str) -> Result<(T, Option<String>), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut ignored = None;
    let value = serde_ignored::deserialize(&mut json, |path| {
        ignored.get_or_insert_with(|| path.to_string());
    })?;
    Ok((value, ignored))
}

fn unknown<T: DeserializeOwned>(tree: &Value) -> Option<String> {
    let mut ignored = None;
    let _ = serde_ignored::deserialize::<_, _, T>(tree, |path| {
        ignored.get_or_insert_with(|| path.to_string());
    });
    ignored
}

fn unknown_name(path: &str, schema: &InputSchema) -> Rejected {
    let known: Vec<_> = schema.properties().into_iter().map(|(name, ..)| format!("`{name}`")).collect();
    let expected = if known.is_empty() {
        "to be empty".to_owned()
    } else {
        format!("to have only {}", known.join(", "))
    };
    Rejected(format!("expected `arguments` {expected}, but found `{path}`"))
}

/// Walks a value along its schema: repairs what can be, and names the first thing that can't.
fn repair(value: &mut Value, schema: &Value, root: &Value, path: &str) -> Result<(), Rejected> {
    let schema = resolve(schema, root);
    let Some(keywords) = schema.as_object() else { return Ok(()) };
    if let Some(choices) = keywords.get("anyOf").or_else(|| keywords.get("oneOf")).and_then(Value::as_array) {
        return repair_choice(value, choices, root, path);
    }
    let types: Vec<&str> = match keywords.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is(value, name)) {
        match value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok()) {
            Some(parsed) if !parsed.is_string() && types.iter().any(|name| is(&parsed, name)) => {
                *value = parsed
            }
            _ => {
                return Err(mismatch(
                    path,
                    &types.iter().map(|name| article(name)).collect::<Vec<_>>().join(" or "),
                    value,
                ));
            }
        }
    }
    if let Some(allowed) = keywords.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed: Vec<_> = allowed.iter().map(Value::to_string).collect();
        return Err(mismatch(path, &format!("one of {}", allowed.join(", ")), value));
    }
    if let Some(constant) = keywords.get("const").filter(|constant| *constant != value) {
        return Err(mismatch(path, &constant.to_string(), value));
    }
    bounds(value, keywords, path)?;
    if let (Value::Array(items), Some(schema)) = (&mut *value, keywords.get("items")) {
        for (n, item) in items.iter_mut().enumerate() {
            repair(item, schema, root, &format!("{path}[{n}]"))?;
        }
    }
    let Value::Object(members) = value else { return Ok(()) };
    let required = required(schema);
    members.retain(|name, value| !value.is_null() || required.contains(&name.as_str()));
    if let Some(missing) = required.iter().find(|name| !members.contains_key(**name)) {
        let schema = keywords.get("properties").and_then(|properties| properties.get(missing));
        let expected =
            schema.and_then(|schema| resolve(schema, root).get("type")?.as_str()).map_or("there", article);
        return Err(Rejected(format!("expected `{path}.{missing}` to be {expected}, but found nothing")));
    }
    for (name, schema) in keywords.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if let Some(member) = members.get_mut(name) {
            repair(member, schema, root, &format!("{path}.{name}"))?;
        }
    }
    Ok(())
}

/// Takes the first choice that fits, repaired or not; if none does, complains about the only one that could.
fn repair_choice(value: &mut Value, choices: &[Value], root: &Value, path: &str) -> Result<(), Rejected> {
    let mut complaints = Vec::new();
    for choice in choices {
        let mut attempt = value.clone();
        match repair(&mut attempt, choice, root, path) {
            Ok(()) => {
                *value = attempt;
                return Ok(());
            }
            Err(rejected) if resolve(choice, root).get("type") != Some(&Value::from("null")) => {
                complaints.push(rejected)
            }
            Err(_) => {}
        }
    }
    match complaints.pop() {
        Some(only) if complaints.is_empty() => Err(only),
        _ => Err(mismatch(path, &format!("one of {} forms", choices.len()), value)),
    }
}

fn bounds(value: &Value, keywords: &serde_json::Map<String, Value>, path: &str) -> Result<(), Rejected> {
    let number = |keyword| keywords.get(keyword).and_then(Value::as_f64);
    let (amount, what, least, most) = match value {
        Value::Number(n) => (n.as_f64(), "", number("minimum"), number("maximum")),
        Value::String(text) => {
            (Some(text.chars().count() as f64), " characters", number("minLength"), number("maxLength"))
        }
        Value::Array(items) => (Some(items.len() as f64), " items", number("minItems"), number("maxItems")),
        _ => return Ok(()),
    };
    let Some(amount) = amount else { return Ok(()) };
    let broken = [
        ("at least", least.filter(|least| amount < *least)),
        ("at most", most.filter(|most| amount > *most)),
        ("more than", number("exclusiveMinimum").filter(|least| value.is_number() && amount <= *least)),
        ("less than", number("exclusiveMaximum").filter(|most| value.is_number() && amount >= *most)),
    ];
    let Some((relation, bound)) = broken.into_iter().find_map(|(relation, bound)| Some((relation, bound?)))
    else {
        return Ok(());
    };
    let (verb, found) =
        if what.is_empty() { ("be", value.to_string()) } else { ("have", amount.to_string()) };
    Err(Rejected(format!("expected `{path}` to {verb} {relation} {bound}{what}, but found {found}")))
}

fn mismatch(path: &str, expected: &str, found: &Value) -> Rejected {
    let found = found.to_string();
    Rejected(format!("expected `{path}` to be {expected}, but found {}", shorten(&found)))
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "object" => value.is_object(),
        "string" => value.is_string(),
        _ => true,
    }
}

fn article(name: &str) -> &'static str {
    match name {
        "array" => "an array",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "null" => "null",
        "number" => "a number",
        "object" => "an object",
        "string" => "a string",
        _ => "something else",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    struct Search {
        query: String,
        limit: Option<u32>,
        #[serde(default)]
        tags: Vec<String>,
        order: Option<Order>,
        nested: Option<Nested>,
        #[schemars(range(min = 1, max = 100))]
        page: Option<i64>,
    }

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Order {
        Up,
        Down,
    }

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    struct Nested {
        deep: bool,
    }

    fn search(text: &str) -> Result<Search, String> {
        read(text, &InputSchema::of::<Search>()).map_err(|rejected| rejected.0)
    }

    #[track_caller]
    fn refuses(text: &str, message: &str) {
        assert_eq!(search(text).expect_err(text), message);
    }

    #[test]
    fn names_path_expectation_and_finding() {
        refuses("{}", "expected `arguments.query` to be a string, but found nothing");
        refuses(r#"{"query":5}"#, "expected `arguments.query` to be a string, but found 5");
        refuses(
            r#"{"query":"a","limit":"ten"}"#,
            "expected `arguments.limit` to be an integer or null, but found \"ten\"",
        );
        refuses(r#"{"query":"a","limit":-1}"#, "expected `arguments.limit` to be at least 0, but found -1");
        refuses(
            r#"{"query":"a","tags":["x",1]}"#,
            "expected `arguments.tags[1]` to be a string, but found 1",
        );
        refuses(
            r#"{"query":"a","order":"left"}"#,
            "expected `arguments.order` to be one of \"up\", \"down\", but found \"left\"",
        );
        refuses(
            r#"{"query":"a","nested":{"deep":"x"}}"#,
            "expected `arguments.nested.deep` to be a boolean, but found \"x\"",
        );
        refuses(
            r#"{"query":"a","limt":1}"#,
            "expected `arguments` to have only `limit`, `nested`, `order`, `page`, `query`, `tags`, but found `limt`",
        );
    }

    #[test]
    fn reads_text_where_something_else_is_due() {
        let repaired = search(
            r#"{"query":"a","limit":"10","tags":"[\"x\"]","nested":"{\"deep\":\"true\"}","order":null}"#,
        );
        let expected = Search {
            query: "a".into(),
            limit: Some(10),
            tags: vec!["x".into()],
            order: None,
            nested: Some(Nested { deep: true }),
            page: None,
        };
        assert_eq!(repaired, Ok(expected));
    }

    #[test]
    fn leaves_text_alone_where_text_is_due() {
        assert_eq!(search(r#"{"query":"10"}"#).map(|s| s.query), Ok("10".to_owned()));
    }

    #[test]
    fn refuses_arguments_where_none_are_taken() {
        let none = InputSchema::empty();
        assert_eq!(refuse_any("{}", &none), Ok(()));
        assert_eq!(refuse_any(" { } ", &none), Ok(()));
        let rejected = refuse_any(r#"{"a":1}"#, &none).expect_err("refused");
        assert_eq!(rejected.0, "expected `arguments` to be empty, but found `a`");
    }
}
