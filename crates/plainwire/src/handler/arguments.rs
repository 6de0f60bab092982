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
    let mut repair = Repair { root: &schema.value, steps: MAX_STEPS };
    repair.value(&mut tree, &schema.value, "arguments")?;
    match typed::<T>(&tree) {
        Ok(value) => match unknown::<T>(&tree) {
            None => Ok(value),
            Some(path) => Err(unknown_name(&path, schema)),
        },
        Err(misfit) => {
            let path = match &misfit.path {
                None => "arguments".to_owned(),
                Some(path) => format!("arguments.{path}"),
            };
            Err(Rejected(misfit.at(&path)))
        }
    }
}

/// What a type said to a value that its schema allows.
pub(crate) struct Misfit {
    /// Where below the root; `None` is the root itself.
    pub(crate) path: Option<String>,
    why: String,
}

impl Misfit {
    /// Returns the text, with `path` for where it is.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("expected `{path}` to fit, but found: {}", self.why)
    }
}

/// Reads a tree into a `T`, names that it does not know left aside.
pub(crate) fn typed<T: DeserializeOwned>(tree: &Value) -> Result<T, Misfit> {
    serde_path_to_error::deserialize(tree).map_err(|error| {
        let path = error.path().to_string();
        Misfit { path: (path != ".").then_some(path), why: error.inner().to_string() }
    })
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
    let expected = match path.rsplit_once('.') {
        // Which names the inner type has, its schema may not say.
        Some((parent, name)) => {
            return Rejected(format!("expected `arguments.{parent}` not to have `{name}`"));
        }
        None => only(schema.properties().into_iter().map(|(name, ..)| name)),
    };
    Rejected(format!("expected `arguments` {expected}, but found `{path}`"))
}

/// "to have only `a`, `b`", or "to be empty".
fn only(names: impl Iterator<Item = impl std::fmt::Display>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "to be empty".to_owned() } else { format!("to have only {}", names.join(", ")) }
}

/// "one of 1, 2".
fn one_of<'v>(values: impl Iterator<Item = &'v Value>) -> String {
    format!("one of {}", values.map(Value::to_string).collect::<Vec<_>>().join(", "))
}

/// Walks a value along its schema: repairs what can be, and names the first thing that can't.
struct Repair<'s> {
    root: &'s Value,
    /// What is left of [`MAX_STEPS`].
    steps: usize,
}

/// Values that are compared with schemas for one set of arguments. Alternatives inside of alternatives multiply; past
/// this the schema has no say, and the type alone decides.
const MAX_STEPS: usize = 10_000;

impl<'s> Repair<'s> {
    fn value(&mut self, value: &mut Value, schema: &'s Value, path: &str) -> Result<(), Rejected> {
        self.steps = self.steps.saturating_sub(1);
        let schema = resolve(schema, self.root);
        let Some(keywords) = schema.as_object().filter(|_| self.steps > 0) else { return Ok(()) };
        if let Some(choices) =
            keywords.get("anyOf").or_else(|| keywords.get("oneOf")).and_then(Value::as_array)
        {
            return self.choice(value, choices, path);
        }
        retype(value, keywords, path)?;
        if let Some(allowed) = keywords.get("enum").and_then(Value::as_array)
            && !allowed.contains(value)
        {
            return Err(mismatch(path, &one_of(allowed.iter()), value));
        }
        if let Some(constant) = keywords.get("const").filter(|constant| *constant != value) {
            return Err(mismatch(path, &constant.to_string(), value));
        }
        bounds(value, keywords, path)?;
        match value {
            Value::Array(items) => self.items(items, keywords, path),
            Value::Object(members) => self.members(members, schema, path),
            _ => Ok(()),
        }
    }

    fn items(&mut self, items: &mut [Value], keywords: &'s Keywords, path: &str) -> Result<(), Rejected> {
        let Some(schema) = keywords.get("items") else { return Ok(()) };
        items
            .iter_mut()
            .enumerate()
            .try_for_each(|(n, item)| self.value(item, schema, &format!("{path}[{n}]")))
    }

    fn members(&mut self, members: &mut Keywords, schema: &'s Value, path: &str) -> Result<(), Rejected> {
        let required = required(schema);
        members.retain(|name, value| !value.is_null() || required.contains(&name.as_str()));
        let properties = schema.get("properties").and_then(Value::as_object);
        if let Some(missing) = required.iter().find(|name| !members.contains_key(**name)) {
            let schema = properties.and_then(|properties| properties.get(*missing));
            let expected = schema.map_or_else(|| "there".to_owned(), |schema| self.expectation(schema));
            return Err(Rejected(format!("expected `{path}.{missing}` to be {expected}, but found nothing")));
        }
        if schema.get("additionalProperties") == Some(&Value::Bool(false))
            && let Some(known) = properties
            && let Some(unknown) = members.keys().find(|name| !known.contains_key(*name))
        {
            return Err(Rejected(format!("expected `{path}` {}, but found `{unknown}`", only(known.keys()))));
        }
        for (name, schema) in properties.into_iter().flatten() {
            if let Some(member) = members.get_mut(name) {
                self.value(member, schema, &format!("{path}.{name}"))?;
            }
        }
        Ok(())
    }

    /// Takes the first alternative that fits, repaired or not. Where only one could be meant, its complaint counts.
    fn choice(&mut self, value: &mut Value, choices: &'s [Value], path: &str) -> Result<(), Rejected> {
        let meant: Vec<&Value> = choices.iter().filter(|choice| self.may_mean(value, choice)).collect();
        if let [only] = meant[..] {
            return self.value(value, only, path);
        }
        let mut complaints = Vec::new();
        for choice in meant {
            let mut attempt = value.clone();
            match self.value(&mut attempt, choice, path) {
                Ok(()) => {
                    *value = attempt;
                    return Ok(());
                }
                Err(rejected) if resolve(choice, self.root).get("type") != Some(&Value::from("null")) => {
                    complaints.push(rejected);
                }
                Err(_) => {}
            }
        }
        match complaints.pop() {
            Some(only) if complaints.is_empty() => Err(only),
            _ => {
                let constants = choices.iter().map(|choice| resolve(choice, self.root).get("const"));
                let expected = match constants.collect::<Option<Vec<_>>>() {
                    Some(constants) => one_of(constants.into_iter()),
                    None => format!("one of {} forms", choices.len()),
                };
                Err(mismatch(path, &expected, value))
            }
        }
    }

    /// Whether a value could be meant as `choice`, going by the constants of its members alone: the tag of an enum
    /// says which of the forms it is, so that the others need not be looked at.
    fn may_mean(&self, value: &Value, choice: &'s Value) -> bool {
        let choice = resolve(choice, self.root);
        let (Some(members), Some(properties)) =
            (value.as_object(), choice.get("properties").and_then(Value::as_object))
        else {
            return choice.get("const").is_none_or(|constant| constant == value);
        };
        properties.iter().all(|(name, schema)| match (schema.get("const"), members.get(name)) {
            (Some(constant), Some(member)) => constant == member,
            _ => true,
        })
    }

    /// What a schema expects, in words.
    fn expectation(&self, schema: &'s Value) -> String {
        let schema = resolve(schema, self.root);
        let constants = schema.get("oneOf").and_then(Value::as_array);
        let constants =
            constants.and_then(|all| all.iter().map(|it| it.get("const")).collect::<Option<Vec<_>>>());
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
            return one_of(allowed.iter());
        }
        match (constants, schema.get("type").and_then(Value::as_str)) {
            (Some(constants), _) => one_of(constants.into_iter()),
            (None, Some(kind)) => article(kind).to_owned(),
            (None, None) => "there".to_owned(),
        }
    }
}

type Keywords = serde_json::Map<String, Value>;

/// Makes a value have one of the types that are due: text is read as JSON, `2.0` is a whole number.
fn retype(value: &mut Value, keywords: &Keywords, path: &str) -> Result<(), Rejected> {
    let types: Vec<&str> = match keywords.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => return Ok(()),
    };
    let fits = |value: &Value| types.iter().any(|name| is(value, name));
    if !fits(value) {
        match value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok()) {
            Some(parsed) if !parsed.is_string() && fits(&parsed) => *value = parsed,
            _ => {
                let expected: Vec<_> = types.iter().map(|name| article(name)).collect();
                return Err(mismatch(path, &expected.join(" or "), value));
            }
        }
    }
    if types.contains(&"integer") && !types.contains(&"number") {
        whole(value);
    }
    Ok(())
}

/// Turns `2.0` into `2` where a whole number is due.
pub(crate) fn whole(value: &mut Value) {
    if let Some(float) = value.as_f64().filter(|_| value.is_f64())
        && float.fract() == 0.0
        && float.abs() < 9_007_199_254_740_992.0
    {
        *value = Value::from(float as i64);
    }
}

fn bounds(value: &Value, keywords: &Keywords, path: &str) -> Result<(), Rejected> {
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

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    #[serde(tag = "op", rename_all = "lowercase")]
    enum Expr {
        Add { left: Box<Self>, right: Box<Self> },
        Mul { left: Box<Self>, right: Box<Self> },
        Num { value: f64 },
    }

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    struct Evaluate {
        expr: Expr,
        kind: Option<Kind>,
    }

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    enum Kind {
        /// The first.
        One,
        /// The second.
        Two,
    }

    fn evaluate(text: &str) -> Result<Evaluate, String> {
        read(text, &InputSchema::of::<Evaluate>()).map_err(|rejected| rejected.0)
    }

    #[test]
    fn goes_by_the_tag_of_an_enum_and_ends_on_deep_ones() {
        let num = r#"{"op":"num","value":1}"#;
        let mut wrong = r#"{"op":"num","value":"x"}"#.to_owned();
        for _ in 0..30 {
            wrong = format!(r#"{{"op":"mul","left":{wrong},"right":{num}}}"#);
        }
        let message = evaluate(&format!(r#"{{"expr":{wrong}}}"#)).expect_err("a text is no number");
        let path =
            format!("expected `arguments.expr{}.value` to be a number, but found \"x\"", ".left".repeat(30));
        assert_eq!(message, path);
        let missing = evaluate(r#"{"expr":{"op":"num"}}"#).expect_err("no value");
        assert_eq!(missing, "expected `arguments.expr.value` to be a number, but found nothing");
    }

    #[test]
    fn stops_comparing_alternatives_that_multiply() {
        let form = serde_json::json!({ "type": "object", "properties": { "l": { "$ref": "#/$defs/t" } }, "required": ["l"] });
        let schema = serde_json::json!({ "$ref": "#/$defs/t", "$defs": { "t": { "anyOf": [form, form, { "type": "number" }] } } });
        let mut value = Value::from("x");
        for _ in 0..60 {
            value = serde_json::json!({ "l": value });
        }
        let mut repair = Repair { root: &schema, steps: MAX_STEPS };
        // Two to the sixtieth comparisons would be needed for a verdict; without one the type decides.
        assert!(repair.value(&mut value, &schema, "arguments").is_ok());
        assert_eq!(repair.steps, 0);
    }

    #[test]
    fn lists_the_values_of_an_enum_with_descriptions() {
        let wrong = evaluate(r#"{"expr":{"op":"num","value":1},"kind":"Three"}"#).expect_err("no such kind");
        assert_eq!(wrong, "expected `arguments.kind` to be one of \"One\", \"Two\", but found \"Three\"");
    }

    #[test]
    fn takes_a_whole_float_for_an_integer() {
        assert_eq!(search(r#"{"query":"a","limit":2.0}"#).map(|it| it.limit), Ok(Some(2)));
        assert_eq!(search(r#"{"query":"a","limit":1e2}"#).map(|it| it.limit), Ok(Some(100)));
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
