//! Tools that the URL of a request chooses.

use plainwire::Tool;
use plainwire::http::Http;
use serde_json::{Value, json};

use super::support::service_client::{LEGACY, Web, call, request};
use super::support::{Seen, server};

/// Chooses the tools that a query names, as in `echo,count`; `no` is refused.
fn named(query: &str) -> Result<Option<impl Fn(&str) -> bool + use<>>, String> {
    if query == "no" {
        return Err("expected names of tools".to_owned());
    }
    let names: Vec<String> = query.split(',').map(ToOwned::to_owned).collect();
    Ok((!query.is_empty()).then_some(move |name: &str| names.iter().any(|it| it == name)))
}

fn web() -> Web {
    Web::new(Http::new(server(&Seen::default())).http_sse().tools_by_query(named))
}

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().filter_map(|it| it["name"].as_str()).collect()
}

const ALL: [&str; 5] = ["echo", "count", "wait", "greet", "leave"];

#[tokio::test]
async fn a_url_lists_and_calls_the_tools_that_it_chooses() {
    let web = web();
    for (uri, expected) in [("/mcp", &ALL[..]), ("/mcp?count,echo", &["echo", "count"]), ("/mcp?x", &[])] {
        let list = web.at(uri).ask(1, "tools/list", json!({})).await.json().await;
        assert_eq!(names(&list), expected, "{uri}");
    }
    let echo = json!({ "name": "echo", "arguments": { "text": "hi" } });
    let answer = web.at("/mcp?echo").ask(1, "tools/call", echo.clone()).await.json().await;
    assert_eq!(answer["result"]["content"][0]["text"], "hi");
    let answer = web.at("/mcp?count").ask(1, "tools/call", echo).await.json().await;
    let why = answer["error"]["message"].as_str().expect("an error");
    assert!(why.contains("expected `name` to be a tool of this server, but found \"echo\""), "{why}");
}

#[tokio::test]
async fn each_request_of_a_session_has_the_tools_of_its_url() {
    let session = web().at("/mcp?count").session(LEGACY).await;
    let list = session.post(&request(1, "tools/list", json!({}))).await.json().await;
    assert_eq!(names(&list), ["count"]);
    let answer = session.post(&call(2, "echo", json!({ "text": "hi" }))).await.json().await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let list = session.at("/mcp").post(&request(3, "tools/list", json!({}))).await.json().await;
    assert_eq!(names(&list), ALL);
}

#[tokio::test]
async fn a_stream_of_http_sse_has_the_tools_of_the_url_that_opened_it() {
    let web = web();
    let mut stream = web.at("/sse?count").get().await;
    let endpoint = stream.event().await.expect("the first event").data;
    let client = web.at(endpoint);
    let params = json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    for message in [
        request(0, "initialize", params),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        request(1, "tools/list", json!({})),
    ] {
        assert_eq!(client.post(&message).await.status, 202);
    }
    stream.event().await.expect("the answer of initialize");
    assert_eq!(names(&stream.event().await.expect("the list").json()), ["count"]);
    assert_eq!(web.at("/sse?no").get().await.status, 400);
}

#[tokio::test]
async fn a_query_that_can_not_be_used_is_refused() {
    let answer = web().at("/mcp?no").ask(1, "tools/list", json!({})).await;
    assert_eq!(answer.status, 400);
    let why = answer.json().await["error"]["message"].clone();
    assert_eq!(why, "query \"no\": expected names of tools");
}

#[tokio::test]
async fn a_choice_that_panics_is_answered_and_offers_nothing() {
    let choose = |query: &str| {
        assert_ne!(query, "all", "a mistake of the server");
        Ok(Some(|name: &str| if name == "count" { panic!("a mistake of the server") } else { true }))
    };
    let web = Web::new(Http::new(server(&Seen::default())).tools_by_query(choose));
    for _ in 0..2 {
        let answer = web.at("/mcp?all").ask(1, "tools/list", json!({})).await;
        assert_eq!(answer.status, 500);
        assert_eq!(answer.json().await["error"]["code"], -32603);
        let list = web.at("/mcp").ask(1, "tools/list", json!({})).await.json().await;
        assert_eq!(names(&list), ["echo", "wait", "greet", "leave"]);
    }
}

#[tokio::test]
async fn tools_that_are_added_later_are_offered_where_the_url_chooses_them() {
    let mut server = server(&Seen::default());
    let handle = server.handle();
    let web = Web::new(Http::new(server).tools_by_query(named));
    let list = async |uri: &str| web.at(uri).ask(1, "tools/list", json!({})).await.json().await;
    assert_eq!(names(&list("/mcp?echo,late").await), ["echo"]);
    handle.add_tool(Tool::new("late", || async { "late" })).expect("a legal tool");
    assert_eq!(names(&list("/mcp?echo,late").await), ["echo", "late"]);
}

#[tokio::test]
async fn a_cursor_of_one_url_is_refused_at_another() {
    let server = server(&Seen::default()).page_size(1);
    let web = Web::new(Http::new(server).tools_by_query(named));
    let first = web.at("/mcp?echo,count").ask(1, "tools/list", json!({})).await.json().await;
    assert_eq!(names(&first), ["echo"]);
    let cursor = json!({ "cursor": first["result"]["nextCursor"] });
    let second = web.at("/mcp?echo,count").ask(1, "tools/list", cursor.clone()).await.json().await;
    assert_eq!(names(&second), ["count"]);
    for other in ["/mcp", "/mcp?echo,wait"] {
        let refused = web.at(other).ask(1, "tools/list", cursor.clone()).await.json().await;
        assert_eq!(refused["error"]["code"], -32602, "{other}: {refused}");
    }
}
