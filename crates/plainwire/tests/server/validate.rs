//! `Tool::validate`: arguments that are checked against all keywords of a schema written by hand.

use plainwire::prelude::*;
use serde_json::{Map, Value, json};

async fn echo(arguments: Map<String, Value>) -> String {
    Value::Object(arguments).to_string()
}

fn tool(schema: &Value) -> Tool {
    Tool::new("echo", echo).validate().input_schema(schema.clone())
}

async fn says(schema: &Value, arguments: Value) -> String {
    let server = Server::new("strict").tool(tool(schema));
    let client = plainwire::testing::client(server).await.expect("a right declaration");
    let result = client.call_tool("echo", arguments).await.expect("a result");
    result.content[0].as_text().unwrap_or_default().to_owned()
}

async fn refused(schema: &Value) -> String {
    let built = plainwire::testing::client(Server::new("wrong").tool(tool(schema))).await;
    built.expect_err("a wrong declaration").to_string()
}

#[tokio::test]
async fn names_path_expectation_and_finding() {
    let with = |it: Value| json!({ "type": "object", "properties": { "it": it } });
    for (it, value, expected) in [
        (
            json!({ "not": { "type": "string" } }),
            json!("a"),
            ".it` to not fit {\"type\":\"string\"}, but found \"a\"",
        ),
        (
            json!({ "contains": { "const": 1 } }),
            json!([2]),
            ".it` to have an item that `contains` asks for, but found [2]",
        ),
        (
            json!({ "propertyNames": { "maxLength": 1 } }),
            json!({ "ab": 1 }),
            ".it` to fit `propertyNames`, but found {\"ab\":1}",
        ),
        (json!({ "items": { "format": "time" } }), json!(["x"]), ".it[0]` to fit `format`, but found \"x\""),
        (
            json!({ "dependentRequired": { "a": ["b"] } }),
            json!({ "a": 1 }),
            ".it.b` to be there, but found nothing",
        ),
        (
            json!({ "unevaluatedProperties": false }),
            json!({ "a": 1 }),
            ".it` to have known names only, but found `a`",
        ),
        (
            json!({ "oneOf": [{ "minimum": 1 }, { "minimum": 2 }] }),
            json!(3),
            ".it` to be one of the alternatives and no other, but found 3",
        ),
    ] {
        let said = says(&with(it.clone()), json!({ "it": value })).await;
        assert_eq!(said, format!("expected `arguments{expected}"), "{it}");
    }
    // The server finds this mistake before it needs the validator, so the message and its example are those
    // of a tool without `validate`.
    let said = says(&with(json!({ "type": "integer" })), json!({ "it": "x" })).await;
    assert_eq!(said, "expected `arguments.it` to be an integer, but found \"x\"; 1 would fit");
    assert_eq!(says(&with(json!({ "type": "integer" })), json!({ "it": "5" })).await, r#"{"it":5}"#);
}

#[tokio::test]
async fn fetches_nothing() {
    for reference in ["https://example.com/schema.json", "file:///etc/passwd", "other.json"] {
        let said = refused(&json!({ "type": "object", "$ref": reference })).await;
        assert!(said.contains("tool `echo`: expected a schema that can be checked, but found: "), "{said}");
    }
}

#[tokio::test]
async fn a_schema_that_is_none_is_an_error_of_the_declaration() {
    refused(&json!({ "type": "object", "required": 5 })).await;
    refused(&json!({ "type": "object", "pattern": "(?=a)" })).await;
    let long = refused(&json!({ "type": "object", "description": "x".repeat(300_000) })).await;
    assert!(long.contains("expected the schema to have at most 262144 bytes, but found 300"), "{long}");
}

#[tokio::test]
async fn arguments_have_a_size() {
    let said = says(&json!({ "type": "object" }), json!({ "a": "x".repeat(1_100_000) })).await;
    assert_eq!(said, "expected `arguments` to have at most 1048576 bytes, but found 1100008");
}

#[tokio::test]
async fn a_schema_that_goes_in_circles_ends() {
    let circle =
        json!({ "type": "object", "properties": { "a": { "$ref": "#" } }, "not": { "required": ["b"] } });
    let said = says(&circle, json!({ "a": { "a": { "b": 1 } } })).await;
    assert_eq!(said, "expected `arguments.a.a` to not fit {\"required\":[\"b\"]}, but found {\"b\":1}");
}
