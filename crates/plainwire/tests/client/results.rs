//! Results of calls, read as types of the caller.

use std::sync::Arc;

use plainwire::client::ResultCheck;
use plainwire::model::CallToolResult;
use plainwire::prelude::*;
use plainwire::proto::revision::Revision;
use plainwire::{Client, testing};
use serde_json::{Map, Value, json};

use crate::collected_logs as collected;

/// A tool returns `{"result": 42}`, as FastMCP and the official Python SDK wrap a number: the client must
/// read it as the number, or as the struct.
#[tokio::test]
async fn a_value_that_was_wrapped_as_a_result_is_the_value() {
    #[data]
    struct Wrapped {
        result: i64,
    }

    #[tool]
    async fn answer() -> Wrapped {
        Wrapped { result: 42 }
    }

    let client = testing::client(plainwire::server!("wraps").tool(answer)).await.expect("a server");
    assert_eq!(client.call::<i64>("answer", json!({})).await.expect("a number"), 42);
    assert_eq!(client.call::<Wrapped>("answer", json!({})).await.expect("a struct").result, 42);
    let error = client.call::<Vec<u8>>("answer", json!({})).await.expect_err("no list");
    assert!(error.to_string().contains("invalid type: map"), "{error}");
}

#[tokio::test]
async fn nothing_is_read_as_nothing() {
    #[tool]
    async fn reset() -> Result<(), ToolError> {
        Ok(())
    }

    let client = testing::client(plainwire::server!("s").tool(reset)).await.expect("a server");
    client.call::<()>("reset", json!({})).await.expect("nothing");
    assert_eq!(client.call::<Option<u8>>("reset", json!({})).await.expect("nothing"), None);
    assert_eq!(client.call::<String>("reset", json!({})).await.expect("a text"), "");
    client.call::<u8>("reset", json!({})).await.expect_err("no number");
}

#[tokio::test]
async fn a_picture_is_no_text() {
    #[tool]
    async fn draw() -> Image {
        Image { bytes: vec![0], mime_type: "image/png".to_owned() }
    }

    let client = testing::client(plainwire::server!("s").tool(draw)).await.expect("a server");
    let error = client.call::<String>("draw", json!({})).await.expect_err("no text").to_string();
    assert_eq!(error, "expected a text or structured content, but found an image: `call_tool` returns it");
}

/// A state behind an `Arc` is a value like the one in it; what requests a header as an argument does not as a result.
#[tokio::test]
async fn a_value_behind_an_arc_is_the_value_and_a_result_has_no_headers() {
    #[data]
    #[derive(Debug, PartialEq)]
    struct Place {
        #[header("Region")]
        region: String,
    }

    #[tool]
    async fn find(place: Place) -> Arc<Place> {
        Arc::new(place)
    }

    let client = testing::client(plainwire::server!("s").tool(find)).await.expect("a server");
    let tool = client.list_tools().await.expect("a list").remove(0);
    assert!(tool.input_schema.get().contains("x-mcp-header"), "{}", tool.input_schema.get());
    let schema = tool.output_schema.expect("a schema");
    assert!(schema.get().contains("region") && !schema.get().contains("x-mcp-header"), "{}", schema.get());
    let found: Place = client.call("find", json!({ "place": { "region": "eu" } })).await.expect("a place");
    assert_eq!(found, Place { region: "eu".to_owned() });
}

/// Before 2026-07-28, structured content has to be an object: a server wraps other values, and a client unwraps
/// them, also where it takes any JSON.
#[tokio::test]
async fn lists_and_numbers_have_structured_content_in_each_revision_that_has_it() {
    #[tool]
    async fn primes() -> Vec<u8> {
        vec![2, 3, 5]
    }
    #[tool]
    async fn perhaps(n: Option<u8>) -> Option<u8> {
        n
    }

    for revision in
        [Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28]
    {
        let server = plainwire::server!("s").revisions(&[revision]).tool(primes).tool(perhaps);
        let client = Client::builder().check_results(ResultCheck::Refuse);
        let client = testing::client_with(server, client).await.expect("a server");
        client.list_tools().await.expect("a list");
        for (tool, arguments, value, wrapped) in [
            ("primes", json!({}), json!([2, 3, 5]), json!({ "result": [2, 3, 5] })),
            ("perhaps", json!({ "n": 7 }), json!(7), json!({ "result": 7 })),
            ("perhaps", json!({}), json!(null), json!({ "result": null })),
        ] {
            let result = client.call_tool(tool, arguments.clone()).await.expect("a result");
            let structured =
                result.structured_content.map(|it| serde_json::from_str::<Value>(it.get()).expect("JSON"));
            let expected = match revision {
                Revision::V2025_03_26 => None,
                Revision::V2026_07_28 => Some(value.clone()),
                _ => Some(wrapped),
            };
            assert_eq!(structured, expected, "{revision}");
            assert_eq!(result.content[0].as_text(), Some(&*value.to_string()));
            assert_eq!(client.call::<Value>(tool, arguments).await.expect("a value"), value, "{revision}");
        }
    }
}

#[tokio::test]
async fn the_failure_of_a_tool_has_its_code_and_its_hint_for_programs() {
    let fail = |it: Map<String, Value>| async move {
        let error = ToolError::not_found("there is no issue 7").hint("`list_issues` has the numbers");
        let error = if it.is_empty() { error } else { error.retryable().details(json!({ "largest": 6 })) };
        Err::<String, _>(error)
    };
    let other = || async { CallToolResult { is_error: true, ..CallToolResult::default() } };
    let server = || Server::new("s").tool(Tool::new("fail", fail)).tool(Tool::new("other", other));
    for revision in Revision::ALL {
        let client = testing::client(server().revisions(&[revision])).await.expect("a server");
        let failure = async |tool: &str, arguments| match client.call::<Value>(tool, arguments).await {
            Err(plainwire::Error::Tool { failure, .. }) => failure,
            other => panic!("{revision}: {other:?}"),
        };
        let found = failure("fail", json!({})).await.expect("a description");
        assert_eq!(
            (&*found.code, &*found.message, found.retryable),
            ("not_found", "there is no issue 7", false)
        );
        assert_eq!(found.hint.as_deref(), Some("`list_issues` has the numbers"));
        assert!(found.details.is_none());
        let found = failure("fail", json!({ "more": 1 })).await.expect("a description");
        let details = found.details.map(|it| it.get().to_owned());
        assert_eq!((found.retryable, details.as_deref()), (true, Some(r#"{"largest":6}"#)));
        assert!(failure("other", json!({})).await.is_none(), "{revision}");
    }
}

/// Returns a server with a tool that promises an integer `n` and a text `unit`, and returns what it is told.
fn promising() -> Server {
    let schema = json!({
        "type": "object",
        "properties": { "n": { "type": "integer", "maximum": 9 }, "unit": { "type": "string" } },
        "required": ["n"],
    });
    let tell = |it: Map<String, Value>| async move {
        let is_error = it.contains_key("fail");
        let structured = it.get("as").map(|value| value.to_string());
        let structured_content =
            structured.and_then(|json| serde_json::value::RawValue::from_string(json).ok());
        CallToolResult { is_error, structured_content, ..CallToolResult::default() }
    };
    let input = json!({ "type": "object" });
    Server::new("s").tool(Tool::new("tell", tell).input_schema(input).output_schema(schema))
}

const MISFITS: [(&str, &str); 5] = [
    (r#"{"as":{"n":"7"}}"#, "expected `structuredContent.n` to be an integer, but found \"7\""),
    (r#"{"as":{"n":10}}"#, "expected `structuredContent.n` to be at most 9, but found 10"),
    (r#"{"as":{"n":1,"unit":null}}"#, "expected `structuredContent.unit` to be a string, but found null"),
    (r#"{"as":{}}"#, "expected `structuredContent.n` to be an integer, but found nothing"),
    ("{}", "expected `structuredContent`, but found nothing"),
];

const FITS: [&str; 3] = [r#"{"as":{"n":7,"unit":"m"}}"#, r#"{"as":{"n":2.0}}"#, r#"{"fail":true}"#];

fn arguments(json: &str) -> Value {
    serde_json::from_str(json).expect("JSON")
}

#[tokio::test]
async fn a_result_that_does_not_fit_its_schema_can_be_refused() {
    let client = Client::builder().check_results(ResultCheck::Refuse);
    let client = testing::client_with(promising(), client).await.expect("a server");
    client.call_tool("tell", arguments(MISFITS[0].0)).await.expect("the schema is not known before the list");
    client.list_tools().await.expect("a list");
    for (told, why) in MISFITS {
        let error = client.call_tool("tell", arguments(told)).await.expect_err(told).to_string();
        assert!(
            error
                .ends_with(&format!("the result of the tool \"tell\" does not fit its output schema: {why}")),
            "{error}"
        );
    }
    for told in FITS {
        client.call_tool("tell", arguments(told)).await.expect(told);
    }
    let error = client.call::<Value>("tell", arguments(MISFITS[1].0)).await.expect_err("10 is too large");
    assert!(error.to_string().contains("at most 9"), "{error}");
}

#[tokio::test]
async fn a_result_that_does_not_fit_its_schema_can_be_reported_and_is_not_checked_otherwise() {
    let _here = collected::install_here();
    let why = "the result of the tool \"tell\" does not fit its output schema: expected `structuredContent.n` to be at most 9, \
               but found 10";
    for (check, is_told) in [(ResultCheck::Off, false), (ResultCheck::Warn, true)] {
        let client = Client::builder().check_results(check);
        let client = testing::client_with(promising(), client).await.expect("a server");
        client.list_tools().await.expect("a list");
        client.call_tool("tell", arguments(MISFITS[1].0)).await.expect("a result");
        assert_eq!(!collected::warnings(why).is_empty(), is_told, "{check:?}");
    }
}
