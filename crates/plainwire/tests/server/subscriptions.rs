//! Subscriptions of the legacy era and listens of the modern era: the changes that they report, how often,
//! and until when.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use plainwire::prelude::*;
use tokio::time::{sleep, timeout};

use crate::Item;
use crate::raw_client::{
    LEGACY, MODERN, PATIENCE, Raw, call, cancel, capabilities, error, error_with_data, listen, notification,
    request, result, tagged, text,
};

/// Returns a server with resources. Clients can subscribe to all of them except `item://fixed`.
fn items() -> Server {
    Server::new("items")
        .resource(Resource::new("item://first", "first", || async { "1" }).subscribable())
        .resource(Resource::new("item://fixed", "fixed", || async { "0" }))
        .resource_template(
            ResourceTemplate::new("item://all/{id}", "items", |it: Item| async move { it.id }).subscribable(),
        )
}

fn subscribe(uri: &str) -> String {
    request(LEGACY, "1", "resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#))
}

fn updated(uri: &str) -> String {
    notification("resources/updated", &format!(r#"{{"uri":"{uri}"}}"#))
}

#[tokio::test]
async fn a_session_hears_of_resources_that_exist_and_can_be_subscribed_to() {
    let mut server = items();
    let handle = server.handle();
    let mut raw = Raw::session(server, LEGACY).await;
    for uri in ["item://first", "item://all/7"] {
        assert_eq!(raw.ask(&subscribe(uri)).await, result("1", "{}"));
        handle.notify_resource_updated("item://fixed");
        handle.notify_resource_updated(uri);
        assert_eq!(raw.line().await, updated(uri));
    }
    let said = r#"expected `uri` to be a known resource, but found "item://none""#;
    assert_eq!(
        raw.ask(&subscribe("item://none")).await,
        error_with_data("1", -32002, said, r#"{"uri":"item://none"}"#)
    );
    let said = r#"expected `uri` to be a resource that can be subscribed to, but found "item://fixed""#;
    assert_eq!(raw.ask(&subscribe("item://fixed")).await, error("1", -32602, said));
    let none = request(LEGACY, "1", "resources/unsubscribe", r#"{"uri":"item://first"}"#);
    assert_eq!(raw.ask(&none).await, result("1", "{}"));
    handle.notify_resource_updated("item://first");
    assert_eq!(raw.end().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_listen_hears_of_what_it_was_promised_and_of_nothing_else() {
    let mut server = items();
    let handle = server.handle();
    let mut raw = Raw::session(server, MODERN).await;
    let filter = r#"{"resourceSubscriptions":["item://first","item://fixed","item://none","item://all/7"]}"#;
    let agreed = r#","notifications":{"resourceSubscriptions":["item://first","item://all/7"]}"#;
    assert_eq!(
        raw.ask(&listen("\"l\"", filter)).await,
        tagged("subscriptions/acknowledged", "\"l\"", agreed)
    );
    handle.notify_resource_updated("item://fixed");
    handle.add_tool(Tool::new("new", || async { "new" })).expect("a legal tool");
    handle.notify_resource_updated("item://all/7");
    assert_eq!(raw.line().await, tagged("resources/updated", "\"l\"", r#","uri":"item://all/7""#));
    raw.send(&cancel("\"l\"")).await;
    assert_eq!(raw.settled(MODERN).await, [""; 0]);
    handle.notify_resource_updated("item://all/7");
    assert_eq!(raw.end().await, Vec::<String>::new());
}

#[tokio::test]
async fn calls_say_what_has_changed() {
    let touch = Tool::new("touch", |ctx: Context| async move {
        ctx.notify_resource_updated("item://first");
        "touched"
    });
    let mut raw = Raw::session(items().tool(touch), LEGACY).await;
    assert_eq!(raw.ask(&call("2", "touch", "{}")).await, text("2", "touched"), "nobody has subscribed");
    raw.ask(&subscribe("item://first")).await;
    raw.send(&call("3", "touch", "{}")).await;
    let mut said = [raw.line().await, raw.line().await];
    said.sort();
    let mut expected = [text("3", "touched"), updated("item://first")];
    expected.sort();
    assert_eq!(said, expected);
}

#[tokio::test]
async fn a_server_declares_what_it_can_do_and_no_more() {
    let plain = Server::new("s").resource(Resource::new("a://1", "a", || async { "1" }));
    assert_eq!(capabilities(plain).await, serde_json::json!({ "resources": {} }));
    let subscribable = serde_json::json!({ "resources": { "subscribe": true } });
    assert_eq!(capabilities(items()).await, subscribable);
    let mut empty = Server::new("s").logging();
    let _ = empty.handle();
    let all = serde_json::json!({
        "logging": {},
        "prompts": { "listChanged": true },
        "resources": { "listChanged": true, "subscribe": true },
        "tools": { "listChanged": true },
    });
    assert_eq!(capabilities(empty).await, all);
}

#[tokio::test]
async fn a_hundred_thousand_changes_are_told_once_to_whoever_did_not_read_meanwhile() {
    let mut server = items();
    let handle = server.handle();
    let mut raw = Raw::session(server, LEGACY).await;
    raw.ask(&subscribe("item://first")).await;
    raw.ask(&subscribe("item://all/1")).await;
    for n in 0..100_000 {
        handle.notify_resource_updated(["item://first", "item://all/1", "item://all/2"][n % 3]);
    }
    let said = raw.settled(LEGACY).await;
    assert_eq!(said, [updated("item://first"), updated("item://all/1")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_without_end_starve_no_calls() {
    let mut server = items().tool(Tool::new("t", || async { "t" }));
    let handle = server.handle();
    let mut raw = Raw::session(server, LEGACY).await;
    raw.ask(&subscribe("item://first")).await;
    let over = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let publisher = {
        let over = Arc::clone(&over);
        std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                handle.notify_resource_updated("item://first");
            }
        })
    };
    for id in 10..60 {
        raw.send(&call(&id.to_string(), "t", "{}")).await;
        let (expected, mut lines) = (text(&id.to_string(), "t"), 0);
        while raw.line().await != expected {
            lines += 1;
            assert!(lines < 100_000, "the call is starved");
        }
    }
    over.store(true, Ordering::Relaxed);
    publisher.join().expect("a publisher that does not panic");
}

#[tokio::test]
async fn listens_end_with_a_result_when_the_server_ends_and_hold_up_nothing() {
    let mut server = items().drain(2 * PATIENCE);
    let handle = server.handle();
    let mut raw = Raw::session(server, MODERN).await;
    raw.ask(&listen("1", r#"{"toolsListChanged":true}"#)).await;
    raw.ask(&listen("\"1\"", "{}")).await;
    handle.add_tool(Tool::new("t", || async { "t" })).expect("a tool");
    let ended = |id: &str| {
        let info = r#""io.modelcontextprotocol/serverInfo":{"name":"items","version":"0.0.0"}"#;
        let tag = format!(r#""io.modelcontextprotocol/subscriptionId":{id}"#);
        result(id, &format!(r#"{{"resultType":"complete","_meta":{{{info},{tag}}}}}"#))
    };
    let rest = timeout(Duration::from_secs(2), raw.end()).await.expect("an end without any drain");
    assert_eq!(rest, [tagged("tools/list_changed", "1", ""), ended("1"), ended("\"1\"")]);
}

#[tokio::test]
async fn listens_live_as_long_as_calls_that_still_run() {
    let touch = Tool::new("touch", |ctx: Context| async move {
        sleep(Duration::from_millis(20)).await;
        ctx.notify_resource_updated("item://first");
        sleep(Duration::from_millis(20)).await;
        "touched"
    });
    let mut raw = Raw::session(items().tool(touch), MODERN).await;
    raw.ask(&listen("1", r#"{"resourceSubscriptions":["item://first"]}"#)).await;
    raw.send(&request(MODERN, "2", "tools/call", r#"{"name":"touch"}"#)).await;
    let rest = raw.end().await;
    assert_eq!(rest.len(), 3, "{rest:?}");
    assert_eq!(rest[0], tagged("resources/updated", "1", r#","uri":"item://first""#));
    assert!(rest[1].contains("touched") && rest[2].contains(r#""id":1,"result""#), "{rest:?}");
}

#[tokio::test]
async fn bad_subscriptions_and_listens_are_refused_and_the_next_request_is_served() {
    let mut raw = Raw::session(items().logging(), LEGACY).await;
    for (frame, said) in [
        (
            request(LEGACY, "1", "resources/subscribe", "{}"),
            "expected `uri` to be a string, but found nothing",
        ),
        (listen("1", "7"), "expected `notifications` to be an object, but found 7"),
        (
            request(MODERN, "1", "subscriptions/listen", "{}"),
            "expected `notifications` to be an object, but found nothing",
        ),
    ] {
        assert_eq!(raw.ask(&frame).await, error("1", -32602, said));
    }
    assert_eq!(raw.ask(&subscribe("item://first")).await, result("1", "{}"));
}

#[tokio::test]
async fn work_runs_from_the_first_subscription_to_the_end_of_the_last_one() {
    struct Ends(tokio::sync::mpsc::UnboundedSender<Vec<String>>);
    impl Drop for Ends {
        fn drop(&mut self) {
            let _ = self.0.send(vec!["ended".to_owned()]);
        }
    }
    let (said, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let work = move |mut subscriptions: plainwire::handler::Subscriptions| {
        let ends = Ends(said.clone());
        async move {
            loop {
                let mut uris = subscriptions.uris();
                uris.sort();
                for uri in &uris {
                    subscriptions.notify_resource_updated(uri);
                }
                ends.0.send(uris).expect("a test that listens");
                subscriptions.changed().await;
            }
        }
    };
    let mut raw = Raw::session(items().while_subscribed(work), LEGACY).await;
    let unsubscribe =
        |uri: &str| request(LEGACY, "1", "resources/unsubscribe", &format!(r#"{{"uri":"{uri}"}}"#));
    for _ in 0..2 {
        assert!(heard.try_recv().is_err(), "nobody is subscribed");
        assert_eq!(raw.ask(&subscribe("item://first")).await, result("1", "{}"));
        assert_eq!(raw.line().await, updated("item://first"));
        assert_eq!(heard.recv().await.expect("a round"), ["item://first"]);
        assert_eq!(raw.ask(&subscribe("item://all/7")).await, result("1", "{}"));
        let mut lines = [raw.line().await, raw.line().await];
        lines.sort();
        assert_eq!(lines, [updated("item://all/7"), updated("item://first")]);
        assert_eq!(heard.recv().await.expect("a round"), ["item://all/7", "item://first"]);
        assert_eq!(raw.ask(&unsubscribe("item://first")).await, result("1", "{}"));
        assert_eq!(raw.line().await, updated("item://all/7"));
        assert_eq!(heard.recv().await.expect("a round"), ["item://all/7"]);
        assert_eq!(raw.ask(&unsubscribe("item://all/7")).await, result("1", "{}"));
        assert_eq!(heard.recv().await.expect("an end"), ["ended"]);
    }
    raw.ask(&subscribe("item://first")).await;
    assert_eq!(heard.recv().await.expect("a round"), ["item://first"]);
    drop(raw);
    assert_eq!(heard.recv().await.expect("an end"), ["ended"], "the client has left");
}
