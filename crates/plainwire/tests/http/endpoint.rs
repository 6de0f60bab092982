//! The endpoint: the options of its builder, the identity of callers, and the text of refusals.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use plainwire::http::{Http, RemoteAddr};
use plainwire::prelude::*;
use plainwire::proto::peer::Limits;
use plainwire::store::Memory;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::support::service_client::{LEGACY, PATIENCE, Web, call, request};
use super::support::{Seen, http, server, whoami};

fn refused(http: Http) -> String {
    http.into_service().expect_err("a mistake").to_string()
}

#[tokio::test]
async fn a_token_that_proves_nothing_is_a_mistake_in_the_declaration() {
    assert!(refused(http().bearer_token("ada", "")).contains("but found none"));
    assert!(refused(http().bearer_token("", "s3cret")).contains("to have a name"));
    let twice = refused(http().bearer_token("ada", "s3cret").bearer_token("bob", "s3cret"));
    assert!(twice.contains("that of \"ada\" again, for \"bob\"") && twice.contains("endpoint.rs"), "{twice}");
    assert!(!twice.contains("s3cret"), "{twice}");
    assert!(!format!("{:?}", http().bearer_token("ada", "s3cret")).contains("s3cret"));
}

#[tokio::test]
async fn what_can_never_work_is_a_mistake_in_the_declaration() {
    for wrong in [
        http().allow_host("localhost:7805"),
        http().allow_origin("https://app.example/"),
        http().session_idle(Duration::ZERO),
        http().sessions_per_caller(0),
        http().body_timeout(Duration::ZERO),
    ] {
        let text = refused(wrong);
        assert!(text.starts_with("expected ") && text.contains("endpoint.rs"), "{text}");
    }
    // The error is about the first mistake, and comes before the server binds an address.
    for wrong in [
        http().path("mcp"),
        http().path("/healthz"),
        http().max_connections(0),
        http().head_timeout(Duration::ZERO),
        http().keep_alive_timeout(Duration::ZERO),
    ] {
        let text = wrong.allow_host("a/b").serve("no address").await.expect_err("a mistake").to_string();
        assert!(
            text.starts_with("expected ") && !text.contains("a/b") && text.contains("endpoint.rs"),
            "{text}"
        );
    }
    let taken = Http::new(Server::new("")).serve("no address").await.expect_err("a mistake");
    assert!(taken.to_string().contains("to have a name"), "{taken}");
}

#[tokio::test]
async fn a_service_takes_nothing_that_only_a_listener_has() {
    for (what, http) in [
        ("path", http().path("/a")),
        ("max_connections", http().max_connections(1)),
        ("head_timeout", http().head_timeout(PATIENCE)),
        ("keep_alive_timeout", http().keep_alive_timeout(PATIENCE)),
        #[cfg(feature = "tls")]
        ("tls", http().tls("a.pem", "a.key")),
    ] {
        assert!(refused(http).contains(&format!("expected `{what}` beside `serve`")), "{what}");
    }
}

#[test]
fn a_store_outside_of_a_runtime_is_a_mistake_and_no_panic() {
    assert!(refused(http().store(Memory::default())).contains("expected a runtime of tokio"));
    assert!(http().into_service().is_ok());
}

#[tokio::test]
async fn who_calls_is_said_by_the_application_unless_tokens_say_it() {
    let with_whoami = || Http::new(server(&Seen::default()).tool(whoami));
    let bob = || Principal { name: "bob".to_owned() };
    let web = Web::new(with_whoami());
    let mut head = web
        .with("mcp-protocol-version", super::support::service_client::MODERN)
        .with("mcp-method", "tools/call");
    head = head.with("mcp-name", "whoami");
    let ask = |web: Web, principal: Option<Principal>| async move {
        let mut message = call(1, "whoami", json!({}));
        message["params"]["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": super::support::service_client::MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let mut request = Request::post("/mcp");
        for (name, value) in &web.headers {
            request = request.header(*name, value);
        }
        let mut request = request.body(Full::new(Bytes::from(message.to_string()))).expect("a request");
        if let Some(principal) = principal {
            request.extensions_mut().insert(principal);
        }
        let response = timeout(PATIENCE, web.service.handle(request)).await.expect("in time");
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        let answer: Value = serde_json::from_slice(&bytes).expect("JSON");
        (status, answer["result"]["content"][0]["text"].as_str().map(ToOwned::to_owned))
    };
    assert_eq!(ask(head.clone(), Some(bob())).await, (200, Some("bob".to_owned())));
    let tokens = Web::new(with_whoami().bearer_token("ada", "s3cret"));
    let tokens = Web { headers: head.headers.clone(), ..tokens };
    assert_eq!(ask(tokens.clone(), Some(bob())).await.0, 401);
    let ada = tokens.with("authorization", "Bearer s3cret");
    assert_eq!(ask(ada, Some(bob())).await, (200, Some("ada".to_owned())));
}

#[tokio::test]
async fn callers_are_told_apart_by_the_address_that_the_application_names() {
    let limits = Limits { in_flight: 1, ..Limits::default() };
    let web = Web::new(Http::new(server(&Seen::default()).limits(limits)));
    let session = web.session(LEGACY).await;
    let from = |last: u8| {
        let session = session.clone();
        async move {
            let body = call(i64::from(last), "wait", json!({ "ms": 200 })).to_string();
            let mut request = Request::post("/mcp");
            for (name, value) in &session.headers {
                request = request.header(*name, value);
            }
            let mut request = request.body(Full::new(Bytes::from(body))).expect("a request");
            request.extensions_mut().insert(RemoteAddr(IpAddr::V4(Ipv4Addr::new(192, 0, 2, last))));
            timeout(PATIENCE, session.service.handle(request)).await.expect("in time").status().as_u16()
        }
    };
    let both = tokio::join!(from(1), from(2));
    assert_eq!(both, (200, 200));
}

#[tokio::test]
async fn cancellations_pass_when_all_places_are_taken_and_a_refusal_names_its_request() {
    let limits = Limits { in_flight: 1, ..Limits::default() };
    let web = Web::new(Http::new(server(&Seen::default()).limits(limits))).session(LEGACY).await;
    let call = call(1, "wait", json!({ "ms": 60_000 }));
    let (waiting, others) = tokio::join!(web.post(&call), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let refused = web.post(&request(2, "ping", json!({}))).await;
        let params = json!({ "requestId": 1 });
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        (refused, web.post(&cancel).await.status)
    });
    assert_eq!((waiting.status, others.1), (200, 202));
    assert_eq!(others.0.status, 429);
    let refused = others.0.json().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(2), &json!(-32603)));
    assert_eq!(web.post(&request(3, "ping", json!({}))).await.status, 200);
}

#[tokio::test]
async fn an_answer_passes_when_all_places_are_taken() {
    let limits = Limits { in_flight: 1, ..Limits::default() };
    let web = Web::new(Http::new(server(&Seen::default()).limits(limits))).session(LEGACY).await;
    let result = json!({ "action": "accept", "content": { "name": "Ada" } });
    let error = json!({ "code": -1, "message": "nobody is here" });
    for (kind, said, is_error) in [("result", result, Value::Null), ("error", error, json!(true))] {
        let mut asking = web.post(&call(1, "greet", json!({}))).await;
        assert!(asking.event().await.expect("an event").data.is_empty());
        let question = asking.event().await.expect("a question").json();
        assert_eq!(web.post(&request(2, "ping", json!({}))).await.status, 429);
        let mut answer = json!({ "jsonrpc": "2.0", "id": question["id"] });
        answer[kind] = said;
        assert_eq!(web.post(&answer).await.status, 202, "{kind}");
        let greeting = asking.event().await.expect("the answer").json();
        assert_eq!(greeting["result"].get("isError").unwrap_or(&Value::Null), &is_error, "{greeting}");
    }
}

#[tokio::test]
async fn a_request_of_a_session_that_is_none_is_refused_by_its_id() {
    let web = Web::new(http()).with("mcp-session-id", "nope");
    let refused = web.post(&request(7, "ping", json!({}))).await;
    assert_eq!(refused.status, 404);
    let refused = refused.json().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32600)));
}

#[tokio::test]
async fn get_and_delete_without_a_session_say_what_is_missing() {
    let web = Web::new(http());
    for method in [Method::GET, Method::DELETE] {
        let modern = web.send(method.clone(), Full::default()).await;
        assert_eq!((modern.status, modern.header("allow")), (405, Some("DELETE, GET, OPTIONS, POST")));
        let message = modern.json().await["error"]["message"].to_string();
        assert!(message.contains(&format!("but found {method} without it")), "{message}");
        let legacy = web.with("mcp-protocol-version", LEGACY).send(method, Full::default()).await;
        assert_eq!(legacy.status, 400);
        assert_eq!(legacy.json().await["error"]["message"], "expected `mcp-session-id`, but found nothing");
    }
}

#[tokio::test]
async fn a_body_in_a_coding_is_refused_as_such() {
    let web = Web::new(http());
    let ping = request(1, "ping", json!({}));
    let refused = web.with("content-encoding", "gzip").post(&ping).await;
    assert_eq!(refused.status, 415);
    let message = &refused.json().await["error"]["message"];
    assert_eq!(message, "expected no `content-encoding`, but found \"gzip\"");
    assert_eq!(web.with("content-encoding", "identity").post(&ping).await.status, 400, "read as JSON");
    let message = web.with("content-type", "").post(&ping).await.json().await;
    let message = &message["error"]["message"];
    assert_eq!(message, "expected `content-type: application/json`, but found nothing");
}

#[tokio::test]
async fn a_mounted_service_ends_its_streams_when_it_is_told() {
    let web = Web::new(http()).session(LEGACY).await;
    let mut stream = web.get().await;
    assert_eq!(stream.status, 200);
    web.service.shutdown();
    while stream.event().await.is_some() {}
    let mut late = web.get().await;
    while late.event().await.is_some() {}
    assert_eq!(web.post(&request(1, "ping", json!({}))).await.status, 200, "requests are answered");
}
