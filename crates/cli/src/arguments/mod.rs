//! Parses the arguments of a call into a JSON object.
//!
//! In: words `key=text` and `key:=json`, and optionally a whole object. Out: one object. A word replaces the
//! value that the object or an earlier word gives to the same key.

use serde_json::{Map, Value};

use crate::exit::Failure;

/// Parses `object`, the JSON of `--json=OBJECT`, and sets a member of it for each of `words`, such as
/// `key=text`. Without `object` it begins with an empty one.
pub(crate) fn parse(object: Option<&str>, words: &[String]) -> Result<Map<String, Value>, Failure> {
    let mut arguments = match object.map(serde_json::from_str) {
        None => Map::new(),
        Some(Ok(Value::Object(object))) => object,
        Some(Ok(other)) => return Err(Failure::usage(format!("expected --json=OBJECT, but found {other}"))),
        Some(Err(error)) => {
            return Err(Failure::usage(format!("expected --json=OBJECT, but found no JSON: {error}")));
        }
    };
    for word in words {
        let (key, value) = match (word.split_once(":="), word.split_once('=')) {
            // The first separator counts: in `a=b:=c` the value is `b:=c`.
            (Some((key, json)), Some((shorter, _))) if key.len() < shorter.len() => {
                let value = serde_json::from_str(json).map_err(|error| {
                    Failure::usage(format!("expected JSON after `{key}:=`, but found {json:?}: {error}"))
                })?;
                (key, value)
            }
            (_, Some((key, text))) => (key, Value::from(text)),
            (_, None) => {
                return Err(Failure::usage(format!(
                    "expected `key=text` or `key:=json`, but found {word:?}"
                )));
            }
        };
        arguments.insert(key.to_owned(), value);
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(object: Option<&str>, words: &[&str], expected: Result<Value, &str>) {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let found = parse(object, &words).map(Value::Object).map_err(|failure| failure.text);
        assert_eq!(found.as_ref().map_err(String::as_str), expected.as_ref().map_err(|e| *e));
    }

    #[test]
    fn reads_text_and_json() {
        check(
            None,
            &["a=1", "b:=1", "c:=[true]", "d="],
            Ok(json!({ "a": "1", "b": 1, "c": [true], "d": "" })),
        );
        check(None, &["a=b:=c", "e=x=y"], Ok(json!({ "a": "b:=c", "e": "x=y" })));
        check(Some(r#"{"a":1,"b":2}"#), &["b=3"], Ok(json!({ "a": 1, "b": "3" })));
    }

    #[test]
    fn says_what_is_wrong() {
        check(None, &["a"], Err("expected `key=text` or `key:=json`, but found \"a\""));
        check(Some("[1]"), &[], Err("expected --json=OBJECT, but found [1]"));
        check(
            None,
            &["a:=x"],
            Err("expected JSON after `a:=`, but found \"x\": expected value at line 1 column 1"),
        );
    }
}
