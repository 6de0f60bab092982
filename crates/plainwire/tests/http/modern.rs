//! Requests of the modern era: each has its own response, and there are no sessions.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tokio::time::{sleep, timeout};

use super::support::service_client::Web;
use super::support::{Seen, http, server};
use plainwire::http::Http;
use plainwire::schema::Preset;
use plainwire::stream::tap::{Direction, Tap};
use plainwire::{Server, Tool};

#[tokio::test]
async fn an_answer_alone_is_json() {
    let answer =
        Web::new(http()).ask(7, "tools/call", json!({ "name": "echo", "arguments": { "text": "hi" } })).await;
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None));
    let answer = answer.json().await;
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!(7), &json!("hi")));
    assert_eq!(answer["result"]["resultType"], "complete");
}

#[tokio::test]
async fn what_is_said_before_the_answer_makes_it_a_stream() {
    let meta = json!({ "progressToken": "p" });
    let params = json!({ "name": "count", "arguments": { "to": 3 }, "_meta": meta });
    let answer = Web::new(http()).ask(1, "tools/call", params).await;
    assert_eq!((answer.status, answer.header("x-accel-buffering")), (200, Some("no")));
    let events = answer.events().await;
    let said: Vec<_> = events.iter().map(|it| it.json()["params"]["progress"].clone()).collect();
    assert_eq!(said, [json!(1), json!(2), json!(3), json!(null)]);
    assert_eq!(events[3].json()["result"]["content"][0]["text"], "counted to 3");
    assert!(events.iter().all(|it| it.id.is_none()), "a stream of 2026-07-28 is not taken up again");
}

#[tokio::test]
async fn a_client_that_leaves_cancels() {
    let seen = Seen::default();
    let web = Web::new(Http::new(server(&seen)));
    // The client disconnects before the response has begun, and later in the middle of a stream.
    let params = json!({ "name": "wait", "arguments": { "ms": 60_000 } });
    let waiting = web.ask(1, "tools/call", params);
    assert!(timeout(Duration::from_millis(50), waiting).await.is_err());
    sleep(Duration::from_millis(20)).await;
    assert_eq!((seen.running.load(Ordering::SeqCst), seen.dropped.load(Ordering::SeqCst)), (0, 1));

    let meta = json!({ "progressToken": 1 });
    let params = json!({ "name": "count", "arguments": { "to": 1_000, "pause_ms": 10 }, "_meta": meta });
    let mut answer = web.ask(2, "tools/call", params).await;
    answer.event().await.expect("progress");
    drop(answer);
}

#[tokio::test]
async fn a_subscription_hears_of_changes_until_its_client_leaves() {
    let mut server = server(&Seen::default());
    let handle = server.handle();
    let web = Web::new(Http::new(server));
    let filter = json!({ "resourceSubscriptions": ["a://1"], "toolsListChanged": true });
    let mut stream = web.ask(5, "subscriptions/listen", json!({ "notifications": filter })).await;
    let acknowledged = stream.event().await.expect("an event").json();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 5);
    handle.notify_resource_updated("a://1");
    assert_eq!(stream.event().await.expect("an event").json()["params"]["uri"], "a://1");
}

#[tokio::test]
async fn a_subscription_over_the_limit_is_refused_and_one_that_ends_makes_room() {
    let limits = plainwire::proto::peer::Limits { listens: 1, ..Default::default() };
    let web = Web::new(Http::new(server(&Seen::default()).limits(limits)));
    let filter = json!({ "notifications": { "resourceSubscriptions": ["a://1"] } });
    let first = web.ask(1, "subscriptions/listen", filter.clone()).await;
    assert_eq!(first.status, 200);
    let second = web.ask(2, "subscriptions/listen", filter.clone()).await;
    assert_eq!(second.status, 429);
    let second = second.json().await;
    assert_eq!((&second["id"], &second["error"]["code"]), (&json!(2), &json!(-32603)));
    assert!(second["error"]["message"].as_str().expect("words").contains("limit `listens`"));
    drop(first);
    assert_eq!(web.ask(3, "subscriptions/listen", filter).await.status, 200);
}

#[tokio::test]
async fn errors_that_are_found_before_a_handler_runs_have_a_status() {
    let web = Web::new(http());
    assert_eq!(web.ask(1, "ping", json!({})).await.status, 404);
    assert_eq!(web.ask(1, "resources/subscribe", json!({ "uri": "a://1" })).await.status, 404);
    assert_eq!(web.ask(1, "initialize", json!({})).await.status, 404);
    assert_eq!(web.ask(1, "server/discover", json!({})).await.status, 200);
    // For an error of a handler or of the catalog, the status is 200, except for a missing capability: 400.
    let unknown = web.ask(1, "tools/call", json!({ "name": "nothing" })).await;
    assert_eq!(unknown.status, 200);
    assert_eq!(unknown.json().await["error"]["code"], -32602);
    let asks = web.ask(1, "tools/call", json!({ "name": "greet" })).await;
    assert_eq!(asks.status, 400);
    assert_eq!(asks.json().await["error"]["code"], -32021);
}

#[tokio::test(start_paused = true)]
async fn a_quiet_stream_says_that_it_is_alive() {
    let web = Web::new(http());
    let filter = json!({ "notifications": { "resourceSubscriptions": ["a://1"] } });
    let mut stream = web.ask(1, "subscriptions/listen", filter).await;
    stream.event().await.expect("the acknowledgement");
    // The stream sends a comment, which is no event, so the test reads bytes.
    let silence = timeout(Duration::from_secs(16), stream.bytes()).await.expect("something in time");
    assert_eq!(silence, ":\n\n");
}

#[tokio::test]
async fn a_tap_sees_what_comes_and_goes() {
    let (seen, frames) = std::sync::mpsc::channel();
    let tap = Tap::new(move |frame| drop(seen.send((frame.direction, frame.bytes.to_vec()))));
    let web = Web::new(Http::new(server(&Seen::default()).tap(tap)));
    web.ask(1, "server/discover", json!({})).await;
    let meta = json!({ "progressToken": 1 });
    web.ask(2, "tools/call", json!({ "name": "count", "arguments": { "to": 1 }, "_meta": meta }))
        .await
        .events()
        .await;
    let directions: Vec<_> = frames.try_iter().map(|(direction, _)| direction).collect();
    assert_eq!(directions, [Direction::In, Direction::Out, Direction::In, Direction::Out, Direction::Out]);
}

#[tokio::test]
async fn an_argument_that_clients_repeat_in_a_header_is_checked_unless_the_list_does_not_say_so() {
    let region = json!({ "type": "string", "x-mcp-header": "Region" });
    let schema = json!({ "type": "object", "properties": { "region": region } });
    for (preset, status) in [(None, 400), (Some(Preset::Slim), 400), (Some(Preset::OpenaiStrict), 200)] {
        let tool = Tool::new("store", |_: serde_json::Map<String, serde_json::Value>| async { "stored" });
        let server = Server::new("regions").tool(tool.input_schema(schema.clone()));
        let server = match preset {
            Some(preset) => server.schema_preset(preset),
            None => server,
        };
        let params = json!({ "name": "store", "arguments": { "region": "eu" } });
        let answer = Web::new(Http::new(server)).ask(1, "tools/call", params).await;
        assert_eq!(answer.status, status, "{preset:?}");
    }
}
