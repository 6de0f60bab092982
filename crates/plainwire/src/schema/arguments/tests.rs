//! Tests of reading arguments, and of the messages about arguments that do not fit their schema.

mod alternatives;
mod large;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::schema::IntoSchema as _;

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
    refuses("{}", "expected `arguments.query` to be a string, but found nothing; \"text\" would fit");
    refuses(r#"{"query":5}"#, "expected `arguments.query` to be a string, but found 5; \"5\" would fit");
    refuses(
        r#"{"query":"a","limit":"ten"}"#,
        "expected `arguments.limit` to be an integer, but found \"ten\"; 1 would fit",
    );
    refuses(
        r#"{"query":"a","limit":-1}"#,
        "expected `arguments.limit` to be at least 0, but found -1; 0 would fit",
    );
    refuses(
        r#"{"query":"a","tags":["x",1]}"#,
        "expected `arguments.tags[1]` to be a string, but found 1; \"1\" would fit",
    );
    refuses(
        r#"{"query":"a","order":"left"}"#,
        "expected `arguments.order` to be one of \"up\", \"down\", but found \"left\"; \"up\" would fit",
    );
    refuses(
        r#"{"query":"a","nested":{"deep":"x"}}"#,
        "expected `arguments.nested.deep` to be a boolean, but found \"x\"; false would fit",
    );
    refuses(
        r#"{"query":"a","limt":1}"#,
        "expected `arguments` to have only `limit`, `nested`, `order`, `page`, `query`, `tags`, but found `limt`; did you mean `limit`?",
    );
}

#[test]
fn reads_text_where_something_else_is_due() {
    let repaired =
        search(r#"{"query":"a","limit":"10","tags":"[\"x\"]","nested":"{\"deep\":\"true\"}","order":null}"#);
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
fn json_within_text_may_be_as_deep_as_json() {
    #[derive(Deserialize, JsonSchema)]
    struct Deep {
        items: Vec<Value>,
    }
    // With the object around it, it is one deeper.
    let deepest = "[".repeat(127) + &"]".repeat(127);
    let text = json!({ "items": deepest }).to_string();
    let found: Deep = read(&text, &InputSchema::of::<Deep>()).expect("it is read");
    assert_eq!(json!(found.items).to_string(), deepest);
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

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct Form {
    kind: Option<Kind>,
    #[schemars(extend("format" = "date"))]
    day: Option<String>,
    #[schemars(length(min = 3))]
    name: Option<String>,
    text: Option<String>,
}

#[test]
fn takes_an_empty_text_that_does_not_fit_as_absent() {
    let schema = InputSchema::of::<Form>();
    let form = read(r#"{"kind":"","day":"","name":"","text":""}"#, &schema);
    assert_eq!(form, Ok(Form { kind: None, day: None, name: None, text: Some(String::new()) }));
    let short = read::<Form>(r#"{"name":"ab"}"#, &schema).expect_err("two letters").0;
    assert!(short.starts_with("expected `arguments.name` to have at least 3 characters"), "{short}");
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

/// Checks the message about arguments with one property. The name of the property is `it`, its schema is the
/// parameter `it`, and it has the value `value`. `expected` is `None` if the arguments fit the schema.
#[track_caller]
fn says(it: &Value, value: &Value, expected: Option<&str>) {
    let schema = json!({ "type": "object", "properties": { "it": it }, "required": ["it"] });
    let schema = InputSchema::by_hand(schema.into_schema().expect("JSON"));
    let arguments = json!({ "it": value }).to_string();
    let said = read::<Value>(&arguments, &schema).map_err(|rejected| rejected.0);
    assert_eq!(said.err().as_deref(), expected, "{it} {value}");
}

#[test]
fn names_the_bound_that_is_broken_and_a_value_at_it() {
    for (it, value, expected) in [
        (json!({ "maximum": 100 }), json!(500), "to be at most 100, but found 500; 100 would fit"),
        (
            json!({ "exclusiveMinimum": 0, "type": "integer" }),
            json!(0),
            "to be more than 0, but found 0; 1 would fit",
        ),
        (
            json!({ "exclusiveMaximum": 1, "minimum": 0 }),
            json!(1.5),
            "to be less than 1, but found 1.5; 0 would fit",
        ),
        (
            json!({ "minimum": 1.5, "maximum": 2.5, "type": "number" }),
            json!(2.6),
            "to be at most 2.5, but found 2.6; 2.5 would fit",
        ),
        (
            json!({ "minimum": 1.5, "maximum": 2.5, "type": "number" }),
            json!(1.4),
            "to be at least 1.5, but found 1.4; 1.5 would fit",
        ),
        (json!({ "multipleOf": 5 }), json!(12), "to be a multiple of 5, but found 12; 10 would fit"),
        (json!({ "multipleOf": 0.1 }), json!(0.25), "to be a multiple of 0.1, but found 0.25; 0 would fit"),
        (json!({ "minLength": 3 }), json!("ab"), "to have at least 3 characters, but found 2"),
        (
            json!({ "maxLength": 1, "type": "string" }),
            json!("äb"),
            "to have at most 1 character, but found 2; \"ä\" would fit",
        ),
        (json!({ "maxItems": 1 }), json!([1, 2]), "to have at most 1 item, but found 2; [1] would fit"),
        (
            json!({ "type": "array", "items": { "type": "integer" }, "minItems": 2 }),
            json!([3]),
            "to have at least 2 items, but found 1; [1,1] would fit",
        ),
        (
            json!({ "uniqueItems": true }),
            json!([1, 2, 1]),
            "to have each item once, but found 1 twice; [1,2] would fit",
        ),
        (
            json!({ "type": "string", "format": "date" }),
            json!("28.07.2026"),
            "to be a date such as 2026-07-28, but found \"28.07.2026\"; \"2026-07-28\" would fit",
        ),
        (
            json!({ "type": "array", "items": { "type": "string" } }),
            json!("a"),
            "to be an array, but found \"a\"; [\"a\"] would fit",
        ),
        (json!({ "type": "boolean" }), json!("Yes"), "to be a boolean, but found \"Yes\"; true would fit"),
        (
            json!({ "enum": ["markdown", "plain"] }),
            json!("Mark down"),
            "to be one of \"markdown\", \"plain\", but found \"Mark down\"; \"markdown\" would fit",
        ),
        (
            json!({ "type": "integer", "examples": [42] }),
            json!("x"),
            "to be an integer, but found \"x\"; 42 would fit",
        ),
        (
            json!({ "type": "integer", "default": 7 }),
            json!("x"),
            "to be an integer, but found \"x\"; 7 would fit",
        ),
        (json!({ "minProperties": 1 }), json!({}), "to have at least 1 member, but found 0"),
    ] {
        says(&it, &value, Some(&format!("expected `arguments.it` {expected}")));
    }
}

#[test]
fn compares_whole_numbers_exactly() {
    let most = 9_007_199_254_740_992_u64;
    says(&json!({ "maximum": most }), &json!(most), None);
    let text = "expected `arguments.it` to be at most 9007199254740992, but found 9007199254740993; \
                9007199254740992 would fit";
    says(&json!({ "maximum": most }), &json!(most + 1), Some(text));
    says(&json!({ "multipleOf": 3 }), &json!(9_007_199_254_740_993_u64), None);
    says(&json!({ "multipleOf": 0.1 }), &json!(0.3), None);
    says(&json!({ "minimum": -5, "maximum": 2.5 }), &json!(2.5), None);
}

#[test]
fn knows_formats_by_their_looks() {
    for (format, good, bad) in [
        ("date", "2026-07-28", "2026-02-30"),
        ("date-time", "2026-07-28T12:00:00Z", "2026-07-28"),
        ("email", "a@b", "a"),
        ("uri", "https://example.com", "example.com"),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-42661417400g"),
        ("ipv4", "192.0.2.1", "192.0.2.256"),
        ("ipv6", "::1", "::g"),
        ("hostname", "a-b.example", "-a.example"),
    ] {
        let schema = InputSchema::by_hand(
            json!({ "type": "object", "properties": { "it": { "type": "string", "format": format } } })
                .into_schema()
                .expect("JSON"),
        );
        let fits = |text: &str| read::<Value>(&json!({ "it": text }).to_string(), &schema).is_ok();
        assert!(fits(good), "{format}: {good}");
        assert!(!fits(bad), "{format}: {bad}");
    }
    says(&json!({ "format": "color" }), &json!("anything"), None);
}

#[test]
fn names_what_nested_structs_have() {
    refuses(
        r#"{"query":"a","nested":{"deep":true,"deeep":1}}"#,
        "expected `arguments.nested` to have only `deep`, but found `deeep`",
    );
    refuses(
        r#"{"query":"a","nested":{"depe":true}}"#,
        "expected `arguments.nested.deep` to be a boolean, but found nothing; false would fit",
    );
}

#[test]
fn means_names_that_are_written_another_way() {
    let near = |name, known: &[&'static str]| nearest(name, known.iter().copied());
    assert_eq!(near("pageSize", &["query", "page_size"]), Some("page_size"));
    assert_eq!(near("qurey", &["query", "page_size"]), Some("query"));
    assert_eq!(near("town", &["city", "unit"]), None);
    assert_eq!(near("ab", &["cd"]), None);
    assert_eq!((near("q", &["w", "z"]), near("W", &["w", "z"])), (None, Some("w")));
    assert_eq!(near(&"x".repeat(1_000_000), &["x"]), None);
}

#[test]
fn cuts_long_lists_and_long_values() {
    let many: Vec<_> = (0..1_000).map(|n| format!("value{n}")).collect();
    let schema = InputSchema::by_hand(
        json!({ "type": "object", "properties": { "it": { "enum": many } } }).into_schema().expect("JSON"),
    );
    let said =
        read::<Value>(&json!({ "it": "x".repeat(1_000_000) }).to_string(), &schema).expect_err("long").0;
    assert!(said.len() < 600 && said.contains("\"value19\" and 980 more, but found \"xxx"), "{said}");
}

#[test]
fn a_message_about_arguments_has_at_most_1000_characters() {
    let names = (0..20).map(|n| (format!("{n:060}"), json!({})));
    let mut schema = json!({ "type": "object", "additionalProperties": false });
    schema["properties"] = names.collect::<serde_json::Map<_, _>>().into();
    let schema = InputSchema::by_hand(schema.into_schema().expect("JSON"));
    let said = read::<Value>(r#"{"x":1}"#, &schema).expect_err("an unknown name").0;
    assert!(said.starts_with("expected `arguments` to have only `000000") && said.ends_with('…'), "{said}");
    assert_eq!(said.chars().count(), 1_000 + 1);
}

#[test]
fn an_example_of_what_fits_has_at_most_80_bytes() {
    let shown = |bytes: usize| {
        // Two bytes are for the quotes.
        let text = "é".repeat((bytes - 2) / 2) + if bytes % 2 == 1 { "a" } else { "" };
        let schema = json!({ "type": "object", "properties": { "it": { "const": text } } });
        let schema = InputSchema::by_hand(schema.into_schema().expect("JSON"));
        let said = read::<Value>(r#"{"it":5}"#, &schema).expect_err("no text").0;
        said.ends_with(&format!("; \"{text}\" would fit"))
    };
    assert_eq!([shown(80), shown(81)], [true, false]);
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only read")]
struct Bounded {
    #[schemars(length(max = 5))]
    text: Option<String>,
    #[schemars(inner(range(max = 9)))]
    numbers: Option<Vec<u64>>,
    small: Option<u8>,
}

#[test]
fn checks_all_of_what_is_huge() {
    let schema = InputSchema::of::<Bounded>();
    let mut numbers = vec![1; 100_000];
    assert!(read::<Bounded>(&json!({ "numbers": numbers }).to_string(), &schema).is_ok());
    numbers.push(10);
    let said =
        read::<Bounded>(&json!({ "numbers": numbers }).to_string(), &schema).expect_err("the last one").0;
    assert_eq!(said, "expected `arguments.numbers[100000]` to be at most 9, but found 10; 9 would fit");
    let long = json!({ "text": "y".repeat(1_000_000) }).to_string();
    let said = read::<Bounded>(&long, &schema).expect_err("long").0;
    assert_eq!(
        said,
        "expected `arguments.text` to have at most 5 characters, but found 1000000; \"yyyyy\" would fit"
    );
}

#[test]
fn goes_the_straight_way_where_the_type_says_it_all() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only described")]
    struct Plain {
        byte: u8,
        short: Option<i16>,
        many: Vec<u64>,
        name: Option<String>,
    }
    assert!(!InputSchema::of::<Plain>().needs_tree());
    assert!(InputSchema::of::<Bounded>().needs_tree());
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct Defaulting {
    #[serde(default = "five")]
    most: Option<u32>,
    #[serde(default)]
    map: std::collections::BTreeMap<String, Option<u32>>,
}

fn five() -> Option<u32> {
    Some(5)
}

#[test]
fn takes_null_for_absent_and_leaves_it_in_maps() {
    let schema = InputSchema::of::<Defaulting>();
    let said = read::<Defaulting>(r#"{"most":null,"map":{"a":null}}"#, &schema).map_err(|it| it.0);
    assert_eq!(said, Ok(Defaulting { most: Some(5), map: [("a".to_owned(), None)].into() }));
}

fn nested(levels: usize) -> String {
    let num = r#"{"op":"num","value":1}"#;
    let mut text = num.to_owned();
    for _ in 0..levels {
        text = format!(r#"{{"op":"mul","left":{text},"right":{num}}}"#);
    }
    format!(r#"{{"expr":{text}}}"#)
}

#[test]
fn refuses_what_is_nested_too_deep() {
    assert!(evaluate(&nested(120)).is_ok());
    // The number is a string here, so the arguments are repaired, which reads them as a tree first.
    assert!(evaluate(&nested(120).replacen(r#""value":1"#, r#""value":"1""#, 1)).is_ok());
    let said = evaluate(&nested(200)).expect_err("too deep");
    assert!(
        said.starts_with("expected `arguments` to be JSON, but found: recursion limit exceeded"),
        "{said}"
    );
    // A string that contains JSON is parsed on its own. So the nesting of both together can exceed the limit
    // of `serde_json`, which is for one text.
    let inner = Value::from(nested(100)).to_string();
    let mut text = inner[..].replace("{\\\"expr\\\":", "");
    text = text.trim_end_matches("}\"").to_owned() + "\"";
    let num = r#"{"op":"num","value":1}"#;
    for _ in 0..100 {
        text = format!(r#"{{"op":"mul","left":{text},"right":{num}}}"#);
    }
    let said = evaluate(&format!(r#"{{"expr":{text}}}"#)).expect_err("too deep");
    assert!(said.ends_with("to be nested at most 128 levels deep, but found more"), "{said}");
}

#[test]
fn ends_on_schemas_that_go_in_circles() {
    for circle in [
        json!({ "type": "object", "allOf": [{ "$ref": "#" }] }),
        json!({ "type": "object", "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] }),
        json!({ "type": "object", "$ref": "#" }),
        json!({ "type": "object", "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
    ] {
        let schema = InputSchema::by_hand(circle.into_schema().expect("JSON"));
        assert!(read::<Value>(r#"{"a":1}"#, &schema).is_ok());
    }
}

/// A pseudo-random generator with a fixed sequence.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.roll(if depth == 0 { 7 } else { 9 }) {
            0 => Value::Null,
            1 => json!(self.roll(2) == 0),
            2 => json!(self.roll(40) as i64 - 20),
            3 => json!(self.roll(400) as f64 / 8.0 - 20.0),
            4 => json!("abcdefghijkl"[..self.roll(12) as usize]),
            5 => json!(["yes", "10", "upp", "2026-07-28", "{\"a\":1}"][self.roll(5) as usize]),
            6 => json!(u64::MAX - self.roll(3)),
            7 => (0..self.roll(5)).map(|_| self.value(depth - 1)).collect(),
            _ => (0..self.roll(4))
                .map(|n| (["a", "b", "c"][n as usize % 3].to_owned(), self.value(depth - 1)))
                .collect(),
        }
    }

    fn schema(&mut self, depth: u32) -> Value {
        let low = self.roll(20) as i64 - 10;
        match self.roll(if depth == 0 { 8 } else { 12 }) {
            0 => json!({ "type": "integer", "minimum": low, "maximum": low + self.roll(9) as i64 }),
            1 => json!({ "type": "integer", "exclusiveMinimum": low, "multipleOf": 1 + self.roll(5) }),
            2 => json!({ "type": "number", "exclusiveMinimum": low, "exclusiveMaximum": low + 1 }),
            3 => json!({ "type": "string", "minLength": self.roll(4), "maxLength": 4 + self.roll(4) }),
            4 => json!({ "enum": ["up", "down", 3, null] }),
            5 => {
                json!({ "type": "string", "format": (["date", "uuid", "email", "ipv6"][self.roll(4) as usize]) })
            }
            6 => json!({ "type": ["boolean", "null"] }),
            7 => json!({ "oneOf": [{ "const": "one", "description": "One." }, { "const": "two" }] }),
            8 => {
                json!({ "type": "array", "items": self.schema(depth - 1), "maxItems": 2, "uniqueItems": true })
            }
            9 => json!({ "type": "array", "items": self.schema(depth - 1), "minItems": self.roll(3) }),
            10 => json!({ "anyOf": [self.schema(depth - 1), self.schema(depth - 1)] }),
            _ => {
                json!({ "type": "object", "properties": { "a": self.schema(depth - 1), "b": self.schema(depth - 1) },
                         "required": ["a"], "additionalProperties": self.roll(2) == 0 })
            }
        }
    }
}

/// Returns the path in the message `said` as a JSON pointer, and the example value that the message suggests;
/// `None` if it lacks either.
fn advice(said: &str) -> Option<(String, Value)> {
    let path = said.strip_prefix("expected `arguments")?.split_once('`')?.0;
    let example = said.rsplit_once("; ")?.1.strip_suffix(" would fit")?;
    let pointer = path.replace(['.', '['], "/").replace(']', "");
    Some((pointer, serde_json::from_str(example).expect("an example is JSON")))
}

#[test]
fn what_would_fit_does_fit() {
    let mut dice = Dice(42);
    let (mut refused, mut advised) = (0, 0);
    for round in 0..4_000 {
        let it = dice.schema(2);
        let schema = json!({ "type": "object", "properties": { "it": it }, "required": ["it"] });
        let schema = InputSchema::by_hand(schema.into_schema().expect("JSON"));
        let mut arguments = json!({ "it": dice.value(2) });
        // Each example must fit when it replaces the refused value; another value may be refused next.
        for _ in 0..20 {
            let Err(Rejected(said)) = read::<Value>(&arguments.to_string(), &schema) else { break };
            refused += 1;
            assert!(!said.contains('\n') && said.len() < 400, "{said}");
            let Some((pointer, example)) = advice(&said) else { break };
            advised += 1;
            let (parent, name) = pointer.rsplit_once('/').expect("below the root");
            // A value in JSON that is itself in a string has no pointer, so the test can't replace it.
            let Some(parent) = arguments.pointer_mut(parent) else { break };
            match parent {
                Value::Object(members) => drop(members.insert(name.to_owned(), example)),
                Value::Array(items) => items[name.parse::<usize>().expect("a number")] = example,
                _ => break,
            }
            let again = read::<Value>(&arguments.to_string(), &schema).err().and_then(|it| advice(&it.0));
            assert_ne!(again.map(|it| it.0), Some(pointer), "round {round}: {said} -> {arguments}");
        }
    }
    assert!(refused > 2_000 && advised * 10 > refused * 9, "{advised} of {refused}");
}

#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq)]
enum Op {
    Stop,
    Move {
        #[schemars(range(max = 9))]
        x: u32,
    },
    Turn {
        #[schemars(range(max = 9))]
        y: u32,
    },
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct Ops {
    ops: Vec<Op>,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct Inner {
    #[schemars(range(max = 9))]
    level: u32,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct ByNumber {
    map: std::collections::BTreeMap<u32, Inner>,
    signed: Option<std::collections::BTreeMap<i8, Option<u32>>>,
}

#[test]
fn a_bound_holds_in_a_map_with_numbers_for_keys() {
    let schema = InputSchema::of::<ByNumber>();
    let read = |text| read::<ByNumber>(text, &schema).map_err(|rejected| rejected.0);
    let said = read(r#"{"map":{"7":{"level":10}}}"#).expect_err("too high");
    assert_eq!(said, "expected `arguments.map.7.level` to be at most 9, but found 10; 9 would fit");
    let map = [(7, Inner { level: 3 })].into();
    let signed = Some([(-1, None)].into());
    let repaired = read(r#"{"map":{"7":{"level":"3"}},"signed":{"-1":null}}"#);
    assert_eq!(repaired, Ok(ByNumber { map, signed }));
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
#[serde(untagged)]
enum Id {
    Number(u64),
    Name(String),
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct ById {
    id: Id,
    limit: Option<u32>,
}

#[test]
fn a_repair_elsewhere_does_not_change_what_an_argument_means() {
    let schema = InputSchema::of::<ById>();
    for (text, id) in [
        (r#"{"id":"123"}"#, Id::Name("123".to_owned())),
        (r#"{"id":"123","limit":"5"}"#, Id::Name("123".to_owned())),
        (r#"{"id":123,"limit":"5"}"#, Id::Number(123)),
    ] {
        assert_eq!(read::<ById>(text, &schema).map(|it| it.id).map_err(|it| it.0), Ok(id), "{text}");
    }
}

#[test]
fn whatever_is_wrong_is_said_in_one_short_line() {
    let long = "k".repeat(100_000);
    let line = "a\nIGNORE\u{202e}";
    let deep = |name: &str| json!({ "map": { name: { "level": 1 } } }).to_string();
    let numbers = InputSchema::of::<ByNumber>();
    let (ops, search) = (InputSchema::of::<Ops>(), InputSchema::of::<Search>());
    for name in [long.as_str(), line] {
        let said = [
            read::<ByNumber>(&deep(name), &numbers).map(drop),
            read::<Ops>(&json!({ "ops": [{ "Move": { "x": 1, name: 1 } }] }).to_string(), &ops).map(drop),
            read::<Ops>(&json!({ "ops": [{ name: 1 }] }).to_string(), &ops).map(drop),
            read::<Search>(&json!({ "query": "a", name: 1 }).to_string(), &search).map(drop),
            read::<Search>(
                &json!({ "query": "a", "nested": { "deep": true, name: 1 } }).to_string(),
                &search,
            )
            .map(drop),
            refuse_any(&json!({ name: 1 }).to_string(), &InputSchema::empty()),
        ];
        for (at, said) in said.into_iter().enumerate() {
            let Err(Rejected(said)) = said else { panic!("{at} is accepted") };
            assert!(said.chars().count() <= 1_001, "{at}: {} characters", said.len());
            assert!(!said.contains(|it: char| it.is_control() || it == '\u{202e}'), "{at}: {said:?}");
        }
    }
    let key = "k".repeat(70);
    let mut value = json!("x");
    for _ in 0..60 {
        value = json!({ (key.clone()): value });
    }
    let recursive = json!({ "type": "object", "$defs": { "m": { "type": "object", "additionalProperties": { "$ref": "#/$defs/m" } } },
                            "additionalProperties": { "$ref": "#/$defs/m" } });
    let recursive = InputSchema::by_hand(recursive.into_schema().expect("JSON"));
    let said = read::<Value>(&value.to_string(), &recursive).expect_err("a text is no object").0;
    assert!(said.len() < 600 && said.contains("to be an object, but found"), "{said}");
}

#[test]
fn a_bound_that_no_integer_has_does_not_overflow() {
    for keyword in ["exclusiveMinimum", "exclusiveMaximum"] {
        let bound = if keyword == "exclusiveMinimum" { 1e39 } else { -1e39 };
        let schema =
            json!({ "type": "object", "properties": { "it": { "type": "number", (keyword): bound } } });
        let schema = InputSchema::by_hand(schema.into_schema().expect("JSON"));
        assert!(read::<Value>(r#"{"it":1}"#, &schema).is_err());
    }
}

#[test]
fn an_alias_is_no_way_around_a_bound() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only read")]
    struct Aliased {
        #[serde(alias = "n")]
        #[schemars(range(max = 9))]
        number: u32,
    }
    let said = read::<Aliased>(r#"{"n":10}"#, &InputSchema::of::<Aliased>()).expect_err("no such name").0;
    assert_eq!(said, "expected `arguments` to have only `number`, but found `n`");
}

#[test]
fn the_example_for_a_boolean_means_what_was_sent() {
    #[derive(Deserialize, JsonSchema)]
    struct Flagged {
        #[serde(rename = "flag")]
        _flag: bool,
    }
    let schema = InputSchema::of::<Flagged>();
    for (sent, fits) in [
        (json!("True"), true),
        (json!("yes"), true),
        (json!("enabled"), true),
        (json!("2"), true),
        (json!(1), true),
        (json!("FALSE"), false),
        (json!("off"), false),
        (json!(0), false),
    ] {
        let found = read::<Flagged>(&json!({ "flag": sent }).to_string(), &schema);
        let Err(Rejected(text)) = found else { panic!("{sent}") };
        assert!(text.ends_with(&format!("; {fits} would fit")), "{text}");
    }
}
