//! Checks of the values in the path and in the query.
//!
//! In: an operation with the values of its path, and the query. Out: problems. Types, `enum`, limits and
//! required parameters are checked; a list may be repeated parameters or one value with commas. Parameters in
//! headers are not checked.

use serde_json::Value;

use super::document::Document;
use super::route::{Target, pairs};

/// Checks the parameters of a request.
pub(super) fn check(document: &Document, target: &Target<'_>, query: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let described: Vec<&Value> = document.parameters(target.operation).collect();
    let given = pairs(query);
    for parameter in &described {
        let name = parameter["name"].as_str().unwrap_or_default();
        let schema = document.resolved(&parameter["schema"]);
        let (place, values): (&str, Vec<&str>) = match parameter["in"].as_str() {
            Some("path") => ("path", named(&target.values, name)),
            Some("query") => ("query", named(&given, name)),
            _ => continue,
        };
        let required = parameter["required"] == true;
        let found = faults(document, schema, required, &values);
        problems.extend(found.into_iter().map(|it| format!("request.{place}.{name}: {it}")));
    }
    problems.extend(unknown(&described, &given));
    problems
}

fn named<'a, N: AsRef<str>>(pairs: &'a [(N, String)], name: &str) -> Vec<&'a str> {
    pairs.iter().filter(|(it, _)| it.as_ref() == name).map(|(_, value)| value.as_str()).collect()
}

/// Returns a problem for each name in the query that no parameter has. A parameter that is an object stands
/// for any name.
fn unknown(described: &[&Value], given: &[(String, String)]) -> Vec<String> {
    let known: Vec<&Value> = described.iter().filter(|it| it["in"] == "query").copied().collect();
    if known.iter().any(|it| it["schema"]["type"] == "object") {
        return Vec::new();
    }
    let names: Vec<&str> = known.iter().filter_map(|it| it["name"].as_str()).collect();
    let unknown = given.iter().filter(|(name, _)| !names.contains(&name.as_str()));
    let expected = names.join(", ");
    unknown.map(|(name, _)| format!("request.query.{name}: expected one of [{expected}]")).collect()
}

fn faults(document: &Document, schema: &Value, required: bool, values: &[&str]) -> Vec<String> {
    if values.is_empty() {
        return required.then(|| "expected a value, but found none".to_owned()).into_iter().collect();
    }
    if schema["type"] == "array" {
        let items = document.resolved(&schema["items"]);
        let values: Vec<&str> = values.iter().flat_map(|it| it.split(',')).collect();
        let mut found: Vec<String> = values.iter().filter_map(|it| fault(items, it)).collect();
        let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
        if values.len() as u64 > most {
            found.push(format!("expected at most {most} values, but found {}", values.len()));
        }
        return found;
    }
    if let [value] = values {
        return fault(schema, value).into_iter().collect();
    }
    vec![format!("expected one value, but found {}", values.len())]
}

/// Checks one value, which is text in a URL.
fn fault(schema: &Value, value: &str) -> Option<String> {
    let expected = |what: String| Some(format!("expected {what}, but found `{value}`"));
    let options = schema["enum"].as_array();
    if let Some(options) = options.filter(|all| !all.iter().any(|it| is_written(it, value))) {
        return expected(format!("one of {}", Value::from(options.clone())));
    }
    match schema["type"].as_str() {
        Some("integer") => {
            let Ok(number) = value.parse::<i64>() else { return expected("an integer".into()) };
            if schema["format"] == "int32" && i32::try_from(number).is_err() {
                return expected("an integer of 32 bits".into());
            }
            outside(schema, number as f64).and_then(expected)
        }
        Some("number") => match value.parse::<f64>() {
            Ok(number) => outside(schema, number).and_then(expected),
            Err(_) => expected("a number".into()),
        },
        Some("boolean") if value != "true" && value != "false" => expected("`true` or `false`".into()),
        Some("string") => {
            let length = value.chars().count() as u64;
            let most = schema["maxLength"].as_u64().filter(|most| length > *most);
            most.and_then(|most| expected(format!("at most {most} characters")))
        }
        _ => None,
    }
}

/// Returns whether `text` is how an option looks in a URL.
fn is_written(option: &Value, text: &str) -> bool {
    match option {
        Value::String(option) => option == text,
        other => serde_json::from_str(text).is_ok_and(|it: Value| it == *other),
    }
}

/// Returns the limit of a number that it does not keep.
fn outside(schema: &Value, number: f64) -> Option<String> {
    if let Some(least) = schema["minimum"].as_f64().filter(|least| number < *least) {
        return Some(format!("at least {least}"));
    }
    schema["maximum"].as_f64().filter(|most| number > *most).map(|most| format!("at most {most}"))
}
