//! Clients that disconnect: modern requests are cancelled, and requests in sessions run on.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use super::support::service_client::call;
use super::support::socket_client::{Running, fastest, modern, post, until};

/// The time within which the server drops the handler of a client that has disconnected.
const SOON: Duration = Duration::from_millis(100);

#[tokio::test]
async fn closing_the_connection_cancels_before_anything_was_answered() {
    let took = fastest(async || {
        let running = Running::new(|http| http).await;
        let mut wire = running.connect().await;
        wire.send(&modern(1, "wait", json!({ "ms": 60_000 }))).await;
        until("it runs", || running.running() == 1).await;
        drop(wire);
        until("it was dropped", || running.dropped() == 1).await
    });
    assert!(took.await < SOON);
}

#[tokio::test]
async fn closing_the_connection_cancels_in_the_middle_of_a_stream() {
    let took = fastest(async || {
        let running = Running::new(|http| http).await;
        let mut wire = running.connect().await;
        wire.send(&modern(1, "tick", json!({}))).await;
        wire.up_to("\"progress\":3").await;
        drop(wire);
        until("it was dropped", || running.dropped() == 1).await
    });
    assert!(took.await < SOON);
}

#[tokio::test]
async fn a_request_that_waits_behind_another_one_goes_with_it() {
    let running = Running::new(|http| http).await;
    let mut wire = running.connect().await;
    let first = modern(1, "wait", json!({ "ms": 200 }));
    wire.send(&format!("{first}{}", modern(2, "wait", json!({ "ms": 60_000 })))).await;
    until("it runs", || running.running() == 1).await;
    drop(wire);
    // The server does not see the end of the connection while the second request is buffered. So the second
    // request starts after the first one, and is dropped soon.
    sleep(Duration::from_millis(300)).await;
    until("neither runs", || running.running() == 0).await;
}

#[tokio::test]
async fn closing_the_connection_cancels_nothing_in_a_session() {
    let running = Running::new(|http| http).await;
    let session = running.session().await;
    let mut waiting = running.connect().await;
    waiting.send(&post(&session, &call(1, "wait", json!({ "ms": 1_500 })))).await;
    let mut ticking = running.connect().await;
    ticking.send(&post(&session, &call(2, "tick", json!({})))).await;
    ticking.up_to("\"progress\":3").await;
    until("both run", || running.running() == 2).await;
    drop((waiting, ticking));
    sleep(Duration::from_millis(200)).await;
    assert_eq!((running.running(), running.dropped()), (2, 0));
    until("the first one has ended", || running.running() == 1).await;
    assert_eq!(running.dropped(), 0);
}
