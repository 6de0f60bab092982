//! Servers and networks that fail: calls end in time, with an answer or the right error, and the server makes
//! no change twice.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plainwire::model::SubscriptionFilter;
use plainwire::proto::peer::{Change, EraChoice};
use plainwire::proto::revision::Revision;
use plainwire::{Client, Error};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::support::proxy::Proxy;
use super::support::scripted_server::{Asked, Script, json, read, with};
use super::support::site::{Site, remote};

/// Time after which a wait fails the test.
const PATIENCE: Duration = Duration::from_secs(10);

const LEGACY: &str =
    r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;

fn result(asked: &Asked, result: &str) -> String {
    json("200 OK", &format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, asked.id()))
}

/// Returns the number of bytes of the complete HTTP response to a call of `tool`.
async fn answer_length(era: EraChoice, tool: &str) -> usize {
    let site = Site::new().await;
    let proxy = Proxy::new(site.address).await;
    let client = Client::builder().era(era).remote(remote(proxy.address)).await.expect("a connection");
    client.list_tools().await.expect("tools");
    let most = 1 << 20;
    proxy.cut_after(most);
    client.call::<String>(tool, json!({})).await.expect("an answer");
    most - proxy.left.lock().expect("a lock").expect("bytes to spare")
}

#[tokio::test]
async fn a_change_whose_answer_is_cut_off_at_any_byte_is_made_once() {
    for era in [EraChoice::Modern, EraChoice::Legacy] {
        let length = answer_length(era, "write").await;
        let mut cuts: Vec<_> = (0..length).collect();
        while !cuts.is_empty() {
            let mut some = JoinSet::new();
            for cut in cuts.drain(..cuts.len().min(32)) {
                some.spawn(cut_a_change(era, cut));
            }
            some.join_all().await;
        }
    }
}

async fn cut_a_change(era: EraChoice, cut: usize) {
    let site = Site::new().await;
    let proxy = Proxy::new(site.address).await;
    let client = Client::builder().era(era).remote(remote(proxy.address)).await.expect("a connection");
    client.list_tools().await.expect("tools");
    proxy.cut_after(cut);
    let called = timeout(PATIENCE, client.call::<String>("write", json!({}))).await;
    match called.unwrap_or_else(|_| panic!("{era:?}, cut at {cut}: no end")) {
        Ok(text) => assert_eq!(text, "written 1", "{era:?}, cut at {cut}"),
        Err(Error::OutcomeUnknown { what, .. }) => assert_eq!(what, "`tools/call` of \"write\""),
        Err(error) => panic!("{era:?}, cut at {cut}: {error}"),
    }
    assert!(proxy.was_cut(), "{era:?}, cut at {cut}: nothing was cut");
    assert_eq!(site.written(), 1, "{era:?}, cut at {cut}");
}

#[tokio::test]
async fn a_call_that_changes_nothing_is_made_again() {
    let site = Site::new().await;
    for era in [EraChoice::Modern, EraChoice::Legacy] {
        for cut in [0, 1, 40, 150] {
            let proxy = Proxy::new(site.address).await;
            let builder = Client::builder().era(era);
            let client = builder.remote(remote(proxy.address)).await.expect("a connection");
            client.list_tools().await.expect("tools");
            proxy.cut_after(cut);
            let text = timeout(PATIENCE, client.call::<String>("echo", json!({ "text": "a" }))).await;
            assert_eq!(text.expect("in time").expect("an answer"), "a", "{era:?}, cut at {cut}");
            assert!(proxy.was_cut(), "{era:?}, cut at {cut}: nothing was cut");
        }
    }
}

#[tokio::test]
async fn a_stream_of_a_session_that_breaks_is_read_on() {
    let site = Site::new().await;
    let proxy = Proxy::new(site.address).await;
    let client = Client::builder().era(EraChoice::Legacy).remote(remote(proxy.address)).await;
    let client = client.expect("a connection");
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let hears = heard.clone();
    proxy.cut_after(900);
    let progress = move |it: plainwire::client::Progress| hears.lock().expect("a lock").push(it.done);
    let result = client.call_tool("count", json!({ "to": 20 })).on_progress(progress);
    let result = timeout(PATIENCE, result).await.expect("in time").expect("an answer");
    assert_eq!(result.content[0].as_text(), Some("counted to 20"));
    assert!(proxy.was_cut(), "nothing was cut");
    let expected: Vec<_> = (1..=20).map(f64::from).collect();
    assert_eq!(*heard.lock().expect("a lock"), expected, "each event once, in order");
}

#[tokio::test]
async fn a_subscription_that_breaks_is_made_again_and_counts_as_changed() {
    let site = Site::new().await;
    let proxy = Proxy::new(site.address).await;
    let client = Client::builder().era(EraChoice::Modern).remote(remote(proxy.address)).await;
    let client = client.expect("a connection");
    let filter = SubscriptionFilter {
        resource_subscriptions: vec!["a://1".to_owned()],
        ..SubscriptionFilter::default()
    };
    let mut listen = client.listen(filter).await.expect("a subscription");
    let changed = Some(Change::Resource("a://1".to_owned()));
    // The eight pauses before reconnecting are short, because they start over after each success. Otherwise
    // they would grow beyond `PATIENCE`.
    for _ in 0..8 {
        // The proxy cuts off the notification of this change.
        proxy.cut_after(0);
        site.handle.notify_resource_updated("a://1");
        assert_eq!(timeout(PATIENCE, listen.next()).await.expect("in time"), changed);
        assert!(proxy.was_cut(), "nothing was cut");
    }
    site.handle.notify_resource_updated("a://1");
    assert_eq!(timeout(PATIENCE, listen.next()).await.expect("in time"), changed, "it listens again");
}

#[tokio::test]
async fn a_session_that_the_server_has_forgotten_is_begun_anew_once_for_all() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let first = Site::on(listener, |http| http);
    let builder = Client::builder().era(EraChoice::Legacy);
    let client = builder.remote(remote(address)).await.expect("a connection");
    client.call::<String>("echo", json!({ "text": "a" })).await.expect("an answer");
    drop(first);
    let listener = loop {
        match TcpListener::bind(address).await {
            Ok(listener) => break listener,
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    };
    let second = Site::on(listener, |http| http);
    let calls = (0..20).map(|_| client.call::<String>("write", json!({})));
    for call in calls.collect::<Vec<_>>() {
        timeout(PATIENCE, call).await.expect("in time").expect("an answer");
    }
    assert_eq!(second.written(), 20);
}

#[tokio::test]
async fn who_only_listens_hears_of_a_server_that_has_forgotten_the_session() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let first = Site::on(listener, |http| http);
    let builder = Client::builder().era(EraChoice::Legacy);
    let client = builder.remote(remote(address)).await.expect("a connection");
    let filter = SubscriptionFilter {
        resource_subscriptions: vec!["a://1".to_owned()],
        ..SubscriptionFilter::default()
    };
    let mut listen = client.listen(filter).await.expect("a subscription");
    drop(first);
    let listener = loop {
        match TcpListener::bind(address).await {
            Ok(listener) => break listener,
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    };
    let second = Site::on(listener, |http| http);
    let changed = Some(Change::Resource("a://1".to_owned()));
    assert_eq!(timeout(PATIENCE, listen.next()).await.expect("in time"), changed);
    let heard = async {
        while timeout(Duration::from_millis(50), listen.next()).await.is_err() {
            second.handle.notify_resource_updated("a://1");
        }
    };
    timeout(PATIENCE, heard).await.expect("it listens again");
}

#[tokio::test]
async fn a_stream_of_which_nothing_is_kept_is_opened_anew() {
    let script = Script::new(|asked| match &*asked.method() {
        "initialize" => {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{LEGACY}}}"#, asked.id());
            with("200 OK", "application/json", "mcp-session-id: s\r\n", &body)
        }
        "notifications/initialized" => json("202 Accepted", ""),
        _ if asked.head.contains("last-event-id: 7") => json("400 Bad Request", ""),
        _ => with("200 OK", "text/event-stream", "", "id: 7\nretry: 10\ndata:\n\n"),
    })
    .await;
    let builder = Client::builder().era(EraChoice::Legacy);
    let _client = builder.remote(remote(script.address)).await.expect("a connection");
    let opened = async {
        let is_plain = |it: &Asked| it.line.starts_with("GET") && !it.head.contains("last-event-id");
        while script.asked.lock().expect("a lock").iter().filter(|it| is_plain(it)).count() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, opened).await.expect("another stream");
}

/// Another program answers at the port, as an SSH server does: connecting must fail with an error.
#[tokio::test]
async fn a_server_that_does_not_speak_http_is_no_connection() {
    let script = Script::new(|_| "SSH-2.0-OpenSSH_9.6\r\n\r\n".to_owned()).await;
    for era in [EraChoice::Modern, EraChoice::Legacy] {
        let builder = Client::builder().era(era);
        let error = timeout(PATIENCE, builder.remote(remote(script.address))).await.expect("in time");
        let error = error.expect_err("no server");
        assert!(matches!(error, Error::Closed { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_request_that_nobody_knows_is_not_made_again() {
    let calls = std::sync::Arc::new(AtomicUsize::new(0));
    let seen = calls.clone();
    let script = Script::new(move |asked| match &*asked.method() {
        "initialize" => result(asked, LEGACY),
        "notifications/initialized" => json("202 Accepted", ""),
        "ours/pay" => {
            seen.fetch_add(1, Ordering::SeqCst);
            String::new()
        }
        _ => json("405 Method Not Allowed", ""),
    })
    .await;
    let builder = Client::builder().era(EraChoice::Legacy);
    let client = builder.remote(remote(script.address)).await.expect("a connection");
    let error = timeout(PATIENCE, client.request("ours/pay", "{}")).await.expect("in time");
    assert!(matches!(error, Err(Error::OutcomeUnknown { .. })), "{error:?}");
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn of_many_that_find_a_session_lost_one_begins_the_next() {
    let sessions = AtomicUsize::new(0);
    let script = Script::new(move |asked| {
        let id = |n: usize| format!("mcp-session-id: s{n}\r\n");
        match &*asked.method() {
            "initialize" => {
                let n = sessions.fetch_add(1, Ordering::SeqCst) + 1;
                let body = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{LEGACY}}}"#, asked.id());
                with("200 OK", "application/json", &id(n), &body)
            }
            "notifications/initialized" => json("202 Accepted", ""),
            // The server no longer knows the first session, as after a restart.
            "tools/call" if asked.head.contains("mcp-session-id: s1") => json("404 Not Found", "gone"),
            "tools/call" => result(asked, r#"{"content":[{"type":"text","text":"done"}]}"#),
            _ => json("405 Method Not Allowed", ""),
        }
    })
    .await;
    let builder = Client::builder().era(EraChoice::Legacy);
    let client = std::sync::Arc::new(builder.remote(remote(script.address)).await.expect("a connection"));
    let mut calls = JoinSet::new();
    for _ in 0..10 {
        let client = client.clone();
        calls.spawn(async move { client.call::<String>("change", json!({})).await });
    }
    for called in timeout(PATIENCE, calls.join_all()).await.expect("in time") {
        assert_eq!(called.expect("an answer"), "done");
    }
    let begun = script.methods().iter().filter(|it| *it == "initialize").count();
    assert_eq!(begun, 2, "{:?}", script.methods());
}

#[tokio::test]
async fn a_server_that_forgets_each_session_at_once_is_given_up() {
    let script = Script::new(|asked| match &*asked.method() {
        "initialize" => {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{LEGACY}}}"#, asked.id());
            with("200 OK", "application/json", "mcp-session-id: s\r\n", &body)
        }
        "notifications/initialized" => json("202 Accepted", ""),
        "tools/call" => json("404 Not Found", ""),
        _ => json("405 Method Not Allowed", ""),
    })
    .await;
    let builder = Client::builder().era(EraChoice::Legacy);
    let client = builder.remote(remote(script.address)).await.expect("a connection");
    let error = timeout(PATIENCE, client.call_tool("change", json!({}))).await.expect("in time");
    assert!(matches!(error, Err(Error::Closed { .. })), "{error:?}");
    assert_eq!(script.methods().iter().filter(|it| *it == "tools/call").count(), 2);
}

#[tokio::test]
async fn whatever_an_old_server_says_to_the_first_question_it_is_greeted() {
    let answers: [(&str, &str); 6] = [
        ("400 Bad Request", r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}"#),
        ("404 Not Found", "not found"),
        ("405 Method Not Allowed", ""),
        ("500 Internal Server Error", "<html>"),
        ("200 OK", r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}"#),
        ("200 OK", r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"what?"}}"#),
    ];
    for (status, body) in answers {
        let script = Script::new(move |asked| match &*asked.method() {
            "server/discover" => json(status, body),
            "initialize" => result(asked, LEGACY),
            "notifications/initialized" => json("202 Accepted", ""),
            "tools/list" => result(asked, r#"{"tools":[]}"#),
            _ => json("405 Method Not Allowed", ""),
        })
        .await;
        let client = timeout(PATIENCE, Client::builder().remote(remote(script.address))).await;
        let client = client.expect("in time").unwrap_or_else(|error| panic!("{status} {body}: {error}"));
        assert_eq!(client.revision(), Revision::V2025_11_25, "{status} {body}");
        client.list_tools().await.expect("tools");
    }
}

#[tokio::test]
async fn a_server_that_is_too_busy_for_the_first_question_is_no_old_one() {
    let script = Script::new(|_| json("503 Service Unavailable", "try later")).await;
    let error = Client::builder().remote(remote(script.address)).await.expect_err("too busy");
    assert!(matches!(&error, Error::Http { status: 503, message, .. } if message == "try later"), "{error}");
    assert!(!script.methods().iter().any(|it| it == "initialize"));
}

#[tokio::test]
async fn answers_that_are_none_are_told() {
    let bodies = [
        with("200 OK", "text/html", "", "<html>"),
        json("200 OK", "nonsense"),
        json("200 OK", r#"{"jsonrpc":"2.0","id":99,"result":{}}"#),
        json("202 Accepted", ""),
        json("502 Bad Gateway", "<html>bad gateway</html>"),
        with("200 OK", "text/event-stream", "", "data: {\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n\n"),
    ];
    for body in bodies {
        let shown = body.clone();
        let script = Script::new(move |asked| match &*asked.method() {
            "initialize" => result(asked, LEGACY),
            "notifications/initialized" => json("202 Accepted", ""),
            "tools/call" => body.clone(),
            _ => json("405 Method Not Allowed", ""),
        })
        .await;
        let builder = Client::builder().era(EraChoice::Legacy);
        let client = builder.remote(remote(script.address)).await.expect("a connection");
        let error = timeout(PATIENCE, client.call_tool("change", json!({}))).await;
        let error = error.unwrap_or_else(|_| panic!("no end: {shown}")).expect_err("no answer");
        let is_told =
            matches!(error, Error::Decode { .. } | Error::Http { .. } | Error::OutcomeUnknown { .. });
        assert!(is_told, "{shown}: {error}");
        assert_eq!(script.methods().iter().filter(|it| *it == "tools/call").count(), 1, "{shown}");
    }
}

#[tokio::test]
async fn a_session_is_deleted_at_the_end() {
    for closes in [true, false] {
        let script = Script::new(|asked| match &*asked.method() {
            "initialize" => {
                let body = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{LEGACY}}}"#, asked.id());
                with("200 OK", "application/json", "mcp-session-id: s\r\n", &body)
            }
            "notifications/initialized" => json("202 Accepted", ""),
            _ => json("405 Method Not Allowed", ""),
        })
        .await;
        let builder = Client::builder().era(EraChoice::Legacy);
        let client = builder.remote(remote(script.address)).await.expect("a connection");
        if closes {
            client.close().await;
        } else {
            drop(client);
        }
        let deleted = async {
            while !script.methods().contains(&"DELETE".to_owned()) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(PATIENCE, deleted).await.expect("the end of the session");
        let asked = script.asked.lock().expect("a lock").clone();
        let delete = asked.iter().find(|it| it.line.starts_with("DELETE")).expect("it");
        assert!(delete.head.contains("mcp-session-id: s\r\n"), "{delete:?}");
    }
}

#[tokio::test]
async fn a_call_whose_connection_of_http_sse_breaks_has_an_unknown_outcome() {
    for (tool, is_harmful) in [("change", true), ("read", false)] {
        let (client, _server) = old_server().await;
        client.list_tools().await.expect("tools");
        let error = timeout(PATIENCE, client.call_tool(tool, json!({}))).await.expect("in time");
        let error = error.expect_err("no answer");
        assert_eq!(matches!(error, Error::OutcomeUnknown { .. }), is_harmful, "{tool}: {error}");
        assert_eq!(matches!(error, Error::Closed { .. }), !is_harmful, "{tool}: {error}");
    }
}

/// Starts a server of HTTP+SSE whose stream ends when a tool is called, and a client of it.
async fn old_server() -> (Client, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let mut task = JoinSet::new();
    task.spawn(async move {
        let mut streams = Vec::new();
        loop {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let Some(asked) = read(&mut stream).await else { continue };
            let answer = match &*asked.method() {
                _ if asked.line.starts_with("GET") => {
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
                    let first = format!("{head}event: endpoint\ndata: /messages\n\n");
                    stream.write_all(first.as_bytes()).await.expect("a client");
                    streams.push(stream);
                    continue;
                }
                // Requests to any other path are refused with 405.
                _ if !asked.line.contains("/messages") => {
                    let refused = json("405 Method Not Allowed", "");
                    stream.write_all(refused.as_bytes()).await.expect("a client");
                    continue;
                }
                "initialize" => Some(LEGACY.replace("2025-11-25", "2024-11-05")),
                "tools/list" => Some(
                    r#"{"tools":[{"name":"read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}"#
                        .to_owned(),
                ),
                "tools/call" => {
                    stream.write_all(json("202 Accepted", "").as_bytes()).await.expect("a client");
                    streams.clear();
                    continue;
                }
                _ => None,
            };
            stream.write_all(json("202 Accepted", "").as_bytes()).await.expect("a client");
            if let (Some(result), Some(stream)) = (answer, streams.last_mut()) {
                let message = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, asked.id());
                stream.write_all(format!("data: {message}\n\n").as_bytes()).await.expect("a client");
            }
        }
    });
    let builder = Client::builder().era(EraChoice::Legacy);
    (builder.remote(remote(address)).await.expect("a connection"), task)
}

#[tokio::test]
async fn a_subscription_outlives_a_server_that_is_away_for_a_moment() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let first = Site::on(listener, |http| http);
    let builder = Client::builder().era(EraChoice::Modern);
    let client = builder.remote(remote(address)).await.expect("a connection");
    let filter = SubscriptionFilter {
        resource_subscriptions: vec!["a://1".to_owned()],
        ..SubscriptionFilter::default()
    };
    let mut listen = client.listen(filter).await.expect("a subscription");
    drop(first);
    // Long enough for the client to try to connect while no server listens on the port.
    tokio::time::sleep(Duration::from_millis(250)).await;
    let listener = TcpListener::bind(address).await.expect("the same port");
    let second = Site::on(listener, |http| http);
    let changed = Some(Change::Resource("a://1".to_owned()));
    assert_eq!(timeout(PATIENCE, listen.next()).await.expect("in time"), changed, "whatever was missed");
    second.handle.notify_resource_updated("a://1");
    assert_eq!(timeout(PATIENCE, listen.next()).await.expect("in time"), changed);
}
