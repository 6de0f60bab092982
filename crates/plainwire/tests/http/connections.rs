//! Limits of connections: their number, and the time that they stay open.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use super::support::socket_client::{Running, modern, until};

const SHORT: Duration = Duration::from_millis(200);
const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_connection_that_never_asks_is_closed() {
    let running = Running::new(|http| http.head_timeout(SHORT).keep_alive_timeout(LONG)).await;
    let so_far =
        ["", "P", "PRI * HTTP/2.0\r\n", "GET /healthz HTTP/1.1\r\n", "GET /healthz HTTP/1.1\r\nhost: a\r\n"];
    for said in so_far {
        let mut wire = running.connect().await;
        wire.send(said).await;
        assert!(!wire.is_closed_within(SHORT / 2).await, "{said:?}");
        assert!(wire.is_closed_within(SHORT * 3).await, "{said:?}");
    }
}

#[tokio::test]
async fn a_connection_that_dribbles_a_head_is_closed_all_the_same() {
    let running = Running::new(|http| http.head_timeout(SHORT).keep_alive_timeout(LONG)).await;
    let mut wire = running.connect().await;
    wire.send("GET /healthz HTTP/1.1\r\n").await;
    for n in 0..40 {
        wire.send(&format!("x-{n}: 1\r\n")).await;
        if wire.is_closed_within(SHORT / 10).await {
            assert!(n > 5, "closed too early");
            return;
        }
    }
    panic!("still open");
}

#[tokio::test]
async fn a_connection_is_kept_between_requests_and_then_closed() {
    let running = Running::new(|http| http.head_timeout(SHORT).keep_alive_timeout(SHORT * 2)).await;
    let mut wire = running.connect().await;
    for _ in 0..3 {
        assert_eq!(wire.get("/healthz").await.status, 200);
        assert!(!wire.is_closed_within(SHORT).await);
    }
    assert!(wire.is_closed_within(SHORT * 4).await);
    // A connection on which a next request is begun but not completed is closed as early as an idle
    // connection.
    let mut wire = running.connect().await;
    assert_eq!(wire.get("/healthz").await.status, 200);
    wire.send("GET /healthz HTTP/1.1\r\n").await;
    assert!(wire.is_closed_within(SHORT * 4).await);
}

#[tokio::test]
async fn a_connection_on_which_something_runs_is_not_idle() {
    let running = Running::new(|http| http.head_timeout(SHORT).keep_alive_timeout(SHORT)).await;
    let mut wire = running.connect().await;
    wire.send(&modern(1, "wait", json!({ "ms": 1_000 }))).await;
    assert_eq!(wire.answer().await.text(), "waited");
    let mut wire = running.connect().await;
    wire.send(&modern(1, "count", json!({ "to": 3, "pause_ms": 300 }))).await;
    wire.up_to("counted to 3").await;
}

#[tokio::test]
async fn who_comes_when_all_places_are_taken_waits_for_one() {
    let running = Running::new(|http| http.max_connections(2).max_connections_per_address(2)).await;
    let (mut first, mut second) = (running.connect().await, running.connect().await);
    assert_eq!(first.get("/healthz").await.status, 200);
    assert_eq!(second.get("/healthz").await.status, 200);
    let mut third = running.connect().await;
    third.send("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").await;
    sleep(SHORT).await;
    assert!(third.stream.try_read(&mut [0]).is_err(), "answered although all places are taken");
    drop(first);
    assert_eq!(third.answer().await.status, 200);
    assert_eq!(second.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn a_server_that_is_dropped_leaves_no_connection() {
    let running = Running::new(|http| http).await;
    let seen = running.seen.clone();
    let mut wire = running.connect().await;
    wire.send(&modern(1, "wait", json!({ "ms": 60_000 }))).await;
    until("it runs", || running.running() == 1).await;
    drop(running);
    wire.closed().await;
    assert_eq!(seen.dropped.load(std::sync::atomic::Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_address_has_half_of_the_connections_unless_told_otherwise() {
    let defaults = Running::new(|http| http.max_connections(6)).await;
    let told = Running::new(|http| http.max_connections(6).max_connections_per_address(5)).await;
    for (running, most) in [(defaults, 3), (told, 5)] {
        let mut open = Vec::new();
        for _ in 0..most {
            let mut wire = running.connect().await;
            assert_eq!(wire.get("/healthz").await.status, 200);
            open.push(wire);
        }
        let mut one_more = running.connect().await;
        assert!(one_more.is_closed_within(SHORT).await, "of {most}");
        open.pop();
        sleep(SHORT / 4).await;
        let mut next = running.connect().await;
        assert_eq!(next.get("/healthz").await.status, 200, "one has closed");
    }
}
