//! Servers that are asked to end while clients are connected.

use std::time::Duration;

use serde_json::{Value, json};

use super::support::service_client::{MODERN, call, request};
use super::support::socket_client::{Running, modern, post, until};

/// The time within which a server has to end if its running requests end by themselves. A server that has to
/// cut requests off may take half of this beyond its drain time.
const BEYOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn running_requests_are_answered_and_nothing_is_accepted() {
    let mut running = Running::new(|http| http).await;
    let session = running.session().await;
    let (mut ours, mut theirs) = (running.connect().await, running.connect().await);
    ours.send(&modern(1, "wait", json!({ "ms": 500 }))).await;
    theirs.send(&post(&session, &call(1, "wait", json!({ "ms": 500 })))).await;
    let mut idle = running.connect().await;
    assert_eq!(idle.get("/healthz").await.status, 200);
    until("both run", || running.running() == 2).await;
    running.ask_to_end();
    // A connection on which no request runs is closed at once.
    assert!(idle.is_closed_within(Duration::from_millis(300)).await);
    assert!(tokio::net::TcpStream::connect(running.address).await.is_err());
    for wire in [&mut ours, &mut theirs] {
        assert_eq!(wire.answer().await.text(), "waited");
        wire.closed().await;
    }
    assert!(running.ended().await < BEYOND);
}

#[tokio::test]
async fn who_asks_whether_it_is_ready_meanwhile_hears_that_it_ends() {
    let mut running = Running::new(|http| http).await;
    let (mut busy, mut late) = (running.connect().await, running.connect().await);
    busy.send(&modern(1, "wait", json!({ "ms": 600 }))).await;
    late.send("GET /readyz HTTP/1.1\r\n").await;
    until("it runs", || running.running() == 1).await;
    running.ask_to_end();
    assert!(!late.is_closed_within(Duration::from_millis(100)).await);
    late.send("host: localhost\r\n\r\n").await;
    let answer = late.answer().await;
    assert_eq!((answer.status, answer.body.as_str()), (503, "ending\n"));
    late.closed().await;
    assert_eq!(busy.answer().await.text(), "waited");
    running.ended().await;
}

#[tokio::test]
async fn streams_end_in_order() {
    let mut running = Running::new(|http| http).await;
    let session = running.session().await;
    let mut standalone = running.connect().await;
    let get = format!("GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n{session}\r\n");
    standalone.send(&get).await;
    standalone.up_to("\r\n\r\n").await;
    let mut listen = running.connect().await;
    listen.send(&listening()).await;
    listen.up_to("notifications/subscriptions/acknowledged").await;
    running.ask_to_end();
    standalone.up_to("0\r\n\r\n").await;
    standalone.closed().await;
    let last = listen.up_to("0\r\n\r\n").await;
    assert!(last.contains("\"id\":7") && last.contains("\"result\""), "{last}");
    listen.closed().await;
    assert!(running.ended().await < BEYOND);
}

#[tokio::test]
async fn a_stream_that_was_taken_up_again_is_read_to_its_end() {
    let mut running = Running::new(|http| http).await;
    let session = running.session().await;
    let mut first = running.connect().await;
    first.send(&post(&session, &call(1, "count", json!({ "to": 3, "pause_ms": 200 })))).await;
    let begun = first.up_to("\"progress\":1").await;
    drop(first);
    let id = begun.lines().rev().find_map(|line| line.strip_prefix("id: ")).expect("an id").to_owned();
    let mut second = running.connect().await;
    let get = format!(
        "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nlast-event-id: {id}\r\n{session}\r\n"
    );
    second.send(&get).await;
    second.up_to("\r\n\r\n").await;
    running.ask_to_end();
    let rest = second.up_to("0\r\n\r\n").await;
    assert!(rest.contains("counted to 3"), "{rest}");
    assert!(running.ended().await < BEYOND);
}

#[tokio::test]
async fn a_stream_that_begins_while_the_server_ends_is_told_as_well() {
    let mut running = Running::new(|http| http).await;
    let mut listen = running.connect().await;
    let (begin, end) =
        listening().split_once("\r\n\r\n").map(|(a, b)| (a.to_owned(), b.to_owned())).expect("a body");
    listen.send(&format!("{begin}\r\n")).await;
    // The connection stays open because a request on it has begun.
    assert!(!listen.is_closed_within(Duration::from_millis(50)).await);
    running.ask_to_end();
    assert!(!listen.is_closed_within(Duration::from_millis(50)).await);
    listen.send(&format!("\r\n{end}")).await;
    let last = listen.up_to("0\r\n\r\n").await;
    assert!(last.contains("\"id\":7") && last.contains("\"result\""), "{last}");
    assert!(running.ended().await < BEYOND);
}

#[tokio::test]
async fn what_does_not_end_in_time_is_cut_off() {
    let drain = Duration::from_millis(300);
    let mut running = Running::of(|server| server.drain(drain), |http| http).await;
    let session = running.session().await;
    let mut wires = Vec::new();
    for message in [
        modern(1, "wait", json!({ "ms": 60_000 })),
        modern(1, "tick", json!({})),
        post(&session, &call(1, "wait", json!({ "ms": 60_000 }))),
        "GET /healthz HTTP/1.1\r\n".to_owned(),
    ] {
        let mut wire = running.connect().await;
        wire.send(&message).await;
        wires.push(wire);
    }
    until("three run", || running.running() == 3).await;
    running.ask_to_end();
    let seen = running.seen.clone();
    let took = running.ended().await;
    assert!(took >= drain && took < drain + BEYOND / 2, "{took:?}");
    until("none runs", || seen.running.load(std::sync::atomic::Ordering::SeqCst) == 0).await;
    assert_eq!(seen.dropped.load(std::sync::atomic::Ordering::SeqCst), 3);
    for wire in &mut wires {
        // The server may end the connection by a reset, which is an error of the read.
        while !wire.is_closed_within(Duration::from_millis(100)).await && wire.stream.readable().await.is_ok()
        {
            if wire.stream.try_read(&mut [0; 4096]).is_err() {
                break;
            }
        }
    }
}

fn listening() -> String {
    let mut params = json!({ "notifications": { "toolsListChanged": true } });
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message: Value = request(7, "subscriptions/listen", params);
    post(&format!("mcp-protocol-version: {MODERN}\r\nmcp-method: subscriptions/listen\r\n"), &message)
}
