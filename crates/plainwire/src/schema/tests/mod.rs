//! Tests of slim schemas, presets and schemas by hand.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Inner {
    /// A title.
    title: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Outer {
    /// How many.
    limit: Option<u32>,
    inner: Inner,
    /// The one behind it.
    next: Option<Box<Self>>,
}

#[track_caller]
fn slims(mut schema: Value, expected: &Value) {
    let before = schema.to_string().len();
    slim(&mut schema);
    assert_eq!(schema, *expected);
    assert!(schema.to_string().len() <= before);
    slim(&mut schema);
    assert_eq!(schema, *expected, "slim twice");
}

#[track_caller]
fn slims_arguments(mut schema: Value, expected: &Value) {
    slim_arguments(&mut schema);
    assert_eq!(schema, *expected);
}

/// Returns a schema with one property. The name of the property is `it`, and its schema is the parameter
/// `it`.
fn with(it: &Value) -> Value {
    json!({ "type": "object", "properties": { "it": it } })
}

#[test]
fn leaves_out_noise_and_keeps_what_users_named() {
    let schema = InputSchema::of::<Outer>().value;
    let text = schema.to_string();
    assert!(!text.contains("uint32") && !text.contains("$schema") && !text.contains("null"), "{text}");
    assert_eq!(
        schema["properties"]["limit"],
        json!({ "description": "How many.", "type": "integer", "minimum": 0 })
    );
    assert_eq!(schema["properties"]["inner"]["properties"]["title"]["description"], "A title.");
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["required"], json!(["inner"]));
}

#[test]
fn ends_on_recursive_types() {
    let schema = InputSchema::of::<Outer>().value;
    assert_eq!(schema["properties"]["next"], json!({ "description": "The one behind it.", "$ref": "#" }));
    assert!(schema.get("$defs").is_none(), "{schema}");
}

#[test]
fn a_default_that_is_empty_and_fits_is_left_out() {
    for (kind, default) in [
        (json!("boolean"), json!(false)),
        (json!("string"), json!("")),
        (json!(["array", "string"]), json!([])),
        (json!("object"), json!({})),
    ] {
        slims_arguments(with(&json!({ "type": kind, "default": default })), &with(&json!({ "type": kind })));
    }
    for kept in [
        json!({ "type": "boolean", "default": true }),
        json!({ "type": "integer", "default": 0 }),
        json!({ "type": "integer", "default": "" }),
        json!({ "type": "array", "minItems": 1, "default": [] }),
        json!({ "type": "string", "enum": ["a"], "default": "" }),
        json!({ "default": false }),
    ] {
        slims_arguments(with(&kept), &with(&kept));
    }
    let required =
        json!({ "properties": { "it": { "type": "boolean", "default": false } }, "required": ["it"] });
    slims_arguments(required.clone(), &required);
}

#[derive(Deserialize, JsonSchema)]
struct Renamed {
    words: Option<String>,
    /// Replaced by `words`.
    #[schemars(extend("deprecated" = true))]
    query: Option<String>,
    #[schemars(extend("deprecated" = true))]
    place: String,
    #[serde(default)]
    others: serde_json::Map<String, Value>,
}

#[test]
fn a_deprecated_argument_is_accepted_and_checked_and_not_listed_if_it_is_optional() {
    let schema = InputSchema::of::<Renamed>();
    let listed: Value = serde_json::from_str(schema.listed(None).get()).expect("JSON");
    let properties = &listed["properties"];
    assert!(properties.get("words").is_some() && properties.get("query").is_none(), "{listed}");
    assert!(properties.get("place").is_some(), "required: {listed}");
    assert_eq!(properties["others"], json!({ "type": "object" }), "an object is open by itself");
    let strict: Value =
        serde_json::from_str(schema.listed(Rewrite::of(Preset::OpenaiStrict)).get()).expect("JSON");
    assert!(strict["properties"].get("query").is_none(), "{strict}");
    let former = read::<Renamed>(r#"{"place":"a","query":"b"}"#).expect("arguments of a former version");
    assert_eq!(
        (former.query.as_deref(), former.words, &*former.place, former.others.len()),
        (Some("b"), None, "a", 0)
    );
    assert!(read::<Renamed>(r#"{"place":"a","query":[]}"#).is_err());
    assert!(read::<Renamed>(r#"{"place":"a","querry":"b"}"#).is_err());
}

#[test]
fn never_touches_names_and_values_of_users() {
    let kept = json!({
        "type": "object",
        "properties": { "title": { "type": "string" }, "format": { "type": "string" }, "$schema": true },
        "required": ["title"],
        "default": { "title": "x", "format": "int32", "$ref": "#/$defs/a" },
        "examples": [{ "title": "x", "anyOf": [{ "type": "null" }] }],
        "enum": [{ "title": "x" }],
        "const": { "$schema": "x", "format": "int32" },
        "x-own": { "title": "x" },
    });
    slims(kept.clone(), &kept);
    slims_arguments(kept.clone(), &kept);
}

#[test]
fn drops_titles_dialects_and_machine_formats() {
    slims(
        json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "T", "items": { "format": "double" } }),
        &json!({ "items": {} }),
    );
    slims(json!({ "type": "string", "format": "date" }), &json!({ "type": "string", "format": "date" }));
}

#[test]
fn keeps_null_where_it_means_something() {
    let nullable = json!({ "type": ["string", "null"] });
    slims(with(&nullable), &with(&nullable));
    slims_arguments(with(&nullable), &with(&json!({ "type": "string" })));
    let required = json!({ "properties": { "it": nullable }, "required": ["it"] });
    slims_arguments(required.clone(), &required);
    let items = json!({ "items": nullable });
    slims_arguments(items.clone(), &items);
}

#[test]
fn says_alternatives_to_null_in_the_type() {
    let either =
        json!({ "description": "D.", "anyOf": [{ "type": "string", "enum": ["a"] }, { "type": "null" }] });
    slims(
        with(&either),
        &with(&json!({ "description": "D.", "type": ["string", "null"], "enum": ["a", null] })),
    );
    slims_arguments(with(&either), &with(&json!({ "description": "D.", "type": "string", "enum": ["a"] })));
    let constant = json!({ "anyOf": [{ "type": "string", "const": "a" }, { "type": "null" }] });
    slims(with(&constant), &with(&constant));
    let default = json!({ "type": ["integer", "null"], "default": null });
    slims_arguments(with(&default), &with(&json!({ "type": "integer" })));
}

#[test]
fn makes_an_enum_of_bare_constants() {
    slims(
        json!({ "oneOf": [{ "type": "string", "const": "a" }, { "type": "string", "enum": ["b", "c"] }] }),
        &json!({ "type": "string", "enum": ["a", "b", "c"] }),
    );
    for kept in [
        json!({ "oneOf": [{ "type": "string", "const": "a", "description": "A." }, { "type": "string", "const": "b" }] }),
        json!({ "oneOf": [{ "const": "a" }, { "const": "a" }] }),
        json!({ "oneOf": [{ "type": "string", "const": "a" }, { "type": "integer", "const": 1 }] }),
        json!({ "oneOf": [{ "const": "a" }], "enum": ["b"] }),
    ] {
        slims(kept.clone(), &kept);
    }
}

#[test]
fn moves_a_definition_to_its_only_use_and_drops_unused_ones() {
    let long = "A very long description that nobody would want to read more than once. ".repeat(3);
    slims(
        json!({
            "properties": { "a": { "$ref": "#/$defs/A", "description": "Mine." } },
            "$defs": { "A": { "type": "object", "properties": { "b": { "$ref": "#/$defs/B" } }, "description": long },
                       "B": { "type": "string", "description": long }, "C": { "$ref": "#/$defs/C" } },
        }),
        &json!({ "properties": { "a": { "type": "object", "description": "Mine.",
            "properties": { "b": { "type": "string", "description": long } } } } }),
    );
}

#[test]
fn keeps_a_definition_that_is_shorter_to_refer_to() {
    let reference = json!({ "$ref": "#/$defs/Long" });
    let long = json!({ "type": "string", "description": "x".repeat(200) });
    let kept = json!({ "properties": { "a": reference, "b": reference }, "$defs": { "Long": long } });
    slims(kept.clone(), &kept);
    let short = json!({ "properties": { "a": reference, "b": reference }, "$defs": { "Long": { "type": "string" } } });
    slims(short, &json!({ "properties": { "a": { "type": "string" }, "b": { "type": "string" } } }));
}

#[test]
fn keeps_a_reference_whose_neighbours_would_change_its_meaning() {
    let kept = json!({
        "items": { "$ref": "#/$defs/A", "additionalProperties": false, "properties": { "b": true } },
        "$defs": { "A": { "properties": { "a": true } } },
    });
    slims(kept.clone(), &kept);
}

#[test]
fn leaves_references_alone_that_point_elsewhere() {
    for odd in
        ["#/properties/a", "#/$defs/A/properties/x", "https://example.com/s.json", "#anchor", "#/$defs/Nope"]
    {
        let kept = json!({
            "properties": { "a": { "type": "string" }, "b": { "$ref": "#/$defs/A" }, "c": { "$ref": odd } },
            "$defs": { "A": { "properties": { "x": { "type": "string" } } } },
        });
        slims(kept.clone(), &kept);
    }
}

/// Returns a schema with 21 definitions. Each of the first twenty refers to the next one twice, so a copy for
/// each reference would make the last one appear 2^20 times.
fn doubling() -> Value {
    let mut defs = serde_json::Map::new();
    for n in 0..20 {
        let next = json!({ "$ref": format!("#/$defs/D{}", n + 1) });
        defs.insert(format!("D{n}"), json!({ "type": "object", "properties": { "l": next, "r": next } }));
    }
    defs.insert("D20".to_owned(), json!({ "type": "string", "description": "The last one of all of them." }));
    json!({ "type": "object", "properties": { "it": { "$ref": "#/$defs/D0" } }, "$defs": defs })
}

#[test]
fn does_not_blow_up_where_definitions_double() {
    let before = doubling().to_string().len();
    let mut schema = doubling();
    slim(&mut schema);
    assert!(schema.to_string().len() <= before);
    for preset in Preset::ALL {
        let mut schema = doubling();
        preset.apply(&mut schema);
        assert!(schema.to_string().len() < 1_000_000, "{preset}");
    }
}

#[test]
fn leaves_what_is_nested_too_deep() {
    let mut deep = json!({ "title": "T" });
    for _ in 0..200 {
        deep = json!({ "items": deep });
    }
    slims(deep.clone(), &deep);
    // Inlining a long chain of definitions must not cause deep nesting either.
    let mut defs = serde_json::Map::new();
    for n in 0..200 {
        defs.insert(format!("D{n}"), json!({ "items": { "$ref": format!("#/$defs/D{}", n + 1) } }));
    }
    defs.insert("D200".to_owned(), json!({ "type": "string" }));
    let mut chain = json!({ "$ref": "#/$defs/D0", "$defs": defs });
    slim(&mut chain);
    assert!(!walk::is_deeper(&chain, 100));
    for preset in Preset::ALL {
        let mut deep = deep.clone();
        preset.apply(&mut deep);
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Declared {
    zebra: String,
    ape: Option<String>,
    mule: String,
}

#[test]
fn lists_properties_in_the_order_of_the_struct() {
    let schema = InputSchema::of::<Declared>();
    let text = schema.to_raw();
    let at = |name: &str| text.get().find(&format!("\"{name}\":")).expect(name);
    assert!(at("zebra") < at("ape") && at("ape") < at("mule"), "{text}");
    let names: Vec<_> = schema.properties().into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["zebra", "ape", "mule"]);
    assert_eq!(serde_json::from_str::<Value>(text.get()).expect("JSON"), schema.value);
    let listed = schema.listed(Rewrite::of(Preset::Gemini));
    assert!(listed.get().find("zebra") < listed.get().find("ape"), "{listed}");
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Flat {
    id: u32,
    #[serde(flatten)]
    what: What,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum What {
    Text { text: String },
    Number { number: f64 },
}

#[test]
fn does_not_forbid_what_the_alternatives_of_a_root_have() {
    let schema = InputSchema::of::<Flat>();
    assert!(schema.value.get("additionalProperties").is_none(), "{}", schema.value);
    assert!(read::<Flat>(r#"{"id":1,"kind":"text","text":"a"}"#).is_ok());
    let wrong = read::<Flat>(r#"{"id":1,"kind":"text","text":5}"#).expect_err("a number").0;
    assert_eq!(wrong, "expected `arguments.text` to be a string, but found 5; \"5\" would fit");
}

#[test]
fn sends_text_by_hand_to_the_letter() {
    let text = "{ \"type\":\"object\",\n\t\"x-own\": \"a \\\" \\\\\" , \"properties\": {\"b\":{\"maximum\":1.50e2}, \"a\":{}}\r\n}";
    let schema = InputSchema::by_hand(text.into_schema().expect("JSON"));
    let sent = r#"{"type":"object","x-own":"a \" \\","properties":{"b":{"maximum":1.50e2},"a":{}}}"#;
    assert_eq!(schema.to_raw().get(), sent);
    assert_eq!(schema.listed(Rewrite::of(Preset::Slim)).get(), sent);
    let wrong = "{\"type\":}".into_schema().expect_err("no JSON");
    assert!(wrong.starts_with("expected the schema to be JSON, but found: "), "{wrong}");
}

#[test]
fn reads_the_names_of_presets() {
    for preset in Preset::ALL {
        assert_eq!(preset.as_str().parse(), Ok(preset));
    }
    let wrong = "claude".parse::<Preset>().expect_err("no such preset").to_string();
    assert_eq!(wrong, "expected a preset, one of slim, openai-strict, gemini, but found \"claude\"");
}

#[test]
fn walks_over_any_json_without_a_panic() {
    for odd in [
        json!(null),
        json!([{ "$ref": 1 }]),
        json!({ "$defs": { "A": true, "B": false }, "anyOf": [{ "$ref": "#/$defs/A", "x": 1 }, { "$ref": "#/$defs/B" }] }),
        json!({ "$ref": "#/$defs/A", "$defs": { "A": { "$ref": "#/$defs/A" } } }),
        json!({ "properties": 5, "required": "x", "type": 5, "enum": {}, "items": [], "anyOf": [], "oneOf": {} }),
        json!({ "allOf": [{ "$ref": "#" }], "prefixItems": [], "const": null, "additionalProperties": { "$ref": "#" } }),
        json!({ "anyOf": [{ "type": "null" }], "properties": { "a": { "anyOf": [{ "type": "null" }], "type": [] } } }),
    ] {
        for preset in Preset::ALL {
            preset.apply(&mut odd.clone());
        }
        slim(&mut odd.clone());
    }
}

mod presets;
