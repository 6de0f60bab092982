//! Makes the arguments of a call from the words of the command line.
//!
//! In: words such as `key=text`, optionally a whole object, and the schema of the tool. Out: one JSON object. A
//! text becomes what the schema names: a number, a boolean, a list, a member of an object. A text that does not
//! fit is sent as text, so that the user sees the server's own message.

mod convert;
mod node;
mod word;

use std::collections::BTreeMap;

use plainwire_inspect::{Kind, Shape};
use serde_json::Value;

use crate::exit::Failure;
use crate::{quote, visible};
pub(crate) use convert::shown;
use node::Node;
pub(crate) use word::assignment;
use word::{Given, Word};

/// The arguments of the command line, before the schema of the tool is known.
#[derive(Debug)]
pub(crate) struct Arguments {
    object: BTreeMap<String, Node>,
    words: Vec<Word>,
}

/// The arguments of a call.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) object: BTreeMap<String, Node>,
    /// The texts that do not fit the schema.
    pub(crate) misfits: Vec<Misfit>,
}

/// A text that does not fit the schema of its argument.
#[derive(Debug)]
pub(crate) struct Misfit {
    pub(crate) key: String,
    /// A sentence for the user.
    pub(crate) text: String,
}

impl Arguments {
    /// Parses `object`, the JSON of `--json=OBJECT`, and `words`, and reads the files that these name. A word
    /// replaces the member of the object with the same key.
    pub(crate) fn parse(object: Option<&str>, words: &[String]) -> Result<Self, Failure> {
        let object = object.map_or_else(|| Ok(BTreeMap::new()), whole)?;
        Ok(Self { object, words: word::parse(words)? })
    }

    /// Returns whether the schema of the tool changes what is sent.
    pub(crate) fn depend_on_schema(&self) -> bool {
        let is_repeated = |at: usize| self.words[..at].iter().any(|it| it.key == self.words[at].key);
        let mut words = self.words.iter().enumerate();
        // A list may be given by several words.
        words.any(|(at, it)| matches!(it.given, Given::Text(_)) || it.key.contains('.') || is_repeated(at))
    }

    /// Makes the arguments of a prompt, which are texts.
    pub(crate) fn of_prompt(self) -> Result<BTreeMap<String, Node>, Failure> {
        let object = self.build(&Value::Bool(true))?.object;
        match object.iter().find(|(_, value)| !value.is_string()) {
            None => Ok(object),
            Some((key, value)) => Err(Failure {
                hint: Some(format!("`{key}=text` gives text, and so does `{key}:='\"text\"'`")),
                ..Failure::usage(format!(
                    "expected a string for `{key}`, as prompts take, but found {}",
                    visible::short_line(&serde_json::to_string(value).unwrap_or_default(), 80)
                ))
            }),
        }
    }

    /// Makes the arguments of a tool with this schema; `true` is a schema that says nothing.
    pub(crate) fn build(self, schema: &Value) -> Result<Built, Failure> {
        let (mut object, mut misfits) = (self.object, Vec::new());
        let shape = Shape::of(schema, schema);
        let keys: Vec<String> = self.words.iter().map(|word| word.key.clone()).collect();
        let paths: Vec<Vec<String>> = keys.iter().map(|key| path(key, &shape)).collect();
        for (at, Word { key, given }) in self.words.into_iter().enumerate() {
            let path = &paths[at];
            let is_inside = |other: &&Vec<String>| other.len() > path.len() && other.starts_with(path);
            if let Some(inside) = paths[..at].iter().find(is_inside) {
                return Err(too_late(&key, &inside.join(".")));
            }
            let of_key = path.iter().try_fold(shape.clone(), |shape, name| shape.member(name));
            let is_list = of_key.as_ref().is_some_and(|it| it.allows(Kind::Array));
            let is_repeated = keys.iter().filter(|it| **it == key).count() > 1;
            if is_repeated && !is_list {
                return Err(twice(&key));
            }
            let value = match (given, &of_key) {
                (Given::Json(value), _) => Node::Json(value),
                (Given::Text(text), None) => Node::text(&text),
                (Given::Text(text), Some(shape)) => {
                    let found = if is_repeated {
                        convert::element(&text, shape)
                    } else {
                        convert::convert(&text, shape)
                    };
                    found.unwrap_or_else(|| {
                        misfits.push(Misfit { text: misfit(&key, &text, shape), key: key.clone() });
                        Node::text(&text)
                    })
                }
            };
            let member = node::member(&mut object, path).ok_or_else(|| half_given(&key))?;
            if !is_repeated {
                *member = value;
                continue;
            }
            // The first of several words replaces what `--json` gives, and the others are added.
            let is_first = keys.iter().position(|it| *it == key) == Some(at);
            match member {
                Node::List(list) if !is_first => list.push(value),
                other => *other = Node::List(vec![value]),
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

/// Reads the object of `--json=OBJECT`.
fn whole(object: &str) -> Result<BTreeMap<String, Node>, Failure> {
    let hint = match object.strip_prefix('@') {
        Some(file) => format!("`--json=\"$(cat {})\"` takes the text of a file", quote::quoted(file)),
        None => "quote names and texts, as in `--json='{\"limit\":3,\"word\":\"moss\"}'`".to_owned(),
    };
    let value: Value = serde_json::from_str(object).map_err(|error| Failure {
        hint: Some(hint),
        ..Failure::usage(format!("expected --json=OBJECT, but found no JSON: {error}"))
    })?;
    node::members(object).ok_or_else(|| Failure::usage(format!("expected --json=OBJECT, but found {value}")))
}

fn twice(key: &str) -> Failure {
    Failure {
        hint: Some("only an argument that is a list can be given by several words".to_owned()),
        ..Failure::usage(format!("expected `{key}` once, but found it twice"))
    }
}

fn too_late(key: &str, inside: &str) -> Failure {
    Failure::usage(format!("expected `{key}` before `{inside}`, which it replaces, but found it after"))
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

    fn json(built: &Built) -> Value {
        serde_json::to_value(&built.object).expect("JSON")
    }

    #[track_caller]
    fn check(words: &[&str], properties: Value, expected: Value) {
        let built = built(None, words, properties).expect("arguments");
        assert_eq!((json(&built), built.misfits.len()), (expected, 0));
    }

    #[test]
    fn the_schema_gives_a_text_its_type() {
        let properties = json!({ "a": { "type": "number" }, "b": { "type": "string" } });
        check(&["a=1", "b=1", "c=1"], properties, json!({ "a": 1, "b": "1", "c": "1" }));
    }

    #[test]
    fn numbers_keep_all_their_digits() {
        let object = r#"{"a":18446744073709551617,"b":{"c":1.10}}"#;
        let properties = json!({ "d": { "type": "integer" }, "b": { "type": "object" } });
        let words = ["d=123456789012345678901234567890", "e:=-0", "b.x:=1E2"];
        let found = built(Some(object), &words, properties).expect("arguments");
        assert_eq!(
            serde_json::to_string(&found.object).expect("JSON"),
            r#"{"a":18446744073709551617,"b":{"c":1.10,"x":1E2},"d":123456789012345678901234567890,"e":-0}"#
        );
    }

    #[test]
    fn an_object_after_its_members_would_replace_them() {
        let properties = json!({ "o": { "type": "object" } });
        let failure = built(None, &["o.x=1", "o:={}"], properties.clone()).expect_err("replaced");
        assert_eq!(failure.text, "expected `o` before `o.x`, which it replaces, but found it after");
        check(&["o:={\"y\":2}", "o.x=1"], properties, json!({ "o": { "x": "1", "y": 2 } }));
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
        assert_eq!(json(&again), json!({ "tags": ["a", "b"] }));
        let failure = built(None, &["q=a", "q=b"], json!({ "q": { "type": "string" } })).expect_err("twice");
        assert_eq!(failure.text, "expected `q` once, but found it twice");
    }

    #[test]
    fn a_word_replaces_what_the_object_gives() {
        let found = built(Some(r#"{"a":1,"b":{"c":2}}"#), &["a=2"], json!({})).expect("arguments");
        assert_eq!(json(&found), json!({ "a": "2", "b": { "c": 2 } }));
        let filter = json!({ "f": { "type": ["object", "string"] } });
        let failure = built(Some(r#"{"f":"x"}"#), &["f.a=1"], filter).expect_err("no object");
        assert!(failure.text.starts_with("expected an object for `f.a`"), "{}", failure.text);
    }

    #[test]
    fn a_text_that_does_not_fit_is_sent_and_told() {
        let properties = json!({ "a": { "type": "number" } });
        let found = built(None, &["a=two"], properties).expect("arguments");
        assert_eq!(json(&found), json!({ "a": "two" }));
        assert_eq!(found.misfits[0].text, "the tool's schema has `a: number`; \"two\" was sent as text");
    }

    #[test]
    fn an_object_is_expected_as_json() {
        let failed = |object: &str| Arguments::parse(Some(object), &[]).expect_err("no object").text;
        assert_eq!(failed("[1]"), "expected --json=OBJECT, but found [1]");
        assert!(failed("{").starts_with("expected --json=OBJECT, but found no JSON: "));
    }
}
