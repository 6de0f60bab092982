//! Limits of clients: the largest value that a limit allows works, and a larger value has the documented
//! effect, such as an error or a wait.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::HeaderMap;
use plainwire::client::http::{Authorize, Authorizing, Outgoing, Refused};
use plainwire::client::{ClientBuilder, Notice};
use plainwire::proto::peer::{EraChoice, Limits};
use plainwire::{Client, Error};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::support::scripted_server::{Asked, Script, json, read, with};
use super::support::site::remote;

const PATIENCE: Duration = Duration::from_secs(20);

const HELLO: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}"#;
const MODERN: &str =
    r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#;
const DONE: &str = r#"{"content":[{"type":"text","text":"done"}]}"#;

fn message(asked: &Asked, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, asked.id())
}

fn result(asked: &Asked, result: &str) -> String {
    json("200 OK", &message(asked, result))
}

fn events(body: &str) -> String {
    with("200 OK", "text/event-stream", "", body)
}

/// Answers `server/discover` and the messages of the handshake, without a session id. Refuses any other
/// request with 405, also the GET that opens a stream.
fn greet(asked: &Asked) -> String {
    match &*asked.method() {
        "initialize" => result(asked, HELLO),
        "server/discover" => result(asked, MODERN),
        "notifications/initialized" => json("202 Accepted", ""),
        _ => json("405 Method Not Allowed", ""),
    }
}

/// Starts a server that answers calls with `answer`, and other requests with [`greet`].
async fn calls(answer: impl Fn(&Asked) -> String + Send + Sync + 'static) -> Script {
    Script::new(move |asked| if asked.method() == "tools/call" { answer(asked) } else { greet(asked) }).await
}

fn legacy() -> ClientBuilder {
    Client::builder().era(EraChoice::Legacy)
}

async fn connect(script: &Script) -> Client {
    legacy().remote(remote(script.address)).await.expect("a connection")
}

async fn call(client: &Client, tool: &str) -> plainwire::Result<String> {
    timeout(PATIENCE, client.call::<String>(tool, json!({}))).await.expect("in time")
}

/// A server that keeps each call waiting until `is_open` is true. It answers other requests at once.
struct Holding {
    address: std::net::SocketAddr,
    /// The number of calls that the server has received.
    calls: watch::Sender<usize>,
    is_open: watch::Sender<bool>,
    /// The number of `notifications/cancelled` that the server has received.
    taken_back: watch::Sender<usize>,
    _task: JoinSet<()>,
}

impl Holding {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (calls, taken_back) = (watch::Sender::new(0), watch::Sender::new(0));
        let is_open = watch::Sender::new(false);
        let (count, gate, back) = (calls.clone(), is_open.clone(), taken_back.clone());
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let (count, mut gate, back) = (count.clone(), gate.subscribe(), back.clone());
                connections.spawn(async move {
                    let Some(asked) = read(&mut stream).await else { return };
                    let mut answer = greet(&asked);
                    let is_back = asked.method() == "notifications/cancelled";
                    back.send_modify(|count: &mut usize| *count += usize::from(is_back));
                    if asked.method() == "tools/call" {
                        count.send_modify(|count| *count += 1);
                        drop(gate.wait_for(|is_open| *is_open).await);
                        answer = result(&asked, DONE);
                    }
                    let _ = stream.write_all(answer.as_bytes()).await;
                });
            }
        });
        Self { address, calls, is_open, taken_back, _task: task }
    }

    async fn has(&self, calls: usize) {
        let mut count = self.calls.subscribe();
        timeout(PATIENCE, count.wait_for(|count| *count >= calls)).await.expect("in time").expect("a server");
    }
}

#[tokio::test]
async fn so_many_requests_are_on_their_way_and_no_more() {
    let server = Holding::new().await;
    let client = Arc::new(legacy().remote(remote(server.address)).await.expect("a connection"));
    let mut running = JoinSet::new();
    for _ in 0..300 {
        let client = Arc::clone(&client);
        running.spawn(async move { call(&client, "change").await });
    }
    server.has(192).await;
    // Time in which one call too many would arrive.
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(*server.calls.borrow(), 192);
    server.is_open.send_replace(true);
    let all = timeout(PATIENCE, running.join_all()).await.expect("in time");
    assert!(all.iter().all(|it| it.as_deref().is_ok_and(|text| text == "done")), "{all:?}");
    assert_eq!(*server.calls.borrow(), 300);
}

/// Starts a server whose answer to a call is a stream that breaks off before the result. The `at`th request
/// to resume the stream gets the result. Others get the events `brings`, or a 503 if `brings` is empty. Also
/// returns the count of the requests to resume.
async fn resuming(at: usize, brings: &'static str) -> (Script, Arc<AtomicUsize>) {
    let resumed = Arc::new(AtomicUsize::new(0));
    let (counted, answer) = (Arc::clone(&resumed), Arc::new(Mutex::new(String::new())));
    let script = Script::new(move |asked| match &*asked.method() {
        "tools/call" => {
            *answer.lock().expect("a lock") = message(asked, DONE);
            events("id: 0\nretry: 1\ndata:\n\n")
        }
        _ if asked.head.contains("last-event-id") => {
            let n = counted.fetch_add(1, Ordering::SeqCst) + 1;
            match brings {
                _ if n == at => events(&format!("id: {n}\ndata: {}\n\n", answer.lock().expect("a lock"))),
                "" => json("503 Service Unavailable", ""),
                brings => events(brings),
            }
        }
        _ => greet(asked),
    })
    .await;
    (script, resumed)
}

#[tokio::test]
async fn a_stream_is_taken_up_again_so_often_without_anything_new() {
    let answered = async |brings, at| {
        let (script, resumed) = resuming(at, brings).await;
        assert_eq!(call(&connect(&script).await, "change").await.expect("an answer"), "done", "{brings:?}");
        assert_eq!(resumed.load(Ordering::SeqCst), at, "{brings:?}");
    };
    let given_up = async |brings| {
        let (script, resumed) = resuming(9, brings).await;
        let error = call(&connect(&script).await, "change").await.expect_err("no answer");
        assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error}");
        assert_eq!(resumed.load(Ordering::SeqCst), 8, "{brings:?}");
        assert_eq!(script.methods().iter().filter(|it| *it == "tools/call").count(), 1);
    };
    // Each waits between its attempts.
    tokio::join!(
        answered("", 8),
        answered(": nothing\n\n", 8),
        answered("id: 1\ndata:\n\n", 20),
        given_up(""),
        given_up(": nothing\n\n"),
    );
}

/// Starts a server whose answers to `method` never end. Returns its address, the number of bytes that it could
/// write, and whether a client has closed the connection of such an answer.
async fn endless(
    method: &'static str,
) -> (std::net::SocketAddr, Arc<AtomicUsize>, watch::Receiver<bool>, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (written, ends, mut task) =
        (Arc::new(AtomicUsize::new(0)), watch::Sender::new(false), JoinSet::new());
    let (count, ended) = (Arc::clone(&written), ends.subscribe());
    task.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let (count, ends) = (Arc::clone(&count), ends.clone());
            connections.spawn(async move {
                let Some(asked) = read(&mut stream).await else { return };
                if asked.method() != method {
                    let _ = stream.write_all(greet(&asked).as_bytes()).await;
                    return;
                }
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n").await;
                while stream.write_all(&[b' '; 64 << 10]).await.is_ok() {
                    count.fetch_add(64 << 10, Ordering::SeqCst);
                }
                ends.send_replace(true);
            });
        }
    });
    (address, written, ended, task)
}

#[tokio::test]
async fn two_large_messages_arrive_at_a_time() {
    let (address, written, _, _task) = endless("tools/call").await;
    let limits = Limits { frame_in: 40 << 20, ..Limits::default() };
    let client = Arc::new(legacy().limits(limits).remote(remote(address)).await.expect("a connection"));
    let mut running = JoinSet::new();
    for _ in 0..20 {
        let client = Arc::clone(&client);
        running.spawn(async move { call(&client, "change").await });
    }
    let first =
        timeout(PATIENCE, running.join_next()).await.expect("in time").expect("a call").expect("no panic");
    let error = first.expect_err("an answer that is too long").to_string();
    assert!(error.contains("(limit `frame_in`)"), "{error}");
    // Two messages of 40 MiB, and what the buffers of the system hold of the others.
    let read = written.load(Ordering::SeqCst);
    assert!(read < 250 << 20, "{} MiB", read >> 20);
}

#[tokio::test]
async fn a_response_without_a_message_is_not_read_for_ever() {
    let (address, written, mut ended, _task) = endless("notifications/x").await;
    let client = legacy().remote(remote(address)).await.expect("a connection");
    client.notify("notifications/x", "{}").await.expect("sent");
    timeout(PATIENCE, ended.wait_for(|ended| *ended)).await.expect("given up").expect("a server");
    let read = written.load(Ordering::SeqCst);
    assert!(read < 20 << 20, "{} MiB", read >> 20);
}

/// Starts a server that redirects from `/mcp` to `/1`, from there to `/2` and so forth, and answers at
/// `/{hops}`.
async fn leading(hops: usize) -> Script {
    Script::new(move |asked| {
        let path = asked.line.split(' ').nth(1).unwrap_or_default();
        let at: usize = path.trim_start_matches('/').parse().unwrap_or(0);
        if at == hops {
            return greet(asked);
        }
        with("307 Temporary Redirect", "text/plain", &format!("location: /{}\r\n", at + 1), "")
    })
    .await
}

#[tokio::test]
async fn so_many_redirects_are_followed() {
    let script = leading(5).await;
    connect(&script).await;
    let script = leading(6).await;
    let error = legacy().remote(remote(script.address)).await.expect_err("one too many");
    assert!(matches!(error, Error::Http { status: 307, .. }), "{error}");
    assert!(error.to_string().contains("it redirects to \"/6\"; at most 5 redirects"), "{error}");
    assert_eq!(script.methods(), ["initialize"; 6]);
}

/// An [`Authorize`] whose `authorization` header is a number that grows by 1 with each refusal. It records
/// the attempt number of each refusal.
#[derive(Clone, Debug, Default)]
struct Patient {
    proof: Arc<AtomicU32>,
    attempts: Arc<Mutex<Vec<u32>>>,
}

impl Authorize for Patient {
    fn headers<'a>(&'a self, _: Outgoing<'a>) -> Authorizing<'a, HeaderMap> {
        let proof = self.proof.load(Ordering::SeqCst);
        Box::pin(async move { Ok(HeaderMap::from_iter([(http::header::AUTHORIZATION, proof.into())])) })
    }

    fn challenged<'a>(&'a self, refused: Refused<'a>) -> Authorizing<'a, ()> {
        self.attempts.lock().expect("a lock").push(refused.attempt);
        self.proof.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn so_many_other_proofs_are_shown() {
    for (wanted, is_let_in) in [(5, true), (6, false)] {
        let header = format!("authorization: {wanted}\r\n");
        let script = Script::new(move |asked| match asked.head.contains(&header) {
            true => greet(asked),
            false => json("401 Unauthorized", ""),
        })
        .await;
        let patient = Patient::default();
        let connected = legacy().remote(remote(script.address).authorize(patient.clone())).await;
        match connected {
            Ok(_) => assert!(is_let_in),
            Err(error) => {
                assert!(!is_let_in && matches!(error, Error::Http { status: 401, .. }), "{error}");
                assert!(error.to_string().contains("with one of 5 other credentials"), "{error}");
                assert_eq!(script.methods(), ["initialize"; 6]);
            }
        }
        let attempts: Vec<u32> = (0..wanted).collect();
        assert_eq!(*patient.attempts.lock().expect("a lock"), attempts);
    }
}

/// Starts a server of 10,001 tools. In the first list all of them are read-only; in later lists the first
/// tool is not. Instead of answering a call, it closes the connection.
async fn crowded() -> Script {
    let lists = AtomicUsize::new(0);
    Script::new(move |asked| match &*asked.method() {
        "tools/list" => {
            let is_again = lists.fetch_add(1, Ordering::SeqCst) > 0;
            let tools: Vec<_> = (0..=10_000)
                .map(|n| {
                    let hints = json!({ "readOnlyHint": !(is_again && n == 0) });
                    json!({ "name": format!("t{n}"), "inputSchema": { "type": "object" }, "annotations": hints })
                })
                .collect();
            result(asked, &json!({ "tools": tools }).to_string())
        }
        "tools/call" => String::new(),
        _ => greet(asked),
    })
    .await
}

#[tokio::test]
async fn so_many_tools_are_known_to_be_harmless() {
    let script = crowded().await;
    let client = connect(&script).await;
    let mut before = 0;
    let mut check = async |tool: &str, times: usize| {
        call(&client, tool).await.expect_err("no answer");
        let calls = script.methods().iter().filter(|it| *it == "tools/call").count();
        assert_eq!(calls - std::mem::replace(&mut before, calls), times, "{tool}");
    };
    assert_eq!(client.list_tools().await.expect("tools").len(), 10_001);
    check("t0", 2).await;
    check("t9999", 2).await;
    check("t10000", 1).await;
    // The client knows the hints of 10,000 tools, and a new list still updates them.
    client.list_tools().await.expect("tools");
    check("t0", 1).await;
    check("t1", 2).await;
}

/// Returns a client that accepts messages of at most `frame_in` bytes.
async fn within(script: &Script, frame_in: usize) -> Client {
    let limits = Limits { frame_in, ..Limits::default() };
    legacy().limits(limits).remote(remote(script.address)).await.expect("a connection")
}

/// Returns the message that answers the call `asked`, padded to `bytes` bytes.
fn sized(asked: &Asked, bytes: usize) -> String {
    let text = |n: usize| message(asked, &DONE.replace("done", &"x".repeat(n)));
    text(bytes - text(0).len())
}

#[tokio::test]
async fn an_answer_may_have_so_many_bytes() {
    let script = calls(|asked| json("200 OK", &sized(asked, 2_000))).await;
    call(&within(&script, 2_000).await, "change").await.expect("an answer");
    let error = call(&within(&script, 1_999).await, "change").await.expect_err("too long");
    assert!(matches!(error, Error::Decode { .. }), "{error}");
    let expected = "expected a response of at most 1999 bytes (limit `frame_in`), but found a longer one";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn an_event_may_have_so_many_bytes() {
    let field = "data: ".len();
    let script = calls(move |asked| events(&format!("data: {}\n\n", sized(asked, 2_000 - field)))).await;
    call(&within(&script, 2_000).await, "change").await.expect("an answer");
    let error = call(&within(&script, 1_999).await, "change").await.expect_err("too long");
    assert!(matches!(error, Error::Decode { .. }), "{error}");
    let expected = "expected an event of at most 1999 bytes (limit `frame_in`), but found a longer one";
    assert_eq!(error.to_string(), expected);
    // The client does not repeat the call, because the server has answered it.
    assert_eq!(script.methods().iter().filter(|it| *it == "tools/call").count(), 2);
}

#[tokio::test]
async fn an_event_that_nobody_waits_for_may_be_too_long() {
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let long = format!(r#"{{"jsonrpc":"2.0","method":"notifications/x{}"}}"#, "x".repeat(2_000));
    let script = Script::new(move |asked| match asked.line.starts_with("GET") {
        true => events(&format!("data: {long}\n\ndata: {changed}\n\n")),
        false => greet(asked),
    })
    .await;
    let client = within(&script, 1_000).await;
    let mut notices = client.notices().expect("notices");
    let notice = timeout(PATIENCE, notices.recv()).await.expect("in time").expect("a notice");
    assert!(matches!(notice, Notice::ListChanged(_)), "{notice:?}");
}

#[tokio::test]
async fn requests_that_nobody_waits_for_any_more_make_room() {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let server = Holding::new().await;
        let builder = Client::builder().era(era);
        let client = Arc::new(builder.remote(remote(server.address)).await.expect("a connection"));
        let mut running = JoinSet::new();
        for _ in 0..400 {
            let client = Arc::clone(&client);
            running.spawn(async move { call(&client, "change").await });
        }
        server.has(192).await;
        // 192 calls are in flight; the other 208 have not been sent. All of them are dropped.
        running.shutdown().await;
        let _ = timeout(PATIENCE, client.list_tools()).await.expect("room");
        assert_eq!(*server.calls.borrow(), 192, "{era:?}: a call was made that nobody waited for");
        // Spec: 2026-07-28 `streamable-http`: closing the stream cancels the call, and no message is sent.
        let messages = if era == EraChoice::Legacy { 192 } else { 0 };
        let mut taken_back = server.taken_back.subscribe();
        let all = timeout(PATIENCE, taken_back.wait_for(|count| *count >= messages)).await;
        assert_eq!(*all.expect("in time").expect("a server"), messages, "{era:?}");
    }
}

#[tokio::test]
async fn the_cancellation_of_a_call_is_sent_before_a_client_closes() {
    let server = Holding::new().await;
    let client = legacy().remote(remote(server.address)).await.expect("a connection");
    let mut call = Box::pin(call(&client, "change"));
    tokio::select! { _ = &mut call => panic!("an answer"), () = server.has(1) => {} }
    drop(call);
    client.close().await;
    assert_eq!(*server.taken_back.borrow(), 1);
}

/// A server that makes requests over its stream, and lets the answers wait until `is_open` is true.
#[tokio::test]
async fn so_many_answers_are_on_their_way_and_no_more() {
    const PINGS: usize = 500;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (answers, is_open) = (watch::Sender::new(0), watch::Sender::new(false));
    let (count, gate) = (answers.clone(), is_open.clone());
    let mut server = JoinSet::new();
    server.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let (count, mut gate) = (count.clone(), gate.subscribe());
            connections.spawn(async move {
                let Some(asked) = read(&mut stream).await else { return };
                let mut answer = greet(&asked);
                if asked.line.starts_with("GET") {
                    let pings: String = (0..PINGS)
                        .map(|id| {
                            format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n\n")
                        })
                        .collect();
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
                    let _ = stream.write_all(format!("{head}{pings}").as_bytes()).await;
                    // The stream stays open.
                    return std::future::pending().await;
                } else if asked.method().is_empty() {
                    count.send_modify(|count: &mut usize| *count += 1);
                    drop(gate.wait_for(|is_open| *is_open).await);
                    answer = json("202 Accepted", "");
                } else if asked.method() == "tools/call" {
                    answer = result(&asked, DONE);
                }
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    let client = legacy().remote(remote(address)).await.expect("a connection");
    let has = async |least: usize| {
        let mut count = answers.subscribe();
        timeout(PATIENCE, count.wait_for(|count| *count >= least)).await.expect("in time").expect("a server");
    };
    has(64).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(*answers.borrow(), 64);
    is_open.send_replace(true);
    has(PINGS).await;
    assert_eq!(call(&client, "change").await.expect("an answer"), "done");
    assert_eq!(*answers.borrow(), PINGS, "each ping has one answer");
}

/// A server that refuses each answer of the client with a long text, whose end never comes.
#[tokio::test]
async fn refusals_of_answers_that_never_end_hold_nothing_up() {
    const PINGS: usize = 70;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let answers = watch::Sender::new(0);
    let count = answers.clone();
    let mut server = JoinSet::new();
    server.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let count = count.clone();
            connections.spawn(async move {
                let Some(asked) = read(&mut stream).await else { return };
                let answer = match &*asked.method() {
                    _ if asked.line.starts_with("GET") => {
                        let ping =
                            |id| format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n\n");
                        let pings: String = (0..PINGS).map(ping).collect();
                        format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{pings}")
                    }
                    "" => {
                        count.send_modify(|count: &mut usize| *count += 1);
                        format!("HTTP/1.1 500 Internal Server Error\r\n\r\n{}", "x".repeat(200 << 10))
                    }
                    "tools/call" => result(&asked, DONE),
                    _ => greet(&asked),
                };
                let is_whole = answer.contains("content-length");
                let _ = stream.write_all(answer.as_bytes()).await;
                if !is_whole {
                    std::future::pending().await
                }
            });
        }
    });
    let client = legacy().remote(remote(address)).await.expect("a connection");
    let mut count = answers.subscribe();
    timeout(PATIENCE, count.wait_for(|count| *count == PINGS)).await.expect("in time").expect("a server");
    assert_eq!(call(&client, "change").await.expect("an answer"), "done");
}
