//! Calls of functions with attributes: errors of any type, blocking work, patterns, and schemas on the wire.

use std::thread;

use plainwire::model;
use plainwire::prelude::*;
use serde_json::{Value, json};

use crate::serve;

/// Reads a number and returns it.
#[tool]
async fn read(text: String) -> Result<i64, String> {
    text.parse().map_err(|_| format!("{text:?} is no number"))
}

/// An error that can be serialised too.
#[derive(Debug, Serialize, JsonSchema)]
struct Broken {
    why: String,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "broken: {}", self.why)
    }
}

struct Machine;

#[server]
impl Machine {
    /// Breaks and returns nothing.
    #[tool]
    async fn shatter(&self, ctx: &Context) -> std::result::Result<(), Broken> {
        assert!(!ctx.is_cancelled());
        Err(Broken { why: "dropped".to_owned() })
    }

    /// Counts on a thread of its own and returns the sum.
    #[tool(blocking)]
    fn sum(&self, numbers: Vec<i64>, ctx: &Context) -> Result<i64, String> {
        assert!(!ctx.is_cancelled());
        if numbers.is_empty() { Err("nothing to add".to_owned()) } else { Ok(numbers.iter().sum()) }
    }
}

#[tokio::test]
async fn an_error_that_is_a_value_too_is_an_error() {
    let client = serve(plainwire::server!().tool(read).with(Machine)).await;
    assert_eq!(client.call::<i64>("read", json!({ "text": "7" })).await.expect("a number"), 7);
    for (tool, arguments, expected) in [
        ("read", json!({ "text": "x" }), "\"x\" is no number"),
        ("shatter", json!({}), "broken: dropped"),
        ("sum", json!({ "numbers": [] }), "nothing to add"),
    ] {
        let result = client.call_tool(tool, arguments).await.expect("a result");
        assert_eq!((result.is_error, result.content[0].as_text()), (true, Some(expected)), "{tool}");
    }
    assert_eq!(client.call::<i64>("sum", json!({ "numbers": [1, 2] })).await.expect("a sum"), 3);
}

/// Returns the name of its thread, or of the one that waits.
#[tool(blocking)]
fn place(ctx: &Context) -> String {
    assert!(!ctx.is_cancelled());
    format!("{:?}", thread::current().id())
}

#[tokio::test]
async fn what_blocks_runs_on_another_thread_and_can_be_awaited() {
    let client = serve(plainwire::server!().tool(place)).await;
    let there = client.call::<String>("place", json!({})).await.expect("a thread");
    assert_ne!(there, format!("{:?}", thread::current().id()));
}

#[derive(Serialize, JsonSchema)]
struct Report {
    /// The last day.
    due: String,
}

/// Returns a report.
#[tool]
async fn report() -> Report {
    Report { due: "2026-07-28".to_owned() }
}

/// Returns a report to programs.
#[tool(describe_output)]
async fn described() -> Report {
    report().await
}

#[tokio::test]
async fn results_are_described_where_somebody_wants_that() {
    let client = serve(plainwire::server!().tool(report).tool(described)).await;
    let tools = client.list_tools().await.expect("a list");
    let due = |tool: &model::Tool| {
        let schema = tool.output_schema.as_ref().expect("a schema").get();
        serde_json::from_str::<Value>(schema).expect("JSON")["properties"]["due"].clone()
    };
    assert_eq!(due(&tools[0]), json!({ "type": "string" }));
    assert_eq!(due(&tools[1]), json!({ "type": "string", "description": "The last day." }));
}

/// Takes a schema by hand and returns what it got.
#[tool(input_schema = r#"{"type":"object","x-order":[2,1],"properties":{"b":{},"a":{"type":"integer"}}}"#)]
async fn by_hand(#[arguments] all: serde_json::Map<String, Value>) -> usize {
    all.len()
}

#[tokio::test]
async fn a_schema_by_hand_is_sent_to_the_letter() {
    let client = serve(plainwire::server!().tool(by_hand)).await;
    let tools = client.list_tools().await.expect("a list");
    assert_eq!(
        tools[0].input_schema.get(),
        r#"{"type":"object","x-order":[2,1],"properties":{"b":{},"a":{"type":"integer"}}}"#
    );
    assert_eq!(client.call::<usize>("by_hand", json!({ "a": 1, "c": 2 })).await.expect("a number"), 2);
}

#[tokio::test]
async fn a_misspelt_name_is_told_what_was_meant() {
    let client = serve(plainwire::server!().tool(read).tool(report)).await;
    for (tool, arguments, expected) in [
        ("read", json!({ "txet": "7" }), "but found `txet`; did you mean `text`?"),
        ("raed", json!({ "text": "7" }), "but found \"raed\"; did you mean `read`?"),
    ] {
        let error = client.call::<i64>(tool, arguments).await.expect_err("a misspelt name").to_string();
        assert!(error.contains(expected), "{error}");
    }
    let error = client.call::<i64>("something", json!({})).await.expect_err("no such tool").to_string();
    assert!(!error.contains("did you mean"), "{error}");
}

#[cfg(feature = "pattern")]
mod patterns {
    use super::*;

    /// Returns the key of an issue.
    #[tool]
    async fn issue(#[pattern("^[A-Z]+-[0-9]+$")] key: String) -> String {
        key
    }

    #[tokio::test]
    async fn an_argument_has_to_fit_its_pattern() {
        let client = serve(plainwire::server!().tool(issue)).await;
        assert_eq!(client.call::<String>("issue", json!({ "key": "AB-1" })).await.expect("a key"), "AB-1");
        let error = client.call::<String>("issue", json!({ "key": "ab-1" })).await.expect_err("no key");
        assert!(
            error.to_string().contains("`arguments.key`") && error.to_string().contains("^[A-Z]+"),
            "{error}"
        );
    }
}
