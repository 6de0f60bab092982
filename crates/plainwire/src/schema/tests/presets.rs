//! Tests of the schema presets `openai-strict` and `gemini`, with the limits that docs/schemas.md states,
//! such as ten levels, and of reading arguments that follow a preset.

use serde_json::{Map, json};

use super::*;
use crate::schema::walk::each;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Everything {
    /// What to look for.
    #[schemars(length(min = 1, max = 50))]
    query: String,
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
    order: Option<Order>,
    level: Level,
    tags: std::collections::BTreeMap<String, String>,
    any: Value,
    pair: (String, u8),
    tree: Option<Tree>,
    when: Option<What>,
    #[schemars(extend("format" = "uri"))]
    link: String,
    #[schemars(extend("exclusiveMinimum" = 0))]
    size: i64,
}

fn ten() -> u32 {
    10
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    /// Small ones first.
    Up,
    Down,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(extend("enum" = [1, 2, 3]))]
struct Level(u8);

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tree {
    value: f64,
    children: Vec<Self>,
}

fn of(preset: Preset) -> Value {
    let text = InputSchema::of::<Everything>().listed(Rewrite::of(preset));
    serde_json::from_str(text.get()).expect("JSON")
}

/// Calls `visit` with a schema and with each schema inside it, except `true` and `false`.
fn all(schema: &Value, visit: &mut dyn FnMut(&Map<String, Value>)) {
    let keywords = schema.as_object().expect("a schema is an object");
    visit(keywords);
    each(keywords, |inner| {
        if !inner.is_boolean() {
            all(inner, visit);
        }
    });
}

#[test]
fn openai_requires_everything_and_allows_nothing_else() {
    let schema = of(Preset::OpenaiStrict);
    all(&schema, &mut |it| {
        let Some(properties) = it.get("properties").and_then(Value::as_object) else { return };
        let mut required = required(it);
        required.sort_unstable();
        assert_eq!(required, properties.keys().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(it["additionalProperties"], false);
    });
    let it = &schema["properties"];
    assert_eq!(it["limit"]["type"], json!(["integer", "null"]));
    assert_eq!(it["query"]["type"], "string");
    assert_eq!(it["query"]["description"], "What to look for. (maxLength: 50) (minLength: 1)");
    assert_eq!(it["limit"]["description"], "default: 10");
    assert_eq!(it["tags"], json!({ "type": "string", "description": "an object as JSON text" }));
    assert_eq!(it["any"]["type"], json!(["string", "number", "boolean", "null"]));
    assert_eq!(it["pair"]["items"]["anyOf"][0], json!({ "type": "string" }));
    assert_eq!((&it["pair"]["minItems"], &it["pair"]["maxItems"]), (&json!(2), &json!(2)));
    assert_eq!(it["link"], json!({ "type": "string", "description": "format: uri" }));
}

#[test]
fn openai_has_only_keywords_that_it_knows() {
    let known = "$defs $ref additionalProperties anyOf description enum exclusiveMaximum exclusiveMinimum format items \
                 maxItems maximum minItems minimum multipleOf pattern properties required type";
    all(&of(Preset::OpenaiStrict), &mut |it| {
        let unknown = it.keys().find(|keyword| !known.split(' ').any(|known| known == *keyword));
        assert_eq!(unknown, None, "{it:?}");
        assert!(!it.contains_key("$ref") || it.len() == 1, "{it:?}");
    });
}

#[test]
fn openai_refers_to_recursive_types_only() {
    let schema = of(Preset::OpenaiStrict);
    let defs = schema["$defs"].as_object().expect("definitions");
    assert_eq!(defs.keys().collect::<Vec<_>>(), ["Tree"]);
    assert_eq!(defs["Tree"]["properties"]["children"]["items"], json!({ "$ref": "#/$defs/Tree" }));
    assert_eq!(
        schema["properties"]["tree"],
        json!({ "anyOf": [{ "$ref": "#/$defs/Tree" }, { "type": "null" }] })
    );
}

#[test]
fn openai_cuts_what_is_too_deep_or_too_much() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..15 {
        deep = json!({ "type": "object", "properties": { "it": deep } });
    }
    Preset::OpenaiStrict.apply(&mut deep);
    let cut = deep.pointer(&"/properties/it".repeat(11)).expect("ten levels below the root");
    assert_eq!(cut["description"], "an object as JSON text");
    let mut many = with(&json!({ "type": "integer", "enum": (0..1_001).collect::<Vec<_>>() }));
    Preset::OpenaiStrict.apply(&mut many);
    assert_eq!(many["properties"]["it"], json!({ "type": ["integer", "null"] }));
}

#[test]
fn gemini_has_only_keywords_that_it_knows() {
    let known = "anyOf description enum format items maxItems maxLength maximum minItems minLength minimum nullable pattern \
                 properties required type";
    all(&of(Preset::Gemini), &mut |it| {
        let unknown = it.keys().find(|keyword| !known.split(' ').any(|known| known == *keyword));
        assert_eq!(unknown, None, "{it:?}");
        assert!(it.get("type").is_some_and(Value::is_string) != it.contains_key("anyOf"), "{it:?}");
        assert!(!it.contains_key("anyOf") || it.len() == 1, "{it:?}");
        assert!(!it.contains_key("enum") || it["type"] == "string", "{it:?}");
        assert!(it.get("properties").is_none_or(|all| all != &json!({})), "{it:?}");
    });
}

#[test]
fn gemini_says_in_words_what_it_has_no_keywords_for() {
    let it = of(Preset::Gemini)["properties"].clone();
    assert_eq!(it["level"]["description"], "enum: [1,2,3]");
    assert_eq!(it["size"], json!({ "type": "integer", "minimum": 1 }));
    assert_eq!(it["limit"]["description"], "default: 10");
    assert_eq!(it["link"], json!({ "type": "string", "description": "format: uri" }));
    assert_eq!(it["tags"], json!({ "type": "string", "description": "an object as JSON text" }));
    assert_eq!(it["any"], json!({ "type": "string" }));
    assert_eq!(it["query"]["maxLength"], 50);
    assert_eq!(it["when"]["anyOf"][0]["properties"]["kind"], json!({ "type": "string", "enum": ["text"] }));
}

#[test]
fn gemini_writes_a_recursive_type_out_three_times() {
    let schema = of(Preset::Gemini);
    assert_eq!(schema.to_string().matches("\"children\":").count(), 3);
    let last = "/properties/children/items".repeat(3);
    let last = schema["properties"]["tree"].pointer(&last).expect("three levels");
    assert_eq!(*last, json!({ "type": "string", "description": "an object as JSON text" }));
}

#[test]
fn gemini_says_null_by_a_word_of_its_own() {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "a": { "type": ["string", "null"] },
            "b": { "type": ["string", "integer", "null"], "description": "B." },
            "c": { "anyOf": [{ "type": "boolean" }, { "type": "null" }] },
        },
        "required": ["a", "b", "c", "d"],
    });
    Preset::Gemini.apply(&mut schema);
    let it = &schema["properties"];
    assert_eq!(it["a"], json!({ "type": "string", "nullable": true }));
    assert_eq!(
        it["b"],
        json!({ "anyOf": [
            { "type": "string", "nullable": true, "description": "B." },
            { "type": "integer", "nullable": true },
        ] })
    );
    assert_eq!(it["c"], json!({ "type": "boolean", "nullable": true }));
    assert_eq!(schema["required"], json!(["a", "b", "c"]));
}

#[test]
fn presets_make_one_object_of_a_root_with_alternatives() {
    for preset in [Preset::OpenaiStrict, Preset::Gemini] {
        let text = InputSchema::of::<Flat>().listed(Rewrite::of(preset));
        let schema: Value = serde_json::from_str(text.get()).expect("JSON");
        assert_eq!(schema["type"], "object");
        assert!(schema.get("anyOf").is_none() && schema.get("oneOf").is_none(), "{schema}");
        let it = &schema["properties"];
        assert_eq!(it["kind"]["enum"], json!(["text", "number"]), "{schema}");
        assert!(it.get("text").is_some() && it.get("number").is_some(), "{schema}");
        let required = &schema["required"];
        assert!(required.as_array().is_some_and(|all| all.contains(&json!("kind"))), "{schema}");
    }
}

#[test]
fn arguments_as_a_preset_asks_for_them_are_read() {
    let arguments = json!({
        "query": "a", "limit": null, "order": null, "level": 1, "tags": "{\"a\":\"b\"}", "any": "x",
        "pair": ["a", 1], "tree": { "value": 1, "children": ["{\"value\":2,\"children\":[]}"] }, "when": null,
        "link": "https://example.com", "size": 1,
    });
    let it = read::<Everything>(&arguments.to_string()).map_err(|rejected| rejected.0).expect("all fits");
    assert_eq!((it.limit, it.tags["a"].as_str()), (10, "b"));
    assert!(it.tree.is_some_and(|tree| tree.children[0].children.is_empty()));
}

#[test]
fn gemini_keeps_the_description_of_an_argument_in_front_of_that_of_its_first_alternative() {
    let part = |text: Value| {
        let mut schema = json!({ "type": "object", "properties": { "mood": { "description": "How it feels.", "anyOf": [
            { "type": "object", "properties": { "a": { "type": "string" } }, "description": text },
            { "type": "integer" },
        ] } } });
        Preset::Gemini.apply(&mut schema);
        schema["properties"]["mood"]["anyOf"][0]["description"].clone()
    };
    assert_eq!(part(json!("All is well.")), "How it feels.\n\nAll is well.");
    assert_eq!(part(Value::Null), "How it feels.");
}

#[test]
fn a_map_with_numbers_as_names_is_text_as_other_maps_are() {
    #[derive(Deserialize, JsonSchema)]
    struct Pages {
        #[serde(rename = "pages")]
        _pages: std::collections::BTreeMap<u8, String>,
    }
    for preset in [Preset::OpenaiStrict, Preset::Gemini] {
        let text = InputSchema::of::<Pages>().listed(Rewrite::of(preset));
        let schema: Value = serde_json::from_str(text.get()).expect("JSON");
        assert_eq!(schema["properties"]["pages"]["type"], "string", "{preset:?}: {schema}");
    }
}
