//! Sessions as clients use them: their headers, requests that are repeated in a new session, and streams that
//! are resumed.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use plainwire::client::Change;
use plainwire::model::{LogLevel, SubscriptionFilter};
use plainwire::proto::peer::{EraChoice, RequestOptions};
use plainwire::{Client, Error};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::support::scripted_server::{Asked, Script, json, read, with};
use super::support::site::remote;

const PATIENCE: Duration = Duration::from_secs(10);

const DONE: &str = r#"{"content":[{"type":"text","text":"done"}]}"#;

fn hello(revision: &str) -> String {
    let capabilities = r#"{"logging":{},"tools":{}}"#;
    let info = r#"{"name":"s","version":"1"}"#;
    format!(r#"{{"protocolVersion":"{revision}","capabilities":{capabilities},"serverInfo":{info}}}"#)
}

fn message(asked: &Asked, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, asked.id())
}

fn result(asked: &Asked, result: &str) -> String {
    json("200 OK", &message(asked, result))
}

/// Starts a server that forgets its first session at the first call. `revisions` are the revision of the
/// first session and that of all later ones.
async fn forgetful(revisions: [&'static str; 2]) -> Script {
    let sessions = AtomicUsize::new(0);
    Script::new(move |asked| match &*asked.method() {
        "initialize" => {
            let n = sessions.fetch_add(1, Ordering::SeqCst);
            let body = message(asked, &hello(revisions[n.min(1)]));
            with("200 OK", "application/json", &format!("mcp-session-id: s{n}\r\n"), &body)
        }
        "notifications/initialized" => json("202 Accepted", ""),
        "logging/setLevel" => result(asked, "{}"),
        "tools/call" if asked.head.contains("mcp-session-id: s0") => json("404 Not Found", ""),
        "tools/call" => result(asked, DONE),
        _ => json("405 Method Not Allowed", ""),
    })
    .await
}

async fn connect(script: &Script) -> Client {
    let builder = Client::builder().era(EraChoice::Legacy);
    builder.remote(remote(script.address)).await.expect("a connection")
}

async fn call(client: &Client) -> plainwire::Result<String> {
    timeout(PATIENCE, client.call::<String>("change", json!({}))).await.expect("in time")
}

#[tokio::test]
async fn each_request_says_which_session_and_revision_it_belongs_to() {
    for revision in ["2025-11-25", "2025-06-18"] {
        let script = forgetful([revision; 2]).await;
        assert_eq!(call(&connect(&script).await).await.expect("an answer"), "done");
        let asked = script.asked.lock().expect("a lock").clone();
        let (mut ids, mut versions) = (Vec::new(), Vec::new());
        for call in asked.iter().filter(|it| it.method() == "tools/call") {
            ids.extend(call.head.lines().find_map(|it| it.strip_prefix("mcp-session-id: ")));
            versions.extend(call.head.lines().find_map(|it| it.strip_prefix("mcp-protocol-version: ")));
        }
        assert_eq!((ids, versions), (vec!["s0", "s1"], vec![revision; 2]));
    }
}

#[tokio::test]
async fn the_log_level_is_said_again_in_the_next_session() {
    let script = forgetful(["2025-11-25"; 2]).await;
    let client = connect(&script).await;
    client.set_log_level(LogLevel::Warning).await.expect("a level");
    call(&client).await.expect("an answer");
    let asked = script.asked.lock().expect("a lock").clone();
    let levels: Vec<_> = asked.iter().filter(|it| it.method() == "logging/setLevel").collect();
    assert!(levels.len() == 2 && levels[1].body.contains("warning"), "{levels:?}");
    assert!(levels[1].head.contains("mcp-session-id: s1"), "{levels:?}");
}

#[tokio::test]
async fn the_answer_to_the_opening_of_the_next_session_is_not_read_for_ever() {
    /// The bytes after which the server gives up.
    const MOST: usize = 64 << 20;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (sessions, written) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (begun, count) = (Arc::clone(&sessions), Arc::clone(&written));
    let mut server = JoinSet::new();
    server.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let (begun, count) = (Arc::clone(&begun), Arc::clone(&count));
            connections.spawn(async move {
                let Some(asked) = read(&mut stream).await else { return };
                let is_in_first = asked.head.contains("mcp-session-id: s0");
                let answer = match &*asked.method() {
                    "initialize" => {
                        let id = format!("mcp-session-id: s{}\r\n", begun.fetch_add(1, Ordering::SeqCst));
                        with("200 OK", "application/json", &id, &message(&asked, &hello("2025-11-25")))
                    }
                    "notifications/initialized" if is_in_first => json("202 Accepted", ""),
                    "notifications/initialized" => {
                        let _ = stream.write_all(b"HTTP/1.1 202 Accepted\r\n\r\n").await;
                        while count.load(Ordering::SeqCst) < MOST
                            && stream.write_all(&[b' '; 64 << 10]).await.is_ok()
                        {
                            count.fetch_add(64 << 10, Ordering::SeqCst);
                        }
                        return;
                    }
                    "tools/call" if is_in_first => json("404 Not Found", ""),
                    "tools/call" => result(&asked, DONE),
                    _ => json("405 Method Not Allowed", ""),
                };
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    let client =
        Client::builder().era(EraChoice::Legacy).remote(remote(address)).await.expect("a connection");
    assert_eq!(call(&client).await.expect("an answer"), "done");
    assert_eq!(sessions.load(Ordering::SeqCst), 2);
    // 64 KiB, and what the buffers of the system hold.
    let read = written.load(Ordering::SeqCst);
    assert!(read < 20 << 20, "{} MiB", read >> 20);
}

#[tokio::test]
async fn a_next_session_of_another_revision_is_none() {
    let script = forgetful(["2025-11-25", "2025-06-18"]).await;
    let error = call(&connect(&script).await).await.expect_err("another revision");
    assert!(matches!(&error, Error::Closed { why } if why.contains("another revision")), "{error}");
}

#[tokio::test]
async fn a_session_that_has_no_id_is_not_deleted() {
    let script = Script::new(|asked| match &*asked.method() {
        "initialize" => result(asked, &hello("2025-11-25")),
        "notifications/initialized" => json("202 Accepted", ""),
        _ => json("405 Method Not Allowed", ""),
    })
    .await;
    connect(&script).await.close().await;
    assert!(!script.methods().contains(&"DELETE".to_owned()), "{:?}", script.methods());
}

#[tokio::test]
async fn nothing_is_sent_in_a_session_before_it_is_open() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (is_open, early) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (opens, counts) = (Arc::clone(&is_open), Arc::clone(&early));
    let mut server = JoinSet::new();
    server.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let (opens, counts) = (Arc::clone(&opens), Arc::clone(&counts));
            connections.spawn(async move {
                let Some(asked) = read(&mut stream).await else { return };
                let answer = match &*asked.method() {
                    "initialize" => result(&asked, &hello("2025-11-25")),
                    "notifications/initialized" => {
                        // The server is slow to accept this notification.
                        tokio::time::sleep(Duration::from_millis(200)).await;
                        opens.store(true, Ordering::SeqCst);
                        json("202 Accepted", "")
                    }
                    "tools/call" => {
                        counts.fetch_add(usize::from(!opens.load(Ordering::SeqCst)), Ordering::SeqCst);
                        result(&asked, DONE)
                    }
                    _ => json("405 Method Not Allowed", ""),
                };
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    let builder = Client::builder().era(EraChoice::Legacy);
    let client = builder.remote(remote(address)).await.expect("a connection");
    let (one, other) = tokio::join!(call(&client), call(&client));
    assert_eq!((one.expect("an answer"), other.expect("an answer")), ("done".to_owned(), "done".to_owned()));
    assert_eq!(early.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_stream_is_taken_up_again_when_the_server_wants_it() {
    let answer = Arc::new(std::sync::Mutex::new(String::new()));
    let busy = AtomicBool::new(true);
    let script = Script::new(move |asked| match &*asked.method() {
        "initialize" => result(asked, &hello("2025-11-25")),
        "notifications/initialized" => json("202 Accepted", ""),
        "tools/call" => {
            *answer.lock().expect("a lock") = message(asked, DONE);
            with("200 OK", "text/event-stream", "", "id: 1\nretry: 250\ndata:\n\n")
        }
        _ if !asked.head.contains("last-event-id: 1") => json("405 Method Not Allowed", ""),
        _ if busy.swap(false, Ordering::SeqCst) => json("429 Too Many Requests", ""),
        _ => {
            let event = format!("data: {}\n\n", answer.lock().expect("a lock"));
            with("200 OK", "text/event-stream", "", &event)
        }
    })
    .await;
    let client = connect(&script).await;
    let began = Instant::now();
    assert_eq!(call(&client).await.expect("an answer"), "done");
    // The pauses are 250 ms before the first attempt to resume, and 500 ms after that attempt is refused.
    assert!(began.elapsed() >= Duration::from_millis(750), "{:?}", began.elapsed());
}

#[tokio::test]
async fn messages_of_http_sse_go_to_the_same_origin_only() {
    let thief = Script::new(|_| json("202 Accepted", "")).await;
    let to = thief.address;
    let script = Script::new(move |asked| match asked.line.starts_with("GET") {
        true => with("200 OK", "text/event-stream", "", &format!("event: endpoint\ndata: http://{to}/m\n\n")),
        false => json("405 Method Not Allowed", ""),
    })
    .await;
    let builder = Client::builder().era(EraChoice::Legacy);
    let error = timeout(PATIENCE, builder.remote(remote(script.address))).await.expect("in time");
    let error = error.expect_err("another origin");
    assert!(error.to_string().contains("expected an `endpoint` of the same origin"), "{error}");
    assert_eq!(thief.methods(), [""; 0]);
}

#[tokio::test]
async fn an_endpoint_of_http_sse_has_at_most_8_kib() {
    for (length, is_too_long) in [(8 << 10, false), ((8 << 10) + 1, true)] {
        let endpoint = format!("/{}", "m".repeat(length - 1));
        let script = Script::new(move |asked| match asked.line.starts_with("GET") {
            true => {
                with("200 OK", "text/event-stream", "", &format!("event: endpoint\ndata: {endpoint}\n\n"))
            }
            false => json("405 Method Not Allowed", ""),
        })
        .await;
        let builder = Client::builder().era(EraChoice::Legacy);
        let error = timeout(PATIENCE, builder.remote(remote(script.address))).await.expect("in time");
        let error = error.expect_err("a server that accepts nothing").to_string();
        let expected = "expected an `endpoint` of at most 8192 bytes, but found 8193";
        assert_eq!(error.contains(expected), is_too_long, "{error}");
    }
}

#[tokio::test]
async fn the_stream_of_the_next_session_begins_at_its_beginning() {
    let sessions = AtomicUsize::new(0);
    let script = Script::new(move |asked| match &*asked.method() {
        "initialize" => {
            let n = sessions.fetch_add(1, Ordering::SeqCst);
            let body = message(asked, &hello("2025-11-25"));
            with("200 OK", "application/json", &format!("mcp-session-id: s{n}\r\n"), &body)
        }
        "notifications/initialized" => json("202 Accepted", ""),
        _ if asked.head.contains("mcp-session-id: s1") => json("405 Method Not Allowed", ""),
        _ if asked.head.contains("last-event-id: 7") => json("404 Not Found", ""),
        _ => with("200 OK", "text/event-stream", "", "id: 7\nretry: 10\ndata:\n\n"),
    })
    .await;
    let _client = connect(&script).await;
    let opened = async {
        loop {
            let asked = script.asked.lock().expect("a lock").clone();
            let is_new = |it: &&Asked| it.line.starts_with("GET") && it.head.contains("mcp-session-id: s1");
            match asked.iter().find(is_new) {
                Some(first) => break first.clone(),
                None => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    };
    let first = timeout(PATIENCE, opened).await.expect("another stream");
    assert!(!first.head.contains("last-event-id"), "{first:?}");
}

/// Starts a server with a resource that clients can subscribe to. `stream` answers the requests for the
/// session's stream; its second argument is the number of such requests before this one.
async fn subscribable(stream: impl Fn(&Asked, usize) -> String + Send + Sync + 'static) -> Script {
    let asked_for = AtomicUsize::new(0);
    Script::new(move |asked| match &*asked.method() {
        "initialize" => {
            let capabilities = r#"{"resources":{"subscribe":true}}"#;
            result(asked, &hello("2025-11-25").replace(r#"{"logging":{},"tools":{}}"#, capabilities))
        }
        "notifications/initialized" => json("202 Accepted", ""),
        "resources/subscribe" => result(asked, "{}"),
        _ if asked.line.starts_with("GET") => stream(asked, asked_for.fetch_add(1, Ordering::SeqCst)),
        _ => json("405 Method Not Allowed", ""),
    })
    .await
}

async fn changed(script: &Script) -> Option<Change> {
    let client = connect(script).await;
    let resource_subscriptions = vec!["a://1".to_owned()];
    let filter = SubscriptionFilter { resource_subscriptions, ..SubscriptionFilter::default() };
    let mut listen = client.listen(filter).await.expect("a subscription");
    timeout(PATIENCE, listen.next()).await.expect("in time")
}

#[tokio::test]
async fn whatever_a_stream_has_missed_that_is_not_kept_counts_as_changed() {
    let script = subscribable(|asked, _| match asked.head.contains("last-event-id: 7") {
        true => json("400 Bad Request", ""),
        false => with("200 OK", "text/event-stream", "", "id: 7\nretry: 200\ndata:\n\n"),
    })
    .await;
    assert_eq!(changed(&script).await, Some(Change::Resource("a://1".to_owned())));
}

#[tokio::test]
async fn a_stream_that_the_server_can_not_open_now_is_asked_for_again() {
    let script = subscribable(|_, times| {
        let update =
            r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://1"}}"#;
        match times {
            0 | 1 => json("503 Service Unavailable", ""),
            _ => with("200 OK", "text/event-stream", "", &format!("data: {update}\n\n")),
        }
    })
    .await;
    assert_eq!(changed(&script).await, Some(Change::Resource("a://1".to_owned())));
}

#[tokio::test]
async fn streams_of_2026_07_28_are_not_taken_up_again() {
    let script = Script::new(|asked| match &*asked.method() {
        "server/discover" => {
            let found =
                r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#;
            result(asked, found)
        }
        "tools/call" => with("200 OK", "text/event-stream", "", "id: 7\nretry: 1\ndata:\n\n"),
        _ => json("405 Method Not Allowed", ""),
    })
    .await;
    let client = Client::builder().era(EraChoice::Modern).remote(remote(script.address)).await;
    let error = call(&client.expect("a connection")).await.expect_err("no answer");
    assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error}");
    assert_eq!(script.methods(), ["server/discover", "tools/call"]);
}

/// A server's connections: for each frame, the answer, or `None` to leave it without one.
async fn stalling(
    answer: impl Fn(&Asked) -> Option<String> + Send + Sync + 'static,
) -> (SocketAddr, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let answer = Arc::new(answer);
    let mut server = JoinSet::new();
    server.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            connections.spawn(async move {
                let Some(asked) = read(&mut stream).await else { return };
                match answer(&asked) {
                    Some(answer) => {
                        let _ = stream.write_all(answer.as_bytes()).await;
                    }
                    None => std::future::pending().await,
                }
            });
        }
    });
    (address, server)
}

fn impatient() -> plainwire::client::ClientBuilder {
    let deadlines = RequestOptions { idle: Duration::from_millis(500), ..RequestOptions::default() };
    Client::builder().era(EraChoice::Legacy).deadlines(deadlines)
}

#[tokio::test]
async fn a_session_that_the_server_does_not_let_begin_again_holds_no_request_up_for_ever() {
    let sessions = AtomicUsize::new(0);
    let (address, _server) = stalling(move |asked| match &*asked.method() {
        "initialize" if sessions.fetch_add(1, Ordering::SeqCst) == 0 => Some(with(
            "200 OK",
            "application/json",
            "mcp-session-id: s0\r\n",
            &message(asked, &hello("2025-11-25")),
        )),
        // The server never answers the request for a second session.
        "initialize" => None,
        "notifications/initialized" => Some(json("202 Accepted", "")),
        "tools/call" => Some(result(asked, DONE)),
        // The stream that the client opens by itself: the client takes the session for lost.
        _ => Some(json("404 Not Found", "")),
    })
    .await;
    let client = impatient().remote(remote(address)).await.expect("a connection");
    // The listener has found the 404, and waits for the new session.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut answered = 0;
    for _ in 0..10 {
        answered += usize::from(call(&client).await.is_ok());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(answered > 0, "no request was sent, although the server answers them");
}

#[tokio::test]
async fn a_server_that_does_not_delete_its_session_holds_up_the_end_for_a_second() {
    let deletion = Arc::new(Notify::new());
    let asked_to_delete = Arc::clone(&deletion);
    let (address, _server) = stalling(move |asked| match &*asked.method() {
        "initialize" => Some(with(
            "200 OK",
            "application/json",
            "mcp-session-id: s0\r\n",
            &message(asked, &hello("2025-11-25")),
        )),
        "notifications/initialized" => Some(json("202 Accepted", "")),
        _ if asked.line.starts_with("DELETE") => {
            asked_to_delete.notify_one();
            None
        }
        _ => Some(json("405 Method Not Allowed", "")),
    })
    .await;
    let builder = Client::builder().era(EraChoice::Legacy);
    let client = builder.remote(remote(address)).await.expect("a connection");
    let began = tokio::time::Instant::now();
    // From the request on, the client only waits, and the clock jumps to the end of its wait.
    let paused = async {
        deletion.notified().await;
        tokio::time::pause();
    };
    let closed = async { tokio::join!(client.close(), paused) };
    timeout(PATIENCE, closed).await.expect("in time");
    let took = began.elapsed();
    assert!((Duration::from_secs(1)..Duration::from_secs(2)).contains(&took), "{took:?}");
}

#[tokio::test]
async fn a_server_that_does_not_accept_the_end_of_the_handshake_holds_no_request_up_for_ever() {
    let (address, _server) = stalling(move |asked| match &*asked.method() {
        "initialize" => Some(result(asked, &hello("2025-11-25"))),
        "notifications/initialized" => None,
        "tools/call" => Some(result(asked, DONE)),
        _ => Some(json("405 Method Not Allowed", "")),
    })
    .await;
    let client = impatient().remote(remote(address)).await.expect("a connection");
    let mut answered = 0;
    for _ in 0..10 {
        answered += usize::from(call(&client).await.is_ok());
    }
    assert!(answered > 0, "no request was sent, although the server answers them");
}
