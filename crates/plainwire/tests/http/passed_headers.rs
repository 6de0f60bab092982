//! HTTP headers that the operator of a server lets handlers read.

use plainwire::http::Http;
use plainwire::{Context, Tool};
use serde_json::{Value, json};

use super::support::service_client::Web;
use super::support::{Seen, http, server};

/// Returns the headers that the handler of a call reads, as JSON.
async fn headers_read(web: &Web) -> Value {
    let answer = web.ask(1, "tools/call", json!({ "name": "headers", "arguments": {} })).await;
    let answer = answer.json().await;
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    serde_json::from_str(text).expect("JSON")
}

#[tokio::test]
async fn a_handler_reads_the_headers_that_the_operator_allows_and_no_other() {
    let headers = Tool::new("headers", |ctx: Context| async move {
        let names = ["x-tenant", "X-TENANT", "x-trace", "x-other", "host"];
        names.map(|name| ctx.header(name).map(ToOwned::to_owned)).to_vec()
    });
    let server = || server(&Seen::default()).tool(headers.clone());
    let web = || Web::new(Http::new(server()).pass_header("X-Tenant").pass_header("x-trace"));
    let sent = |web: Web| web.with("x-tenant", "moss, fern").with("x-other", "secret");
    let expected = json!(["moss, fern", "moss, fern", null, null, null]);
    assert_eq!(headers_read(&sent(web())).await, expected);
    let session = web().session("2025-11-25").await;
    assert_eq!(headers_read(&sent(session.at("/mcp"))).await, expected);
    assert_eq!(
        headers_read(&session).await,
        json!([null, null, null, null, null]),
        "not of an earlier request"
    );
    assert_eq!(
        headers_read(&sent(Web::new(Http::new(server())))).await,
        json!([null, null, null, null, null])
    );
}

#[tokio::test]
async fn a_header_with_a_secret_is_not_passed() {
    for (name, why) in [
        ("Authorization", "expected a header without secrets, but found `authorization`"),
        ("mcp-session-id", "expected a header without secrets, but found `mcp-session-id`"),
        ("cookie", "expected a header without secrets, but found `cookie`"),
        ("a b", "expected the name of a header, as in `x-tenant`, but found \"a b\""),
    ] {
        let error = http().pass_header(name).into_service().expect_err("a mistake").to_string();
        assert!(error.contains(why), "{error}");
    }
}
