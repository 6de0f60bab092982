//! Limits for one caller: requests in flight, which include calls whose client has disconnected, and
//! sessions. Also the lifetime of sessions, and the end of calls when the server is dropped.

use std::time::Duration;

use plainwire::http::Http;
use plainwire::proto::peer::Limits;
use plainwire::store::{self, Memory};
use serde_json::json;
use tokio::time::sleep;

use super::refusals::collect;
use super::support::service_client::{LEGACY, Web, call, request};
use super::support::socket_client::{Running, post, until};
use super::support::{Seen, http, server};

fn initialize() -> serde_json::Value {
    let info = json!({ "name": "c", "version": "1" });
    request(0, "initialize", json!({ "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": info }))
}

/// Sends a call of the tool `wait`, and drops the request before the answer, like a client that disconnects.
async fn leave(web: &Web, id: i64, ms: u64) {
    let message = call(id, "wait", json!({ "ms": ms }));
    let left = tokio::time::timeout(Duration::from_millis(5), web.post(&message)).await;
    assert!(left.is_err(), "it was answered");
}

#[tokio::test]
async fn a_call_whose_client_hung_up_keeps_its_place_until_it_ends() {
    let limits = Limits { in_flight: 3, ..Limits::default() };
    let web = Web::new(Http::new(server(&Seen::default()).limits(limits)));
    let (first, second) = (web.session(LEGACY).await, web.session(LEGACY).await);
    leave(&first, 1, 100).await;
    leave(&first, 2, 60_000).await;
    leave(&second, 1, 60_000).await;
    let echo = call(9, "echo", json!({ "text": "a" }));
    assert_eq!(second.post(&echo).await.status, 429, "another session is no way out");
    assert_eq!(web.ask(9, "tools/list", json!({})).await.status, 429, "and no other revision");
    sleep(Duration::from_millis(150)).await;
    assert_eq!(second.post(&echo).await.status, 200, "one of them has ended");
    leave(&second, 2, 60_000).await;
    assert_eq!(second.post(&echo).await.status, 429);
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } });
    assert_eq!(first.post(&cancel).await.status, 202);
    sleep(Duration::from_millis(20)).await;
    assert_eq!(second.post(&echo).await.status, 200, "one of them was cancelled");
}

#[tokio::test]
async fn a_batch_takes_a_place_for_each_of_its_messages() {
    let limits = Limits { in_flight: 10, ..Limits::default() };
    let web = Web::new(Http::new(server(&Seen::default()).limits(limits))).session("2025-03-26").await;
    let batch = |first: i64, count: i64, ms: u64| {
        json!((first..first + count).map(|id| call(id, "wait", json!({ "ms": ms }))).collect::<Vec<_>>())
    };
    let left = tokio::time::timeout(Duration::from_millis(20), web.post(&batch(1, 8, 200))).await;
    assert!(left.is_err(), "it was answered");
    let refused = web.post(&batch(11, 3, 1)).await;
    assert_eq!(refused.status, 429);
    let message = refused.json().await["error"]["message"].to_string();
    assert!(
        message.contains("at most 10 requests at a time (limit `in_flight`), but found a batch of 3 more")
    );
    assert_eq!(web.post(&batch(11, 2, 1)).await.status, 200);
    sleep(Duration::from_millis(300)).await;
    assert_eq!(web.post(&batch(11, 10, 1)).await.status, 200, "the first batch has ended");
}

#[tokio::test]
async fn a_stream_whose_call_is_over_gives_its_place_back_when_it_is_read() {
    let limits = Limits { in_flight: 1, ..Limits::default() };
    let web = Web::new(Http::new(server(&Seen::default()).limits(limits))).session(LEGACY).await;
    for id in 1..5 {
        let events = web.post(&call(id, "count", json!({ "to": 2, "pause_ms": 1 }))).await.events().await;
        assert_eq!(events.len(), 4);
    }
}

#[tokio::test]
async fn a_caller_has_so_many_sessions_and_others_have_theirs() {
    let http = http().sessions_per_caller(2).bearer_token("ada", "a-token").bearer_token("bob", "b-token");
    let web = Web::new(http);
    let (ada, bob) =
        (web.with("authorization", "Bearer a-token"), web.with("authorization", "Bearer b-token"));
    let first = ada.session(LEGACY).await;
    ada.session(LEGACY).await;
    let refused = ada.post(&initialize()).await;
    assert_eq!(refused.status, 429);
    let refused = refused.json().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(0), &json!(-32603)));
    assert!(refused["error"]["message"].as_str().expect("words").contains("limit `sessions_per_caller`"));
    bob.session(LEGACY).await;
    let removed = first.send(http::Method::DELETE, http_body_util::Empty::new()).await;
    assert_eq!(removed.status, 204);
    ada.session(LEGACY).await;
    assert_eq!(ada.post(&initialize()).await.status, 429);
}

#[tokio::test]
async fn the_caller_with_the_most_sessions_makes_room_when_the_store_is_full() {
    let (log, _guard) = collect();
    let store = Memory::new(store::Limits { sessions: 4, ..store::Limits::default() });
    let web = Web::new(http().store(store).bearer_token("ada", "a-token").bearer_token("bob", "b-token"));
    let (ada, bob) =
        (web.with("authorization", "Bearer a-token"), web.with("authorization", "Bearer b-token"));
    let ping = request(1, "ping", json!({}));
    let mut of_ada = Vec::new();
    for _ in 0..4 {
        of_ada.push(ada.session(LEGACY).await);
    }
    assert_eq!(ada.post(&initialize()).await.status, 503, "not at her own cost");
    let of_bob = bob.session(LEGACY).await;
    assert_eq!(bob.post(&initialize()).await.status, 200);
    assert_eq!(of_bob.post(&ping).await.status, 200);
    assert_eq!(bob.post(&initialize()).await.status, 503, "they have as many");
    let mut left = Vec::new();
    for session in &of_ada {
        left.push(session.post(&ping).await.status == 200);
    }
    assert_eq!(left, [false, false, true, true]);
    // Two sessions had to end, and one line says so.
    let lines = log.lines();
    let made_room = lines.iter().filter(|line| line.starts_with("the store is full: ")).collect::<Vec<_>>();
    assert_eq!(made_room.len(), 1, "{lines:?}");
    assert!(made_room[0].contains("loses one to bob ("), "{lines:?}");
}

#[tokio::test]
async fn an_initialize_that_failed_is_no_session() {
    let web = Web::new(http().sessions_per_caller(1));
    for _ in 0..3 {
        web.post(&request(0, "initialize", json!({ "protocolVersion": 5 }))).await;
    }
    web.session(LEGACY).await;
}

#[tokio::test(start_paused = true)]
async fn sessions_that_nobody_went_on_with_make_room_after_a_minute_and_others_stay() {
    let web = Web::new(http().sessions_per_caller(2));
    let kept = web.session(LEGACY).await;
    assert_eq!(web.post(&initialize()).await.status, 200);
    sleep(Duration::from_secs(50)).await;
    assert_eq!(web.post(&initialize()).await.status, 429);
    sleep(Duration::from_secs(20)).await;
    assert_eq!(web.post(&initialize()).await.status, 200);
    sleep(Duration::from_secs(600)).await;
    assert_eq!(kept.post(&request(1, "ping", json!({}))).await.status, 200);
}

#[tokio::test]
async fn sessions_may_live_for_ever() {
    let web = Web::new(http().session_idle(Duration::MAX)).session(LEGACY).await;
    assert_eq!(web.post(&request(1, "ping", json!({}))).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn short_sessions_are_kept_while_a_call_runs() {
    let web = Web::new(http().session_idle(Duration::from_secs(1))).session(LEGACY).await;
    let message = call(1, "wait", json!({ "ms": 20_000 }));
    assert_eq!(web.post_for(&message, Duration::from_secs(60)).await.status, 200);
}

#[tokio::test]
async fn calls_of_sessions_end_with_a_server_that_is_dropped() {
    let running = Running::new(|http| http).await;
    let session = running.session().await;
    let (mut left, mut waiting) = (running.connect().await, running.connect().await);
    let long = |id| post(&session, &call(id, "wait", json!({ "ms": 60_000 })));
    left.send(&long(1)).await;
    waiting.send(&long(2)).await;
    until("both run", || running.running() == 2).await;
    drop(left);
    let seen = running.seen.clone();
    drop(running);
    until("neither runs", || seen.dropped.load(std::sync::atomic::Ordering::SeqCst) == 2).await;
}

#[tokio::test]
async fn calls_and_streams_of_sessions_end_with_a_service_that_is_dropped() {
    let seen = Seen::default();
    let web = Web::new(Http::new(server(&seen))).session(LEGACY).await;
    leave(&web, 1, 60_000).await;
    let mut stream = web.get().await;
    stream.event().await.expect("the first event");
    // The call still runs, because its session exists.
    assert_eq!(seen.running.load(std::sync::atomic::Ordering::SeqCst), 1);
    drop(web);
    assert_eq!(stream.event().await, None);
    until("it was dropped", || seen.dropped.load(std::sync::atomic::Ordering::SeqCst) == 1).await;
}

#[test]
fn a_service_may_be_dropped_where_no_runtime_is() {
    let seen = Seen::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let web = runtime.block_on(async {
        let web = Web::new(Http::new(server(&seen))).session(LEGACY).await;
        leave(&web, 1, 60_000).await;
        web
    });
    drop(web);
    drop(runtime);
    assert_eq!(seen.dropped.load(std::sync::atomic::Ordering::SeqCst), 1);
}
