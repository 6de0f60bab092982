//! Two replicas of a server with one store: a client may send each request to either of them.

use std::sync::atomic::Ordering;
use std::time::Duration;

use http::Method;
use http_body_util::Empty;
use plainwire::ServerHandle;
use plainwire::http::Http;
use plainwire::store::Memory;
use serde_json::json;
use tokio::time::sleep;

use super::support::service_client::{LEGACY, Web, call, request};
use super::support::{Seen, server};

/// Two replicas of a server, and a client of each. Both clients are in the session that began on the first
/// replica.
struct Replicas {
    first: Web,
    second: Web,
    /// The handle of the second replica's server.
    handle: ServerHandle,
    seen: Seen,
}

async fn replicas() -> Replicas {
    let (store, seen) = (Memory::default(), Seen::default());
    let mut other = server(&seen);
    let handle = other.handle();
    let mut one = server(&seen);
    one.handle();
    let first = Web::new(Http::new(one).store(store.clone())).session(LEGACY).await;
    let second = Web { service: Web::new(Http::new(other).store(store)).service, ..first.clone() };
    // After this, both replicas have subscribed to the change notifications of the store.
    sleep(Duration::from_millis(10)).await;
    Replicas { first, second, handle, seen }
}

#[tokio::test]
async fn an_answer_reaches_the_call_that_asked() {
    let Replicas { first, second, .. } = replicas().await;
    let mut stream = first.post(&call(1, "greet", json!({}))).await;
    stream.event().await.expect("the first event");
    let question = stream.event().await.expect("a question").json();
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept", "content": { "name": "Ada" } } });
    assert_eq!(second.post(&answer).await.status, 202);
    assert_eq!(
        stream.event().await.expect("the answer").json()["result"]["content"][0]["text"],
        "Hello, Ada!"
    );
}

#[tokio::test]
async fn a_cancellation_reaches_the_call() {
    let Replicas { first, second, seen, .. } = replicas().await;
    let waiting = call(1, "wait", json!({ "ms": 60_000 }));
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let cancelling = async {
        sleep(Duration::from_millis(20)).await;
        second.post(&cancel).await.status
    };
    let (answer, cancelled) = tokio::join!(first.post(&waiting), cancelling);
    assert_eq!((answer.status, cancelled), (200, 202));
    assert_eq!(answer.events().await, [], "a stream without an answer");
    sleep(Duration::from_millis(20)).await;
    assert_eq!(seen.dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_stream_goes_on_at_the_other_replica() {
    let Replicas { first, second, .. } = replicas().await;
    let mut stream = first.post(&call(1, "count", json!({ "to": 10, "pause_ms": 5 }))).await;
    let id = stream.event().await.expect("an event").id.expect("an id");
    drop(stream);
    let events = second.resume(&id).await.events().await;
    assert_eq!(events.len(), 11);
    assert_eq!(events[10].json()["result"]["content"][0]["text"], "counted to 10");
}

#[tokio::test]
async fn a_change_at_one_replica_is_heard_at_the_other() {
    let Replicas { first, second, handle, .. } = replicas().await;
    let mut stream = first.get().await;
    stream.event().await.expect("the first event");
    // The client subscribes at the second replica. The session's stream is open on the first.
    let subscribed = second.post(&request(1, "resources/subscribe", json!({ "uri": "a://1" }))).await;
    assert_eq!(subscribed.json().await["result"], json!({}));
    sleep(Duration::from_millis(20)).await;
    handle.notify_resource_updated("a://1");
    assert_eq!(stream.event().await.expect("an event").json()["params"]["uri"], "a://1");
}

#[tokio::test]
async fn a_session_that_is_ended_at_one_replica_ends_its_calls_at_the_other() {
    let Replicas { first, second, seen, .. } = replicas().await;
    let waiting = call(1, "wait", json!({ "ms": 60_000 }));
    let ending = async {
        sleep(Duration::from_millis(20)).await;
        second.send(Method::DELETE, Empty::new()).await.status
    };
    let (answer, ended) = tokio::join!(first.post(&waiting), ending);
    assert_eq!((answer.status, ended), (200, 204));
    sleep(Duration::from_millis(20)).await;
    assert_eq!(seen.dropped.load(Ordering::SeqCst), 1);
}
