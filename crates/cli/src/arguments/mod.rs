//! Makes the arguments of a call from the words of the command line.
//!
//! In: words such as `key=text`, optionally a whole object, and the schema of the tool. Out: one JSON object. A
//! text becomes what the schema names: a number, a boolean, a list, a member of an object. A text that does not
//! fit is sent as text, so that the user sees the server's own message.

mod convert;
mod word;

use plainwire_inspect::{Kind, Shape};
use serde_json::{Map, Value};

use crate::exit::Failure;
pub(crate) use convert::shown;
use word::{Given, Word};

/// The arguments of the command line, before the schema of the tool is known.
#[derive(Debug)]
pub(crate) struct Arguments {
    object: Map<String, Value>,
    words: Vec<Word>,
}

/// The arguments of a call.
#[derive(Debug, PartialEq)]
pub(crate) struct Built {
    pub(crate) object: Map<String, Value>,
    /// The texts that do not fit the schema, as sentences for the user.
    pub(crate) misfits: Vec<String>,
}

impl Arguments {
    /// Parses `object`, the JSON of `--json=OBJECT`, and `words`, and reads the files that these name. A word
    /// replaces the member of the object with the same key.
    pub(crate) fn parse(object: Option<&str>, words: &[String]) -> Result<Self, Failure> {
        let object = match object.map(serde_json::from_str) {
            None => Map::new(),
            Some(Ok(Value::Object(object))) => object,
            Some(Ok(other)) => {
                return Err(Failure::usage(format!("expected --json=OBJECT, but found {other}")));
            }
            Some(Err(error)) => {
                return Err(Failure {
                    hint: Some(
                        "quote names and texts, as in `--json='{\"limit\":3,\"word\":\"moss\"}'`".to_owned(),
                    ),
                    ..Failure::usage(format!("expected --json=OBJECT, but found no JSON: {error}"))
                });
            }
        };
        Ok(Self { object, words: word::parse(words)? })
    }

    /// Returns whether the schema of the tool changes what is sent.
    pub(crate) fn depend_on_schema(&self) -> bool {
        self.words.iter().any(|it| matches!(it.given, Given::Text(_)) || it.key.contains('.'))
    }

    /// Makes the arguments of a prompt, which are texts.
    pub(crate) fn of_prompt(self) -> Result<Map<String, Value>, Failure> {
        self.build(&Value::Bool(true)).map(|built| built.object)
    }

    /// Makes the arguments of a tool with this schema; `true` is a schema that says nothing.
    pub(crate) fn build(self, schema: &Value) -> Result<Built, Failure> {
        let (mut object, mut misfits) = (self.object, Vec::new());
        let shape = Shape::of(schema, schema);
        let keys: Vec<String> = self.words.iter().map(|word| word.key.clone()).collect();
        for (at, Word { key, given }) in self.words.into_iter().enumerate() {
            let path = path(&key, &shape);
            let of_key = path.iter().try_fold(shape.clone(), |shape, name| shape.member(name));
            let is_list = of_key.as_ref().is_some_and(|it| it.allows(Kind::Array));
            let is_repeated = keys.iter().filter(|it| **it == key).count() > 1;
            if is_repeated && !is_list {
                return Err(twice(&key));
            }
            let value = match (given, &of_key) {
                (Given::Json(value), _) => value,
                (Given::Text(text), None) => text.into(),
                (Given::Text(text), Some(shape)) => {
                    let found = if is_repeated {
                        convert::element(&text, shape)
                    } else {
                        convert::convert(&text, shape)
                    };
                    found.unwrap_or_else(|| {
                        misfits.push(misfit(&key, &text, shape));
                        text.into()
                    })
                }
            };
            let member = member(&mut object, &path).ok_or_else(|| half_given(&key))?;
            if !is_repeated {
                *member = value;
                continue;
            }
            // The first of several words replaces what `--json` gives, and the others are added.
            let is_first = keys.iter().position(|it| *it == key) == Some(at);
            match member {
                Value::Array(list) if !is_first => list.push(value),
                other => *other = Value::Array(vec![value]),
            }
        }
        Ok(Built { object, misfits })
    }
}

/// Returns the names on the way to the argument `key`: `filter` and `status` for `filter.status`, if the schema
/// has an object `filter`. A key that the schema has as it is stays whole.
fn path(key: &str, shape: &Shape<'_>) -> Vec<String> {
    let whole = || vec![key.to_owned()];
    let Some((first, rest)) = key.split_once('.').filter(|_| !shape.has_property(key)) else {
        return whole();
    };
    match shape.member(first).filter(|it| it.allows(Kind::Object)) {
        Some(inner) => [vec![first.to_owned()], path(rest, &inner)].concat(),
        None => whole(),
    }
}

/// Returns the member at the end of `path`, which is made if it is not there; `None` if a value on the way is no
/// object.
fn member<'o>(object: &'o mut Map<String, Value>, path: &[String]) -> Option<&'o mut Value> {
    let (first, rest) = path.split_first()?;
    let member =
        object.entry(first).or_insert_with(|| if rest.is_empty() { Value::Null } else { Map::new().into() });
    if rest.is_empty() { Some(member) } else { self::member(member.as_object_mut()?, rest) }
}

fn twice(key: &str) -> Failure {
    Failure {
        hint: Some("only an argument that is a list can be given by several words".to_owned()),
        ..Failure::usage(format!("expected `{key}` once, but found it twice"))
    }
}

fn half_given(key: &str) -> Failure {
    Failure::usage(format!("expected an object for `{key}`, but another word or --json gives something else"))
}

/// Returns the sentence about a text that does not fit the schema.
fn misfit(key: &str, text: &str, shape: &Shape<'_>) -> String {
    // A long text, as from a file, would hide the sentence.
    let shown: String = text.chars().take(60).collect();
    let cut = if shown.len() < text.len() { "…" } else { "" };
    format!("the tool's schema has `{key}: {shape}`; {shown:?}{cut} was sent as text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn built(object: Option<&str>, words: &[&str], properties: Value) -> Result<Built, Failure> {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        Arguments::parse(object, &words)?.build(&json!({ "type": "object", "properties": properties }))
    }

    #[track_caller]
    fn check(words: &[&str], properties: Value, expected: Value) {
        let built = built(None, words, properties).expect("arguments");
        assert_eq!((Value::Object(built.object), built.misfits), (expected, Vec::new()));
    }

    #[test]
    fn the_schema_gives_a_text_its_type() {
        let properties = json!({ "a": { "type": "number" }, "b": { "type": "string" } });
        check(&["a=1", "b=1", "c=1"], properties, json!({ "a": 1, "b": "1", "c": "1" }));
    }

    #[test]
    fn dots_lead_into_objects_that_the_schema_has() {
        let filter = json!({ "type": "object", "properties": { "limit": { "type": "integer" } } });
        let properties =
            json!({ "filter": filter, "a.b": { "type": "integer" }, "text": { "type": "string" } });
        check(
            &["filter.limit=3", "filter.status=open", "a.b=1", "text.x=1", "new.x=1"],
            properties,
            json!({ "filter": { "limit": 3, "status": "open" }, "a.b": 1, "text.x": "1", "new.x": "1" }),
        );
        let labels = json!({ "labels": { "type": "object", "additionalProperties": { "type": "string" } } });
        check(&["labels.a.b=1"], labels, json!({ "labels": { "a.b": "1" } }));
    }

    #[test]
    fn several_words_make_a_list() {
        let tags = json!({ "tags": { "type": "array", "items": { "type": "string" } } });
        check(&["tags=a,b"], tags.clone(), json!({ "tags": ["a", "b"] }));
        check(&["tags=a,b", "tags=c", "tags:=1"], tags.clone(), json!({ "tags": ["a,b", "c", 1] }));
        let again = built(Some(r#"{"tags":["old"]}"#), &["tags=a", "tags=b"], tags).expect("arguments");
        assert_eq!(Value::Object(again.object), json!({ "tags": ["a", "b"] }));
        let failure = built(None, &["q=a", "q=b"], json!({ "q": { "type": "string" } })).expect_err("twice");
        assert_eq!(failure.text, "expected `q` once, but found it twice");
    }

    #[test]
    fn a_word_replaces_what_the_object_gives() {
        let found = built(Some(r#"{"a":1,"b":{"c":2}}"#), &["a=2"], json!({})).expect("arguments");
        assert_eq!(Value::Object(found.object), json!({ "a": "2", "b": { "c": 2 } }));
        let filter = json!({ "f": { "type": ["object", "string"] } });
        let failure = built(Some(r#"{"f":"x"}"#), &["f.a=1"], filter).expect_err("no object");
        assert!(failure.text.starts_with("expected an object for `f.a`"), "{}", failure.text);
    }

    #[test]
    fn a_text_that_does_not_fit_is_sent_and_told() {
        let properties = json!({ "a": { "type": "number" } });
        let found = built(None, &["a=two"], properties).expect("arguments");
        assert_eq!(Value::Object(found.object), json!({ "a": "two" }));
        assert_eq!(found.misfits, ["the tool's schema has `a: number`; \"two\" was sent as text"]);
    }

    #[test]
    fn an_object_is_expected_as_json() {
        let failed = |object: &str| Arguments::parse(Some(object), &[]).expect_err("no object").text;
        assert_eq!(failed("[1]"), "expected --json=OBJECT, but found [1]");
        assert!(failed("{").starts_with("expected --json=OBJECT, but found no JSON: "));
    }
}
