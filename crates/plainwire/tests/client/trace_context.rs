//! The trace context that a client adds to its requests, and other `_meta` of a program.

use plainwire::client::TraceContext;
use plainwire::prelude::*;
use plainwire::{Client, testing};
use serde_json::{Value, json};

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

/// Returns a server whose tool returns the `_meta` of its request.
fn server() -> Server {
    Server::new("s").tool(Tool::new("meta", |ctx: Context| async move {
        let seen = ctx.trace_context().map(|trace| trace.traceparent().to_owned());
        let meta: Value = serde_json::from_str(ctx.meta().expect("a meta").get()).expect("JSON");
        json!([seen, meta])
    }))
}

#[tokio::test]
async fn each_request_carries_the_current_trace_of_the_program() {
    let trace = || TraceContext::new(PARENT).map(|it| it.with_tracestate("a=1").with_baggage("b=2"));
    testing::in_each_era(server, Client::builder().trace_context(trace), async |client| {
        let (seen, meta): (Option<String>, Value) = client.call("meta", json!({})).await?;
        assert_eq!(seen.as_deref(), Some(PARENT));
        assert_eq!((&meta["tracestate"], &meta["baggage"]), (&json!("a=1"), &json!("b=2")));
        Ok(())
    })
    .await
    .expect("a client");
}

#[tokio::test]
async fn a_request_keeps_the_meta_of_the_program_beside_that_of_the_client() {
    testing::in_each_era(
        server,
        Client::builder().trace_context(|| TraceContext::new(PARENT)),
        async |client| {
            let params = json!({
                "name": "meta",
                "_meta": {
                    "example.com/a": [1],
                    "traceparent": "of the program",
                    "progressToken": "mine",
                    "io.modelcontextprotocol/protocolVersion": "1999-01-01",
                },
            });
            let raw = client.request("tools/call", &params.to_string()).await?;
            let answer: Value = serde_json::from_str(raw.get()).expect("JSON");
            let (seen, meta) = (&answer["structuredContent"][0], &answer["structuredContent"][1]);
            let text: Value =
                serde_json::from_str(answer["content"][0]["text"].as_str().expect("text")).expect("JSON");
            let (seen, meta) = if seen.is_null() { (&text[0], &text[1]) } else { (seen, meta) };
            assert_eq!((seen, &meta["traceparent"]), (&json!(PARENT), &json!(PARENT)));
            assert_eq!(meta["example.com/a"], json!([1]));
            assert!(meta["progressToken"].is_u64(), "{meta}");
            Ok(())
        },
    )
    .await
    .expect("a client");
}
