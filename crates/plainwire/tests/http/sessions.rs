//! Sessions: `initialize` begins them, an id identifies them, and DELETE or a timeout ends them.

use std::time::Duration;

use http::Method;
use http_body_util::Empty;
use plainwire::http::Http;
use plainwire::store::Memory;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::support::service_client::{LEGACY, Web, call, request};
use super::support::{Seen, http, server, whoami};

async fn delete(web: &Web) -> u16 {
    web.send(Method::DELETE, Empty::new()).await.status
}

#[tokio::test]
async fn every_revision_with_a_handshake_has_sessions() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let web = Web::new(http()).session(version).await;
        let answer = web.post(&call(1, "echo", json!({ "text": version }))).await.json().await;
        assert_eq!(answer["result"]["content"][0]["text"], version);
    }
}

#[tokio::test]
async fn what_is_no_session_is_said_by_its_status() {
    let web = Web::new(http());
    let ping = request(1, "ping", json!({}));
    assert_eq!(web.post(&ping).await.status, 400, "no session");
    assert_eq!(web.with("mcp-session-id", "0".repeat(32)).post(&ping).await.status, 404, "a forged id");
    let session = web.session(LEGACY).await;
    assert_eq!(session.post(&ping).await.status, 200);
    assert_eq!(delete(&session).await, 204);
    assert_eq!(session.post(&ping).await.status, 404, "a session that has ended");
    assert_eq!(delete(&session).await, 404);
    assert_eq!(session.get().await.status, 404);
    assert_eq!(web.get().await.status, 405, "no session to listen to");
    assert_eq!(delete(&web).await, 405);
}

#[tokio::test]
async fn a_session_belongs_to_who_began_it() {
    let http = Http::new(server(&Seen::default()).tool(whoami))
        .bearer_token("ada", "a-token")
        .bearer_token("bob", "b-token");
    let web = Web::new(http);
    let initialize = request(0, "initialize", json!({}));
    assert_eq!(web.post(&initialize).await.status, 401);
    let ada = web.with("authorization", "Bearer a-token").session(LEGACY).await;
    let answer = ada.post(&call(1, "whoami", json!({}))).await.json().await;
    assert_eq!(answer["result"]["content"][0]["text"], "ada");
    let bob = ada.with("authorization", "Bearer b-token");
    assert_eq!(bob.post(&call(1, "whoami", json!({}))).await.status, 404, "somebody else's session");
    assert_eq!(bob.get().await.status, 404);
    assert_eq!(delete(&bob).await, 404);
    assert_eq!(
        ada.with("authorization", "").post(&call(1, "whoami", json!({}))).await.status,
        401,
        "each request"
    );
}

#[tokio::test(start_paused = true)]
async fn a_session_expires_in_which_nothing_goes_on() {
    let web = Web::new(http().session_idle(Duration::from_secs(60)));
    let (idle, busy) = (web.session(LEGACY).await, web.session(LEGACY).await);
    let message = call(1, "wait", json!({ "ms": 200_000 }));
    let waiting = busy.post_for(&message, Duration::from_secs(300));
    let looking = async {
        sleep(Duration::from_secs(150)).await;
        assert_eq!(idle.post(&request(1, "ping", json!({}))).await.status, 404);
        assert_eq!(busy.post(&request(2, "ping", json!({}))).await.status, 200, "a call was running");
    };
    let (waited, ()) = tokio::join!(waiting, looking);
    assert_eq!(waited.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_session_at_rest_is_left_to_the_store_and_comes_back_as_it_was() {
    let mut server = server(&Seen::default());
    let handle = server.handle();
    let web = Web::new(Http::new(server));
    let session = web.session(LEGACY).await;
    let subscribed = session.post(&request(1, "resources/subscribe", json!({ "uri": "a://1" }))).await;
    assert_eq!(subscribed.json().await["result"], json!({}));
    sleep(Duration::from_secs(60)).await;
    let mut stream = session.get().await;
    assert!(stream.event().await.expect("the first event").data.is_empty());
    handle.notify_resource_updated("a://1");
    assert_eq!(stream.event().await.expect("an event").json()["params"]["uri"], "a://1");
}

#[tokio::test]
async fn any_replica_with_the_same_store_serves_a_session() {
    let store = Memory::default();
    let (first, second) = (Web::new(http().store(store.clone())), Web::new(http().store(store)));
    let here = first.session(LEGACY).await;
    let there = Web { service: second.service, ..here.clone() };
    let answer = there.post(&call(1, "echo", json!({ "text": "there" }))).await.json().await;
    assert_eq!(answer["result"]["content"][0]["text"], "there");
    assert_eq!(delete(&there).await, 204);
    assert_eq!(here.post(&call(2, "echo", json!({ "text": "here" }))).await.status, 404);
}

#[tokio::test]
async fn who_waits_in_a_session_that_ends_is_told_by_the_id_of_the_request() {
    let web = Web::new(http()).session(LEGACY).await;
    let waiting = call(1, "wait", json!({ "ms": 60_000 }));
    // `join!` polls the call before the DELETE.
    let (ended, removed) = tokio::join!(web.post(&waiting), delete(&web));
    assert_eq!(removed, 204);
    // After a 404, a client would make the call again.
    let (status, answer) = (ended.status, ended.json().await);
    assert_eq!((status, &answer["id"], &answer["error"]["code"]), (200, &json!(1), &json!(-32603)));
}

#[tokio::test]
async fn a_session_too_many_is_refused() {
    let limits = plainwire::store::Limits { sessions: 1, ..Default::default() };
    let web = Web::new(http().store(Memory::new(limits)));
    web.session(LEGACY).await;
    let params = json!({ "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    let refused = web.post(&request(5, "initialize", params)).await;
    assert_eq!(refused.status, 503);
    let refused = refused.json().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(5), &json!(-32603)));
    assert!(refused["error"]["message"].as_str().expect("words").contains("limit `sessions`"));
}

#[tokio::test]
async fn only_2025_03_26_has_batches() {
    let web = Web::new(http());
    let batch = json!([call(1, "echo", json!({ "text": "a" })), request(2, "ping", json!({})), { "jsonrpc": "2.0", "method": "notifications/x" }]);
    let session = web.session("2025-03-26").await;
    let answers = session.post(&batch).await.json().await;
    let mut ids: Vec<_> = answers.as_array().expect("a batch").iter().map(|it| it["id"].as_i64()).collect();
    ids.sort();
    assert_eq!(ids, [Some(1), Some(2)]);
    // The answer to a batch is a stream if one of its calls is slow and reports progress.
    let slow =
        json!([call(3, "count", json!({ "to": 2, "pause_ms": 5 })), call(4, "echo", json!({ "text": "b" }))]);
    let events = session.post(&slow).await.events().await;
    assert_eq!(events.len(), 3, "{events:?}");
    assert_eq!(events[2].json().as_array().map(Vec::len), Some(2));
    assert_eq!(web.session(LEGACY).await.post(&batch).await.status, 400);
    assert_eq!(web.post(&batch).await.status, 400);
}

#[tokio::test]
async fn a_batch_is_answered_although_one_of_its_calls_was_cancelled() {
    let session = Web::new(http()).session("2025-03-26").await;
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let batch = json!([
        call(1, "wait", json!({ "ms": 60_000 })),
        call(2, "count", json!({ "to": 3, "pause_ms": 20 }))
    ]);
    let cancelling = async {
        sleep(Duration::from_millis(10)).await;
        session.post(&cancel).await.status
    };
    let (answer, cancelled) = tokio::join!(session.post(&batch), cancelling);
    assert_eq!(cancelled, 202);
    let events = answer.events().await;
    let answers = events.last().expect("events").json();
    assert_eq!((answers.as_array().map(Vec::len), &answers[0]["id"]), (Some(1), &json!(2)));
    // If all calls of a batch are cancelled, the batch gets no answer.
    let both = json!([call(1, "wait", json!({ "ms": 60_000 })), cancel]);
    assert_eq!(session.post(&both).await.events().await, []);
}

#[tokio::test(start_paused = true)]
async fn a_batch_of_calls_that_all_end_at_the_same_time_is_answered() {
    let session = Web::new(http()).session("2025-03-26").await;
    let batch: Vec<_> = (1..=500).map(|id| call(id, "wait", json!({ "ms": 300 }))).collect();
    let answer = timeout(Duration::from_secs(60), session.post(&json!(batch))).await.expect("an answer");
    assert_eq!(answer.json().await.as_array().map(Vec::len), Some(500));
}

#[tokio::test]
async fn a_batch_that_ends_at_once_says_all_that_it_has_to_say() {
    let say = plainwire::Tool::new("say", |ctx: plainwire::Context| async move {
        ctx.progress(1.0, None, None);
        "said"
    });
    let web = Web::new(Http::new(server(&Seen::default()).tool(say))).session("2025-03-26").await;
    let batch = json!([call(1, "say", json!({})), request(2, "ping", json!({}))]);
    for _ in 0..2 {
        let events = web.post(&batch).await.events().await;
        assert_eq!(events.len(), 2, "{events:?}");
        assert_eq!(events[0].json()["params"]["progress"], 1);
        assert_eq!(events[1].json().as_array().map(Vec::len), Some(2));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_keeps_its_session_only_while_it_is_read() {
    let web = Web::new(http().session_idle(Duration::from_secs(60)));
    let (read, left) = (web.session(LEGACY).await, web.session(LEGACY).await);
    let _stream = read.get().await;
    drop(left.get().await);
    sleep(Duration::from_secs(200)).await;
    assert_eq!(read.post(&request(1, "ping", json!({}))).await.status, 200);
    assert_eq!(left.post(&request(1, "ping", json!({}))).await.status, 404);
}
