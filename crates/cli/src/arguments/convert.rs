//! Converts a text of the command line into the value that a schema names.

use std::borrow::Cow;

use plainwire_inspect::{Kind, Shape};
use serde_json::Value;
use serde_json::value::RawValue;

use super::node::Node;

/// Returns the value that `text` stands for where `shape` is expected; `None` if it stands for none. Text comes
/// first: where a string is allowed, `1` is a string.
pub(super) fn convert(text: &str, shape: &Shape<'_>) -> Option<Node> {
    let listed = |it: &&Value| shown(it) == text;
    if let Some(value) = shape.values().find(listed) {
        return Some(Node::value(value));
    }
    // Beside a list of values, `null` is no text.
    if text == "null" && shape.allows(Kind::Null) && shape.values().next().is_some() {
        return Some(Node::value(&Value::Null));
    }
    if shape.allows(Kind::String) || shape.is_open() {
        return Some(Node::text(text));
    }
    let word = match text {
        "true" | "false" if shape.allows(Kind::Boolean) => json(text),
        "null" if shape.allows(Kind::Null) => json(text),
        _ if shape.allows(Kind::Number) => number(text),
        _ if shape.allows(Kind::Integer) => number(text).filter(|_| is_whole(text)),
        _ => None,
    };
    word.or_else(|| shape.allows(Kind::Object).then(|| whole(text, '{'))?)
        .or_else(|| shape.allows(Kind::Array).then(|| array(text, shape))?)
}

/// Returns the text of the command line that stands for a listed value.
pub(crate) fn shown(value: &Value) -> Cow<'_, str> {
    value.as_str().map_or_else(|| value.to_string().into(), Cow::from)
}

/// Returns the element that `text` stands for in a list of the shape `list`; `None` if it stands for none.
pub(super) fn element(text: &str, list: &Shape<'_>) -> Option<Node> {
    list.items().map_or_else(|| Some(Node::text(text)), |items| convert(text, &items))
}

/// Returns the JSON that `text` is, as it is; `None` if it is none.
fn json(text: &str) -> Option<Node> {
    Some(Node::Json(serde_json::from_str::<&RawValue>(text).ok()?.to_owned()))
}

/// Returns the number that `text` is in JSON, with all its digits; `None` if it is none.
fn number(text: &str) -> Option<Node> {
    text.trim_start().starts_with(|it: char| it == '-' || it.is_ascii_digit()).then(|| json(text))?
}

/// Returns whether a number has no fraction, as `2.0`.
fn is_whole(text: &str) -> bool {
    text.trim().parse::<f64>().is_ok_and(|it| it.fract() == 0.0)
}

/// Returns the value of `text` if `text` is JSON that begins with `open`.
fn whole(text: &str, open: char) -> Option<Node> {
    text.trim_start().starts_with(open).then(|| json(text))?
}

/// Returns the list that `text` is: JSON, one element in JSON, or elements between commas.
fn array(text: &str, shape: &Shape<'_>) -> Option<Node> {
    let items = shape.items();
    let holds = |kind| items.as_ref().is_some_and(|items| items.allows(kind) && !items.is_open());
    if holds(Kind::Object)
        && let Some(element) = whole(text, '{')
    {
        return Some(Node::List(vec![element]));
    }
    match whole(text, '[') {
        // In a list of lists, `[1,2]` is one of them, and `[[1,2]]` is all of it.
        Some(element) if holds(Kind::Array) && !text.trim_start()[1..].trim_start().starts_with('[') => {
            Some(Node::List(vec![element]))
        }
        Some(all) => Some(all),
        None => list(text, shape),
    }
}

/// Returns the list of the parts of `text` between commas; `None` if a part is no element.
fn list(text: &str, shape: &Shape<'_>) -> Option<Node> {
    if text.is_empty() {
        return Some(Node::List(Vec::new()));
    }
    text.split(',').map(|part| element(part.trim(), shape)).collect::<Option<Vec<_>>>().map(Node::List)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(schema: Value, texts: &[(&str, Option<Value>)]) {
        for (text, expected) in texts {
            let found = convert(text, &Shape::of(&schema, &schema));
            let found = found.map(|it| serde_json::to_value(it).expect("JSON"));
            assert_eq!(found, *expected, "{text:?} for {schema}");
        }
    }

    #[test]
    fn a_text_becomes_the_type_of_the_schema() {
        check(json!({ "type": "string" }), &[("1", Some(json!("1"))), ("", Some(json!("")))]);
        check(
            json!({ "type": "integer" }),
            &[
                ("1", Some(json!(1))),
                ("-3", Some(json!(-3))),
                ("1.5", None),
                ("2.0", Some(json!(2.0))),
                ("one", None),
                ("", None),
                ("123456789012345678901234567890", Some(json!(123_456_789_012_345_678_901_234_567_890_f64))),
                ("-0", Some(json!(-0.0))),
            ],
        );
        check(
            json!({ "type": "number" }),
            &[("1e3", Some(json!(1e3))), ("NaN", None), (" 1", Some(json!(1)))],
        );
        check(json!({ "type": "boolean" }), &[("true", Some(json!(true))), ("yes", None), ("1", None)]);
        check(json!({}), &[("1", Some(json!("1")))]);
    }

    #[test]
    fn a_string_is_preferred_and_null_is_for_nothing_else() {
        check(json!({ "type": ["string", "null"] }), &[("null", Some(json!("null")))]);
        check(
            json!({ "anyOf": [{ "type": "integer" }, { "type": "null" }] }),
            &[("null", Some(json!(null)))],
        );
        check(json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] }), &[("1", Some(json!("1")))]);
    }

    #[test]
    fn a_listed_value_keeps_its_type() {
        let listed = json!({ "enum": ["a", 1, true, null] });
        check(
            listed,
            &[
                ("a", Some(json!("a"))),
                ("1", Some(json!(1))),
                ("true", Some(json!(true))),
                ("null", Some(json!(null))),
            ],
        );
        let or_nothing = json!({ "anyOf": [{ "enum": ["a", "b"], "type": "string" }, { "type": "null" }] });
        check(or_nothing, &[("null", Some(json!(null))), ("c", Some(json!("c")))]);
        check(json!({ "enum": [1, 2] }), &[("3", Some(json!(3))), ("x", None)]);
    }

    #[test]
    fn commas_separate_the_elements_of_a_list() {
        let numbers = json!({ "type": "array", "items": { "type": "integer" } });
        check(
            numbers,
            &[
                ("1,2, 3", Some(json!([1, 2, 3]))),
                ("1", Some(json!([1]))),
                ("", Some(json!([]))),
                ("[1, 2]", Some(json!([1, 2]))),
                ("1,x", None),
            ],
        );
        let objects = json!({ "type": "array", "items": { "type": "object" } });
        check(
            objects,
            &[("[{}]", Some(json!([{}]))), ("a,b", None), ("{\"a\":1}", Some(json!([{ "a": 1 }])))],
        );
        let texts = json!({ "type": "array", "items": { "type": "string" } });
        check(texts, &[("a,b", Some(json!(["a", "b"]))), ("[draft", Some(json!(["[draft"])))]);
    }

    #[test]
    fn an_object_is_json() {
        check(json!({ "type": "object" }), &[("{\"a\":1}", Some(json!({ "a": 1 }))), ("a", None)]);
    }
}
