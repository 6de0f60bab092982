//! Schemas as clients see them: written by hand, changed by a preset, with patterns; and the mistakes in
//! schemas that are reported.

use plainwire::model::RawJson;
use plainwire::prelude::*;
use plainwire::schema::Preset;
use serde_json::{Map, Value, json};

#[derive(Deserialize, JsonSchema)]
struct Page {
    book: String,
    number: Option<u32>,
}

fn page() -> Tool {
    Tool::new("page", |it: Page| async move { format!("{} {:?}", it.book, it.number) })
}

async fn echo(arguments: Map<String, Value>) -> String {
    Value::Object(arguments).to_string()
}

async fn listed(server: Server) -> plainwire::model::Tool {
    let client = plainwire::testing::client(server).await.expect("a right declaration");
    client.list_tools().await.expect("a list").remove(0)
}

async fn refused(tool: Tool) -> String {
    let built = plainwire::testing::client(Server::new("wrong").tool(tool)).await;
    built.expect_err("a wrong declaration").to_string()
}

async fn says(tool: Tool, arguments: Value) -> String {
    let name = tool.name().to_owned();
    let client =
        plainwire::testing::client(Server::new("tools").tool(tool)).await.expect("a right declaration");
    let result = client.call_tool(&name, arguments).await.expect("a result");
    result.content[0].as_text().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_preset_changes_what_is_listed_and_not_what_is_read() {
    let server = || Server::new("book").tool(page());
    let slim = listed(server()).await.input_schema;
    let expected = r#"{"additionalProperties":false,"properties":{"book":{"type":"string"},"number":{"minimum":0,"type":"integer"}},"required":["book"],"type":"object"}"#;
    assert_eq!(slim.get().replace("\"$schema\"", ""), expected);
    let strict = listed(server().schema_preset(Preset::OpenaiStrict)).await.input_schema;
    let expected = r#"{"additionalProperties":false,"properties":{"book":{"type":"string"},"number":{"minimum":0,"type":["integer","null"]}},"required":["book","number"],"type":"object"}"#;
    assert_eq!(strict.get(), expected);
    let gemini = listed(server().schema_preset(Preset::Gemini)).await.input_schema;
    assert!(!gemini.get().contains("additionalProperties"), "{gemini}");

    let client =
        plainwire::testing::client(server().schema_preset(Preset::OpenaiStrict)).await.expect("a client");
    let result = client.call_tool("page", json!({ "book": "a", "number": null })).await.expect("a result");
    assert_eq!(result.content[0].as_text(), Some("a None"));
    let result = client.call_tool("page", json!({ "book": "a" })).await.expect("a result");
    assert_eq!(result.content[0].as_text(), Some("a None"));
}

#[tokio::test]
async fn a_preset_holds_for_schemas_by_hand_too() {
    let text = r#"{"type":"object","properties":{"when":{"type":"string","format":"date","x-own":1}}}"#;
    let server = || Server::new("by hand").tool(Tool::new("echo", echo).input_schema(text));
    assert_eq!(listed(server()).await.input_schema.get(), text);
    let gemini = listed(server().schema_preset(Preset::Gemini)).await.input_schema;
    let expected = json!({ "type": "object", "properties": { "when": { "type": "string", "description": "format: date" } } });
    assert_eq!(serde_json::from_str::<Value>(gemini.get()).expect("JSON"), expected);
}

#[tokio::test]
async fn schemas_by_hand_are_sent_to_the_letter() {
    let input =
        "{\n  \"type\": \"object\",\n  \"x-unknown\": 1.50,\n  \"properties\": { \"z\": {}, \"a\": {} }\n}";
    let output = "{ \"type\": \"object\",\r\n \"x\": \"a  b\" }";
    let raw: RawJson = serde_json::from_str("{ \"type\" : \"object\" }").expect("JSON");
    let tool = Tool::new("echo", echo).input_schema(raw).input_schema(input.to_owned()).output_schema(output);
    let tool = listed(Server::new("by hand").tool(tool)).await;
    assert_eq!(tool.input_schema.get(), r#"{"type":"object","x-unknown":1.50,"properties":{"z":{},"a":{}}}"#);
    assert_eq!(tool.output_schema.expect("one").get(), r#"{"type":"object","x":"a  b"}"#);
}

#[tokio::test]
async fn text_that_is_no_schema_is_an_error_of_the_declaration() {
    let tool = || Tool::new("echo", echo);
    let no_json = "tool `echo`: expected the schema to be JSON, but found: ";
    assert!(refused(tool().input_schema("{")).await.contains(no_json));
    assert!(refused(tool().output_schema("{} {}")).await.contains(no_json));
    let no_object = "expected the output schema to be an object, but found 5";
    assert!(refused(tool().output_schema("5")).await.contains(no_object));
    // A right input schema does not hide the mistake in the output schema.
    assert!(refused(tool().output_schema("{").input_schema(r#"{"type":"object"}"#)).await.contains(no_json));
    let no_object = refused(tool().input_schema("[]")).await;
    assert!(no_object.contains("expected the input schema to have `\"type\": \"object\"`"), "{no_object}");
}

#[tokio::test]
async fn what_a_schema_by_hand_asks_for_is_checked() {
    let tool = || {
        Tool::new("echo", echo).input_schema(json!({
            "type": "object",
            "properties": { "n": { "type": "integer", "maximum": 3 } },
            "required": ["n"],
        }))
    };
    assert_eq!(says(tool(), json!({ "n": "2" })).await, r#"{"n":2}"#);
    assert_eq!(
        says(tool(), json!({ "n": 4 })).await,
        "expected `arguments.n` to be at most 3, but found 4; 3 would fit"
    );
}

#[derive(Deserialize, JsonSchema)]
struct Key {
    #[schemars(regex(pattern = "^[A-Z]+-[0-9]+$"))]
    key: String,
}

#[tokio::test]
async fn patterns_are_checked_with_their_feature_only() {
    let tool = || Tool::new("issue", |it: Key| async move { it.key });
    assert_eq!(says(tool(), json!({ "key": "ABC-1" })).await, "ABC-1");
    let said = says(tool(), json!({ "key": "abc" })).await;
    let refusal = "expected `arguments.key` to match `^[A-Z]+-[0-9]+$`, but found \"abc\"";
    assert_eq!(said, if cfg!(feature = "pattern") { refusal } else { "abc" });
}

#[cfg(feature = "pattern")]
#[tokio::test]
async fn a_pattern_that_is_none_is_an_error_of_the_declaration() {
    #[derive(Deserialize, JsonSchema)]
    struct Wrong {
        #[schemars(extend("pattern" = "(?=a)"))]
        key: String,
    }
    let said = refused(Tool::new("issue", |it: Wrong| async move { it.key })).await;
    let text = "expected `pattern` to be a regular expression without look-around, but found \"(?=a)\"";
    assert!(said.contains(text), "{said}");
}
