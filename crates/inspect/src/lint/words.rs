//! Rules about the texts that models read: the description of a tool, and those of its parameters.
//!
//! In: an [`Entry`]. Out: the rules of this file that the entry breaks. The word lists are English: of a text
//! in another language, hardly more than the length is checked.

use serde_json::Value;

use super::Broken;
use crate::Entry;

/// The least number of characters of a description: a shorter one says too little.
const SHORT: usize = 40;

/// Largest number of characters in a description that all known clients accept unshortened.
const LONG: usize = 1_024;

/// Beginnings of descriptions, in lower case, that say what the tool is instead of what it does.
const NARRATION: [&str; 20] = [
    "a function that",
    "a function to",
    "a tool for",
    "a tool that",
    "a tool to",
    "allows ",
    "enables ",
    "function that",
    "lets you",
    "provides a way",
    "provides the ability",
    "the function ",
    "the tool ",
    "this command",
    "this endpoint",
    "this function",
    "this method",
    "this tool",
    "tool for",
    "tool that",
];

/// Beginnings of words that announce a result: `returns`, `the result`, `lists`. Verbs like `find` count too,
/// because their object is the result.
const RESULTS: [&str; 18] = [
    "answer", "fetch", "find", "gave", "get", "give", "giving", "list", "output", "produc", "read", "report",
    "result", "retriev", "return", "show", "tell", "yield",
];

/// English words that hardly any other language has. A text that is not ASCII counts as English if it has one
/// of them.
const ENGLISH: [&str; 8] = ["and", "by", "for", "from", "is", "of", "the", "with"];

/// Words that say nothing about a value by themselves.
const FILLERS: [&str; 17] = [
    "a",
    "an",
    "argument",
    "field",
    "flag",
    "input",
    "is",
    "of",
    "optional",
    "or",
    "parameter",
    "required",
    "single",
    "the",
    "type",
    "valid",
    "value",
];

const TYPES: [&str; 13] = [
    "array", "bool", "boolean", "dict", "float", "int", "integer", "list", "null", "number", "object", "str",
    "string",
];

pub(super) fn check(tool: &Entry, broken: &mut Broken) {
    match tool.description() {
        None => broken
            .add("missing-description", "description", || "expected a description, but found none".into()),
        Some(text) => description(tool.name(), text.trim(), broken),
    }
    for (name, schema, _) in tool.parameters() {
        let root = tool.input_schema().unwrap_or(&Value::Null);
        parameter(name, schema, root, broken);
    }
}

fn description(name: &str, text: &str, broken: &mut Broken) {
    let mut add = |rule, message| broken.add(rule, "description", || message);
    let length = text.chars().count();
    if length < SHORT {
        add("short-description", format!("expected at least {SHORT} characters, but found {length}"));
    }
    if length > LONG {
        add("long-description", format!("expected at most {LONG} characters, but found {length}"));
    }
    if is_english(text) && !words(text).any(|word| RESULTS.iter().any(|it| word.starts_with(it))) {
        add("no-result", "expected a description of the result, but found none".into());
    }
    let beginning = text.to_lowercase();
    if let Some(found) = NARRATION.iter().find(|it| beginning.starts_with(**it)) {
        add(
            "narrating-description",
            format!("expected a verb first, but found {:?}", format!("{} …", found.trim())),
        );
    }
    if repeats(name, text) {
        add(
            "repeats-name",
            format!("expected a description that says more than the name, but found {text:?}"),
        );
    }
}

fn parameter(name: &str, schema: &Value, root: &Value, broken: &mut Broken) {
    let place = format!("inputSchema.properties.{name}");
    let text = [schema, resolve(schema, root)].into_iter().find_map(|it| it.get("description")?.as_str());
    match text.map(str::trim).filter(|text| !text.is_empty()) {
        None if explains_itself(schema, root) => {}
        None => broken.add("undocumented-parameter", place, || {
            format!("expected a description of `{name}`, but found none")
        }),
        Some(text) if is_only_a_type(text) => broken.add("type-as-description", place, || {
            format!("expected the meaning of `{name}`, but found {text:?}")
        }),
        Some(_) => {}
    }
}

/// Returns whether the schema explains its values without a description. It does if it has an `enum` whose
/// values are strings or `null`, or a `const`, or an `anyOf` or `oneOf` in which each choice is `null` or has
/// an `enum` or a `const`.
fn explains_itself(schema: &Value, root: &Value) -> bool {
    let schema = resolve(schema, root);
    let named = |it: &Value| it.is_string() || it.is_null();
    let values = schema.get("enum").and_then(Value::as_array);
    let choices = ["anyOf", "oneOf"].iter().find_map(|it| schema.get(it)?.as_array());
    let is_choice = |it: &Value| {
        let it = resolve(it, root);
        it.get("type") == Some(&"null".into()) || it.get("enum").is_some() || it.get("const").is_some()
    };
    values.is_some_and(|all| all.iter().all(named))
        || schema.get("const").is_some()
        || choices.is_some_and(|all| all.iter().all(is_choice))
}

/// Returns the target of the schema's local reference, or the schema if it has none. A reference in the
/// target is not followed: only a description one step away is near enough for a model to read.
fn resolve<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let pointer = schema.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#'));
    pointer.and_then(|it| root.pointer(it)).unwrap_or(schema)
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn is_english(text: &str) -> bool {
    text.is_ascii() || words(text).any(|word| ENGLISH.contains(&&*word))
}

fn is_only_a_type(text: &str) -> bool {
    words(text).all(|word| FILLERS.contains(&&*word) || TYPES.contains(&word.trim_end_matches('s')))
}

/// Returns whether `text` says no more than `name`: each of its words is in the name, like "Gets an issue."
/// for `get_issue`. Fillers are ignored.
fn repeats(name: &str, text: &str) -> bool {
    let mut spaced = String::new();
    for c in name.chars() {
        spaced.extend(c.is_uppercase().then_some(' '));
        spaced.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    let known: Vec<String> = words(&spaced).map(stem).collect();
    let mut told = words(text).filter(|word| !FILLERS.contains(&&**word)).map(stem).peekable();
    told.peek().is_some() && told.all(|word| known.contains(&word))
}

/// Returns a word without the ending of a plural, third person or participle, roughly.
fn stem(word: String) -> String {
    let without = ["ing", "es", "ed", "s", "e"].iter().find_map(|it| word.strip_suffix(it));
    without.filter(|it| it.len() > 2).map_or(word.clone(), ToOwned::to_owned)
}
