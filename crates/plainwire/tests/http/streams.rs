//! Streams of sessions that are cut off, resumed, or not read.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::http::Http;
use plainwire::{Context, Tool};
use serde_json::json;
use tokio::time::sleep;

use super::support::service_client::{Answer, Event, LEGACY, Web, call, request};
use super::support::{Seen, http, server};

/// Returns one number for each message in `events`: its progress, or 0 for the answer.
fn said(events: &[Event]) -> Vec<i64> {
    let messages = events.iter().filter(|event| !event.data.is_empty()).map(Event::json);
    messages.map(|it| it["params"]["progress"].as_i64().unwrap_or(0)).collect()
}

async fn read(answer: &mut Answer, count: usize) -> Vec<Event> {
    let mut events = Vec::new();
    for _ in 0..count {
        events.push(answer.event().await.expect("an event"));
    }
    events
}

#[tokio::test]
async fn a_stream_that_is_cut_behind_any_event_goes_on_with_the_next() {
    let web = Web::new(http()).session(LEGACY).await;
    for cut in 1..=20 {
        let mut answer = web.post(&call(1, "count", json!({ "to": 20, "pause_ms": 1 }))).await;
        let mut events = read(&mut answer, cut).await;
        drop(answer);
        let last = events[cut - 1].id.clone().expect("an id");
        events.extend(web.resume(&last).await.events().await);
        let expected: Vec<i64> = (1..=20).chain([0]).collect();
        assert_eq!(said(&events), expected, "cut behind {cut} events");
        let ids: BTreeSet<_> = events.iter().map(|event| event.id.clone()).collect();
        assert_eq!(ids.len(), events.len(), "each event has an id of its own");
        let last = events.last().and_then(|event| event.id.clone()).expect("an id");
        assert_eq!(web.resume(&last).await.status, 400, "there is nothing left to come back for");
    }
}

#[tokio::test]
async fn a_disconnect_is_no_cancellation() {
    let seen = Seen::default();
    let web = Web::new(Http::new(server(&seen))).session(LEGACY).await;
    let gone = web.post(&call(1, "count", json!({ "to": 3, "pause_ms": 20 }))).await;
    drop(gone);
    let waiting = call(2, "wait", json!({ "ms": 50 }));
    assert!(tokio::time::timeout(Duration::from_millis(10), web.post(&waiting)).await.is_err());
    sleep(Duration::from_millis(200)).await;
    assert_eq!((seen.running.load(Ordering::SeqCst), seen.dropped.load(Ordering::SeqCst)), (0, 0));
}

#[tokio::test]
async fn a_cancellation_ends_the_call_and_its_response() {
    let seen = Seen::default();
    let web = Web::new(Http::new(server(&seen))).session(LEGACY).await;
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let waiting = call(1, "wait", json!({ "ms": 60_000 }));
    let cancelling = async {
        sleep(Duration::from_millis(20)).await;
        web.post(&cancel).await.status
    };
    let (answer, cancelled) = tokio::join!(web.post(&waiting), cancelling);
    assert_eq!((answer.status, cancelled), (200, 202));
    assert_eq!(answer.events().await, [], "a stream without an answer");
    let mut stream = web.post(&call(1, "count", json!({ "to": 1_000, "pause_ms": 10 }))).await;
    let last = read(&mut stream, 3).await[2].id.clone().expect("an id");
    web.post(&cancel).await;
    let rest = stream.events().await;
    assert!(!said(&rest).contains(&0), "a cancelled request has no answer: {rest:?}");
    let last = rest.last().and_then(|event| event.id.clone()).unwrap_or(last);
    assert_eq!(web.resume(&last).await.status, 400, "nobody comes back for it again and again");
    sleep(Duration::from_millis(20)).await;
    assert_eq!((seen.running.load(Ordering::SeqCst), seen.dropped.load(Ordering::SeqCst)), (0, 1));
}

#[tokio::test]
async fn a_question_goes_out_on_the_stream_of_its_request() {
    let web = Web::new(http()).session(LEGACY).await;
    let mut stream = web.post(&call(1, "greet", json!({}))).await;
    assert!(stream.event().await.expect("an event").data.is_empty());
    let question = stream.event().await.expect("a question").json();
    assert_eq!(question["method"], "elicitation/create");
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept", "content": { "name": "Ada" } } });
    assert_eq!(web.post(&answer).await.status, 202);
    assert_eq!(
        stream.event().await.expect("the answer").json()["result"]["content"][0]["text"],
        "Hello, Ada!"
    );
    assert_eq!(stream.event().await, None);
}

#[tokio::test]
async fn each_question_that_stays_unanswered_ends_at_its_own_time() {
    let running = Http::new(server(&Seen::default()).ask_timeout(Duration::from_millis(600)));
    let web = Web::new(running).session(LEGACY).await;
    let asked = async |id| {
        let mut stream = web.post(&call(id, "greet", json!({}))).await;
        assert!(stream.event().await.expect("an event").data.is_empty());
        let question = stream.event().await.expect("a question").json();
        (stream, question["id"].clone())
    };
    let (_first, id) = asked(1).await;
    sleep(Duration::from_millis(300)).await;
    let (mut second, _) = asked(2).await;
    let answer =
        json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "accept", "content": { "name": "Ada" } } });
    assert_eq!(web.post(&answer).await.status, 202);
    // The deadline of the first question passes without effect, and then that of the second one.
    let end = async {
        loop {
            let message = second.event().await.expect("an answer").json();
            if message["id"] == 2 {
                return message;
            }
        }
    };
    let end = tokio::time::timeout(Duration::from_secs(5), end).await.expect("an end in time");
    assert!(end.to_string().contains("none within `ask_timeout`"), "{end}");
}

#[tokio::test]
async fn a_tool_lets_its_reader_go_and_the_reader_comes_back() {
    let web = Web::new(http()).session(LEGACY).await;
    let events = web.post(&call(1, "leave", json!({}))).await.events().await;
    let last = events.last().expect("events").clone();
    assert_eq!((last.retry, last.data.as_str()), (Some(10), ""));
    assert!(!said(&events).contains(&0), "the answer is still to come");
    let rest = web.resume(&last.id.expect("an id")).await.events().await;
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].json()["result"]["content"][0]["text"], "still here");
    // In a revision in which a server can't close a stream early, the stream stays open.
    let older = Web::new(http()).session("2025-06-18").await;
    assert_eq!(said(&older.post(&call(1, "leave", json!({}))).await.events().await), [1, 0]);
}

#[tokio::test]
async fn streams_can_be_read_by_nobody_but_their_session() {
    let web = Web::new(http());
    let (ours, theirs) = (web.session(LEGACY).await, web.session(LEGACY).await);
    let mut stream = ours.post(&call(1, "count", json!({ "to": 2 }))).await;
    let id = stream.event().await.expect("an event").id.expect("an id");
    assert_eq!(theirs.resume(&id).await.status, 400);
    for forged in ["0000000000000000-0", "x", "-1", "+000000000000001-1", ""] {
        assert_ne!(ours.resume(forged).await.status, 500, "{forged}");
    }
    assert_eq!(ours.resume("0000000000000000-0").await.status, 400);
}

#[tokio::test]
async fn an_event_that_is_not_there_yet_cannot_be_the_last_one_that_was_seen() {
    let web = Web::new(http()).session(LEGACY).await;
    let mut open = web.post(&call(1, "count", json!({ "to": 50, "pause_ms": 10 }))).await;
    let id = open.event().await.expect("an event").id.expect("an id");
    let stream = id.split_once('-').expect("an id").0;
    for beyond in ["999", "18446744073709551615"] {
        assert_eq!(web.resume(&format!("{stream}-{beyond}")).await.status, 400, "{beyond}");
    }
    drop(open);
    assert_eq!(said(&web.resume(&id).await.events().await).len(), 51);
}

#[tokio::test]
async fn the_second_listener_takes_over_from_the_first() {
    let mut server = server(&Seen::default());
    let handle = server.handle();
    let web = Web::new(Http::new(server)).session(LEGACY).await;
    web.post(&request(1, "resources/subscribe", json!({ "uri": "a://1" }))).await;
    let mut first = web.get().await;
    read(&mut first, 1).await;
    let mut second = web.get().await;
    read(&mut second, 1).await;
    assert_eq!(first.event().await, None, "the first one has ended");
    handle.notify_resource_updated("a://1");
    assert_eq!(second.event().await.expect("an event").json()["params"]["uri"], "a://1");
}

#[tokio::test]
async fn what_a_listener_missed_is_there_when_it_comes_back_and_what_is_gone_is_said() {
    let mut server = server(&Seen::default());
    let handle = server.handle();
    let web = Web::new(Http::new(server)).session(LEGACY).await;
    web.post(&request(1, "resources/subscribe", json!({ "uri": "a://1" }))).await;
    let mut stream = web.get().await;
    let primed = stream.event().await.expect("an event").id.expect("an id");
    drop(stream);
    for _ in 0..1_500 {
        handle.notify_resource_updated("a://1");
        // Gives the server time to write the notification. It would merge notifications for one resource that
        // are not written yet.
        sleep(Duration::ZERO).await;
        web.post(&request(2, "ping", json!({}))).await;
    }
    let mut stream = web.resume(&primed).await;
    let gone = stream.event().await.expect("an event");
    assert_eq!(gone.name.as_deref(), Some("gone"));
    let lost = gone.json()["events"].as_u64().expect("a number");
    assert!(lost > 0);
    let kept = read(&mut stream, 100).await;
    assert!(kept.iter().all(|it| it.json()["params"]["uri"] == json!("a://1")));
}

#[tokio::test]
async fn streams_of_older_sessions_begin_with_what_is_said() {
    for version in ["2025-03-26", "2025-06-18"] {
        let mut server = server(&Seen::default());
        let handle = server.handle();
        let web = Web::new(Http::new(server)).session(version).await;
        web.post(&request(1, "resources/subscribe", json!({ "uri": "a://1" }))).await;
        let mut stream = web.get().await;
        handle.notify_resource_updated("a://1");
        assert_eq!(stream.event().await.expect("an event").json()["params"]["uri"], "a://1");
        let mut answer = web.post(&call(1, "count", json!({ "to": 1 }))).await;
        assert_eq!(answer.event().await.expect("an event").json()["params"]["progress"], 1, "{version}");
    }
}

#[tokio::test]
async fn the_report_that_a_page_is_complete_comes_on_the_stream_of_the_session_after_the_call() {
    let kept = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&kept);
    let tool = Tool::new("pay", move |ctx: Context| {
        *keep.lock().expect("no panic before") = Some(ctx);
        async { "open the page" }
    });
    let web = Web::new(Http::new(server(&Seen::default()).tool(tool))).session(LEGACY).await;
    let mut stream = web.get().await;
    read(&mut stream, 1).await;
    assert_eq!(web.post(&call(1, "pay", json!({}))).await.status, 200);
    sleep(Duration::from_millis(50)).await;
    let ctx = kept.lock().expect("no panic before").take().expect("a context");
    ctx.notify_elicitation_complete("7");
    let told = stream.event().await.expect("an event").json();
    assert_eq!(
        (&told["method"], &told["params"]),
        (&json!("notifications/elicitation/complete"), &json!({ "elicitationId": "7" }))
    );
}
