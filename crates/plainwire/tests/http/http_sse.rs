//! HTTP+SSE of 2024-11-05: one stream for all messages of a session.

use std::sync::atomic::Ordering;
use std::time::Duration;

use http::Method;
use http_body_util::Full;
use plainwire::http::Http;
use plainwire::proto::peer::Limits;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::support::service_client::{Answer, MODERN, Web, call, request};
use super::support::socket_client::{Running, Wire, post_to, until};
use super::support::{Seen, http, server, whoami};

const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// A client of HTTP+SSE, with its open stream. `web` sends to the path for messages.
struct Client {
    stream: Answer,
    web: Web,
}

impl Client {
    /// Opens a stream, and reads the path for messages from its first event.
    async fn open(web: &Web) -> Self {
        let mut stream = web.at("/sse").get().await;
        assert_eq!((stream.status, stream.header("content-type")), (200, Some("text/event-stream")));
        let endpoint = stream.event().await.expect("the first event");
        assert_eq!(endpoint.name.as_deref(), Some("endpoint"));
        Self { stream, web: web.at(endpoint.data) }
    }

    /// Opens a stream and completes the handshake on it.
    async fn connect(web: &Web, version: &str) -> Self {
        let mut client = Self::open(web).await;
        assert_eq!(client.initialize(version).await, version);
        client
    }

    /// Sends `initialize` with `version`, and returns the version that the server answers with.
    async fn initialize(&mut self, version: &str) -> Value {
        let params = json!({ "protocolVersion": version, "capabilities": { "elicitation": {} }, "clientInfo": { "name": "c", "version": "1" } });
        self.post(&request(0, "initialize", params)).await;
        let chosen = self.next().await["result"]["protocolVersion"].clone();
        self.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        chosen
    }

    /// Sends a message and expects a 202 without a body.
    async fn post(&self, message: &Value) {
        let answer = self.web.post(message).await;
        assert_eq!(answer.status, 202);
        assert_eq!(answer.text().await, "");
    }

    /// Returns the next message on the stream.
    async fn next(&mut self) -> Value {
        let event = self.stream.event().await.expect("an event");
        assert_eq!((event.name.as_deref(), event.id), (Some("message"), None));
        serde_json::from_str(&event.data).expect("JSON")
    }

    async fn ask(&mut self, message: &Value) -> Value {
        self.post(message).await;
        self.next().await
    }
}

fn sse() -> Web {
    Web::new(http().http_sse())
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().expect("text")
}

fn cancel(id: i64) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })
}

#[tokio::test]
async fn every_revision_with_a_handshake_is_spoken_on_one_stream() {
    let web = sse();
    for version in VERSIONS {
        let mut client = Client::connect(&web, version).await;
        let answer = client.ask(&call(1, "echo", json!({ "text": version }))).await;
        assert_eq!((&answer["id"], text(&answer)), (&json!(1), version));
        assert_eq!(client.ask(&request(2, "nothing", json!({}))).await["error"]["code"], -32601);
    }
    let mut client = Client::open(&web).await;
    assert_eq!(client.initialize(MODERN).await, "2025-11-25");
}

#[tokio::test]
async fn progress_and_the_answer_come_on_the_stream() {
    let mut client = Client::connect(&sse(), "2024-11-05").await;
    client.post(&call(1, "count", json!({ "to": 20, "pause_ms": 1 }))).await;
    for n in 1..=20 {
        assert_eq!(client.next().await["params"]["progress"], n);
    }
    assert_eq!(text(&client.next().await), "counted to 20");
}

#[tokio::test]
async fn a_stream_that_can_not_be_taken_up_again_is_not_left_by_its_tools() {
    let mut client = Client::connect(&sse(), "2025-11-25").await;
    assert_eq!(client.ask(&call(1, "leave", json!({}))).await["params"]["progress"], 1);
    assert_eq!(text(&client.next().await), "still here");
}

#[tokio::test]
async fn a_question_and_what_changes_come_on_the_stream() {
    let mut server = server(&Seen::default());
    let handle = server.handle();
    let mut client = Client::connect(&Web::new(Http::new(server).http_sse()), "2025-06-18").await;
    let question = client.ask(&call(1, "greet", json!({}))).await;
    assert_eq!(question["method"], "elicitation/create");
    let content = json!({ "action": "accept", "content": { "name": "Ada" } });
    let answer = client.ask(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": content })).await;
    assert_eq!(text(&answer), "Hello, Ada!");
    assert_eq!(
        client.ask(&request(2, "resources/subscribe", json!({ "uri": "a://1" }))).await["result"],
        json!({})
    );
    handle.notify_resource_updated("a://1");
    assert_eq!(client.next().await["params"]["uri"], "a://1");
}

#[tokio::test]
async fn a_cancelled_call_ends_and_is_not_answered() {
    let seen = Seen::default();
    let mut client = Client::connect(&Web::new(Http::new(server(&seen)).http_sse()), "2024-11-05").await;
    client.post(&call(1, "wait", json!({ "ms": 60_000 }))).await;
    sleep(Duration::from_millis(20)).await;
    assert_eq!(seen.running.load(Ordering::SeqCst), 1);
    client.post(&cancel(1)).await;
    sleep(Duration::from_millis(20)).await;
    assert_eq!((seen.running.load(Ordering::SeqCst), seen.dropped.load(Ordering::SeqCst)), (0, 1));
    assert_eq!(client.ask(&request(2, "ping", json!({}))).await["id"], 2, "no answer to the other one");
}

#[tokio::test]
async fn a_client_that_leaves_ends_its_session_and_what_it_called() {
    let seen = Seen::default();
    let Client { stream, web } =
        Client::connect(&Web::new(Http::new(server(&seen)).http_sse()), "2024-11-05").await;
    assert_eq!(web.post(&call(1, "wait", json!({ "ms": 60_000 }))).await.status, 202);
    sleep(Duration::from_millis(20)).await;
    drop(stream);
    sleep(Duration::from_millis(20)).await;
    assert_eq!((seen.running.load(Ordering::SeqCst), seen.dropped.load(Ordering::SeqCst)), (0, 1));
    let refused = web.post(&request(2, "ping", json!({}))).await;
    assert_eq!((refused.status, &refused.json().await["id"]), (404, &json!(2)));
}

#[tokio::test]
async fn sessions_are_told_apart_by_ids_that_nobody_guesses() {
    let web = sse();
    let (first, second) =
        (Client::connect(&web, "2024-11-05").await, Client::connect(&web, "2024-11-05").await);
    let id = |client: &Client| {
        client.web.uri.strip_prefix("/messages?sessionId=").expect("an address on this server").to_owned()
    };
    assert_ne!(id(&first), id(&second));
    assert!(id(&first).len() == 32 && id(&first).bytes().all(|it| it.is_ascii_hexdigit()));
    let ping = request(1, "ping", json!({}));
    for uri in [
        "/messages",
        "/messages?sessionId=",
        "/messages?sessionId=00000000000000000000000000000000",
        "/messages?x",
    ] {
        let refused = web.at(uri).post(&ping).await;
        assert_eq!(refused.status, 404, "{uri}");
        assert!(
            refused.json().await["error"]["message"].as_str().is_some_and(|it| it.contains("`sessionId`"))
        );
    }
    let with_more = web.at(format!("{}&x=1", first.web.uri));
    assert_eq!(with_more.post(&ping).await.status, 202);
}

#[tokio::test]
async fn a_stream_belongs_to_who_opened_it() {
    let server = server(&Seen::default()).tool(whoami);
    let http = Http::new(server).http_sse().bearer_token("ada", "a-token").bearer_token("bob", "b-token");
    let web = Web::new(http);
    assert_eq!(web.at("/sse").get().await.status, 401);
    let mut ada = Client::connect(&web.with("authorization", "Bearer a-token"), "2024-11-05").await;
    let question = call(1, "whoami", json!({}));
    assert_eq!(text(&ada.ask(&question).await), "ada");
    assert_eq!(ada.web.with("authorization", "Bearer b-token").post(&question).await.status, 404);
    assert_eq!(ada.web.with("authorization", "").post(&question).await.status, 401);
}

#[tokio::test]
async fn what_is_checked_at_the_endpoint_is_checked_here() {
    let limits = Limits { frame_in: 1_000, ..Limits::default() };
    let web = Web::new(Http::new(server(&Seen::default()).limits(limits)).http_sse().allow_host("localhost"));
    let client = Client::connect(&web, "2024-11-05").await;
    let (stream, messages) = (web.at("/sse"), &client.web);
    let ping = request(1, "ping", json!({}));
    for web in [&stream, messages] {
        let evil = web.with("origin", "https://evil.example");
        assert_eq!((evil.get().await.status, evil.post(&ping).await.status), (403, 403));
        assert_eq!(web.with("host", "evil.example").get().await.status, 403);
        assert_eq!(web.send(Method::DELETE, Full::default()).await.status, 405);
        let preflight = web.with("origin", "http://localhost:1").send(Method::OPTIONS, Full::default()).await;
        assert_eq!(
            (preflight.status, preflight.header("access-control-allow-origin")),
            (204, Some("http://localhost:1"))
        );
    }
    assert_eq!(stream.post(&ping).await.header("allow"), Some("GET, OPTIONS"));
    assert_eq!(messages.get().await.header("allow"), Some("OPTIONS, POST"));
    assert_eq!(stream.with("accept", "application/json").get().await.status, 406);
    assert_eq!(messages.with("content-type", "text/plain").post(&ping).await.status, 415);
    assert_eq!(messages.post(&call(1, "echo", json!({ "text": "x".repeat(1_000) }))).await.status, 413);
    assert_eq!(messages.with("accept", "").post(&ping).await.status, 202, "nothing is answered here");
}

#[tokio::test]
async fn what_can_be_answered_is_and_anything_else_has_a_status() {
    let mut client = Client::connect(&sse(), "2025-06-18").await;
    for body in ["", "{", "\u{0}", "[]", r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#] {
        let refused = client.web.send(Method::POST, Full::from(body)).await;
        assert_eq!(refused.status, 400, "{body:?}");
        assert!(refused.json().await["error"]["message"].is_string());
    }
    let broken = client.ask(&json!({ "jsonrpc": "1.0", "id": 7, "method": "ping" })).await;
    assert_eq!((&broken["id"], &broken["error"]["code"]), (&json!(7), &json!(-32600)));
    let mut batches = Client::connect(&sse(), "2025-03-26").await;
    let batch = json!([request(1, "ping", json!({})), request(2, "ping", json!({}))]);
    assert_eq!(batches.ask(&batch).await.as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn what_describes_itself_belongs_to_the_other_endpoint() {
    let client = Client::connect(&sse(), "2025-11-25").await;
    let params = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": MODERN } });
    for method in ["server/discover", "tools/list", "initialize"] {
        let refused = client.web.post(&request(1, method, params.clone())).await;
        assert_eq!(refused.status, 400, "{method}");
        let refused = refused.json().await;
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32022)));
        let supported: Vec<_> = VERSIONS.iter().rev().collect();
        assert_eq!(refused["error"]["data"], json!({ "supported": supported, "requested": MODERN }));
    }
    for (web, message) in [
        (client.web.with("mcp-protocol-version", MODERN), request(1, "ping", json!({}))),
        (client.web.with("mcp-protocol-version", "1999-01-01"), request(1, "ping", json!({}))),
        (client.web.clone(), request(1, "server/discover", json!({}))),
        (client.web.clone(), json!({ "jsonrpc": "2.0", "method": "notifications/x", "params": params })),
    ] {
        assert_eq!(web.post(&message).await.status, 400, "{message}");
    }
    assert_eq!(
        client
            .web
            .with("mcp-protocol-version", "2025-11-25")
            .post(&request(1, "ping", json!({})))
            .await
            .status,
        202
    );
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_does_not_read_holds_up_its_own_session_only() {
    let web = sse();
    let (mut slow, mut other) =
        (Client::connect(&web, "2024-11-05").await, Client::connect(&web, "2024-11-05").await);
    let large = |id| call(id, "echo", json!({ "text": "x".repeat(200_000) }));
    for id in 1..=6 {
        slow.post(&large(id)).await;
    }
    // Slow calls run as tasks, which end here.
    sleep(Duration::from_millis(1)).await;
    let told = slow.web.post_for(&large(0), Duration::from_secs(31)).await;
    assert_eq!(told.status, 503, "a request that would bring more");
    let told = told.json().await;
    assert_eq!((&told["id"], &told["error"]["code"]), (&json!(0), &json!(-32603)));
    slow.post(&cancel(1)).await;
    assert_eq!(other.ask(&request(1, "ping", json!({}))).await["result"], json!({}));
    // The server responds to these requests only after the client has read the first answer from the stream.
    let (seventh, eighth) = (slow.web.clone(), slow.web.clone());
    let (large_7, large_8) = (large(7), large(8));
    let posts = async { tokio::join!(seventh.post(&large_7), eighth.post(&large_8)) };
    let reads = async {
        sleep(Duration::from_secs(1)).await;
        for id in 1..=8 {
            assert_eq!(slow.next().await["id"], id);
        }
    };
    let ((seventh, eighth), ()) = tokio::join!(posts, reads);
    assert_eq!((seventh.status, eighth.status), (202, 202));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_ends_lets_go_of_who_waits() {
    let Client { stream, web } = Client::connect(&sse(), "2024-11-05").await;
    let large = call(1, "echo", json!({ "text": "x".repeat(1_100_000) }));
    assert_eq!(web.post(&large).await.status, 202);
    let ends = async {
        sleep(Duration::from_secs(1)).await;
        drop(stream);
    };
    let (waited, ()) = tokio::join!(web.post(&large), ends);
    assert_eq!((waited.status, &waited.json().await["id"]), (404, &json!(1)));
}

#[tokio::test(start_paused = true)]
async fn a_quiet_stream_says_that_it_is_alive() {
    let mut client = Client::connect(&sse(), "2024-11-05").await;
    for _ in 0..3 {
        let silence = timeout(Duration::from_secs(16), client.stream.bytes()).await;
        assert_eq!(silence.expect("something in time"), ":\n\n");
    }
    assert_eq!(client.ask(&request(1, "ping", json!({}))).await["id"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_even_answer_a_ping_has_left() {
    let http = Http::new(server(&Seen::default()).ping_every(Duration::from_secs(10))).http_sse();
    let mut client = Client::connect(&Web::new(http), "2024-11-05").await;
    sleep(Duration::from_secs(11)).await;
    let ping = client.next().await;
    assert_eq!(ping["method"], "ping");
    client.post(&json!({ "jsonrpc": "2.0", "id": ping["id"], "result": {} })).await;
    sleep(Duration::from_secs(11)).await;
    assert_eq!(client.next().await["method"], "ping");
    sleep(Duration::from_secs(11)).await;
    assert_eq!(client.stream.event().await, None);
    assert_eq!(client.web.post(&request(1, "ping", json!({}))).await.status, 404);
}

#[tokio::test]
async fn calls_count_as_requests_until_they_are_answered_or_cancelled() {
    let limits = Limits { in_flight: 2, ..Limits::default() };
    let web = Web::new(Http::new(server(&Seen::default()).limits(limits)).http_sse());
    let mut client = Client::connect(&web, "2024-11-05").await;
    let (long, short) =
        (|id| call(id, "wait", json!({ "ms": 60_000 })), call(2, "wait", json!({ "ms": 30 })));
    client.post(&long(1)).await;
    client.post(&short).await;
    assert_eq!(client.web.post(&long(3)).await.status, 429);
    let again = Client::open(&web).await;
    assert_eq!(again.web.post(&long(3)).await.status, 429, "another stream is no way out");
    assert_eq!(client.next().await["id"], 2);
    client.post(&long(3)).await;
    assert_eq!(client.web.post(&long(4)).await.status, 429);
    client.post(&cancel(1)).await;
    // The slot of the cancelled call is free once its handler has ended.
    sleep(Duration::from_millis(20)).await;
    client.post(&long(4)).await;
    assert_eq!(client.web.post(&long(5)).await.status, 429);
    drop(client);
    sleep(Duration::from_millis(20)).await;
    let mut next = Client::connect(&web, "2024-11-05").await;
    assert_eq!(
        next.ask(&request(6, "ping", json!({}))).await["id"],
        6,
        "its calls have ended with the session"
    );
}

#[tokio::test]
async fn a_batch_counts_with_each_of_its_messages_until_it_is_answered() {
    let limits = Limits { in_flight: 3, ..Limits::default() };
    let web = Web::new(Http::new(server(&Seen::default()).limits(limits)).http_sse());
    let mut client = Client::connect(&web, "2025-03-26").await;
    let wait = |id, ms: u64| call(id, "wait", json!({ "ms": ms }));
    for _ in 0..3 {
        let answers = client.ask(&json!([wait(1, 5), wait(2, 5)])).await;
        assert_eq!(answers.as_array().map(Vec::len), Some(2));
    }
    client.post(&json!([wait(1, 60_000), wait(2, 60_000)])).await;
    assert_eq!(client.web.post(&json!([wait(3, 1), wait(4, 1)])).await.status, 429);
    assert_eq!(client.web.post(&request(3, "ping", json!({}))).await.status, 202);
    assert_eq!(client.next().await["id"], 3);
}

#[tokio::test]
async fn a_stream_too_many_is_refused_and_one_that_ends_makes_room() {
    let web = sse().at("/sse");
    let mut streams = Vec::new();
    for _ in 0..1_024 {
        streams.push(web.get().await);
    }
    assert!(streams.iter().all(|it| it.status == 200));
    assert_eq!(web.get().await.status, 429);
    streams.pop();
    assert_eq!(web.get().await.status, 200);
}

#[tokio::test]
async fn nobody_serves_it_who_was_not_asked_to() {
    let web = Web::new(http());
    assert_eq!(web.at("/sse").get().await.status, 405, "the endpoint itself, which answers anywhere");
    let taken = http().path("/messages").http_sse().serve("127.0.0.1:0").await.expect_err("two at one path");
    assert!(taken.to_string().contains("expected `path`"), "{taken}");
}

/// Opens a stream over a socket and completes the handshake on it. Returns the stream and the path for
/// messages.
async fn connect_over_tcp(running: &Running) -> (Wire<TcpStream>, String) {
    let mut stream = running.connect().await;
    stream.send("GET /sse HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n").await;
    stream.up_to("data: ").await;
    let path = stream.up_to("\n").await.trim().to_owned();
    let params = json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    assert_eq!(post_over_tcp(running, &path, &request(0, "initialize", params)).await, 202);
    stream.up_to("protocolVersion").await;
    (stream, path)
}

/// Sends a message on a new connection, and returns the status of the response.
async fn post_over_tcp(running: &Running, path: &str, message: &Value) -> u16 {
    send_over_tcp(running, path, message).await.answer().await.status
}

async fn send_over_tcp(running: &Running, path: &str, message: &Value) -> Wire<TcpStream> {
    let mut wire = running.connect().await;
    wire.send(&post_to(path, "connection: close\r\n", message)).await;
    wire
}

/// Makes calls without reading their answers from the stream, until the server holds back the response to a
/// POST. Returns the id of that call, and the connection on which the response will arrive.
async fn fill_over_tcp(running: &Running, path: &str) -> (i64, Wire<TcpStream>) {
    for id in 1..200 {
        let large = call(id, "echo", json!({ "text": "x".repeat(400_000) }));
        let mut wire = send_over_tcp(running, path, &large).await;
        match timeout(Duration::from_millis(500), wire.answer()).await {
            Ok(taken) => assert_eq!(taken.status, 202),
            Err(_) => return (id, wire),
        }
    }
    panic!("80 MB were taken although none of it was read");
}

#[tokio::test]
async fn over_a_socket_a_session_ends_with_its_connection_and_with_its_server() {
    let mut running = Running::new(Http::http_sse).await;
    let ((mut idle, _), (leaving, path)) =
        (connect_over_tcp(&running).await, connect_over_tcp(&running).await);
    assert_eq!(post_over_tcp(&running, &path, &call(1, "wait", json!({ "ms": 60_000 }))).await, 202);
    drop(leaving);
    until("the call ends with its connection", || running.dropped() == 1).await;
    assert_eq!(post_over_tcp(&running, &path, &request(2, "ping", json!({}))).await, 404);
    running.ask_to_end();
    idle.up_to_end().await;
    running.ended().await;
}

#[tokio::test]
async fn over_a_socket_a_server_that_ends_lets_calls_drain() {
    let mut running = Running::new(Http::http_sse).await;
    let (mut stream, path) = connect_over_tcp(&running).await;
    assert_eq!(post_over_tcp(&running, &path, &call(1, "wait", json!({ "ms": 100 }))).await, 202);
    running.ask_to_end();
    stream.up_to("waited").await;
    stream.up_to_end().await;
    running.ended().await;
}

#[tokio::test]
async fn over_a_socket_a_server_that_ends_does_not_wait_for_ever() {
    let mut running = Running::of(|server| server.drain(Duration::from_millis(50)), Http::http_sse).await;
    let (mut stream, path) = connect_over_tcp(&running).await;
    assert_eq!(post_over_tcp(&running, &path, &call(1, "wait", json!({ "ms": 60_000 }))).await, 202);
    running.ask_to_end();
    let rest = String::from_utf8(stream.up_to_end().await).expect("UTF-8");
    assert!(!rest.contains("waited"));
    let seen = running.seen.clone();
    running.ended().await;
    assert_eq!(seen.running.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn over_a_socket_who_waits_goes_on_when_the_stream_is_read_and_when_it_ends() {
    let running = Running::new(Http::http_sse).await;
    let (mut stream, path) = connect_over_tcp(&running).await;
    let (last, mut response) = fill_over_tcp(&running, &path).await;
    for _ in 1..=last {
        stream.up_to("data: ").await;
    }
    assert_eq!(response.answer().await.status, 202);
    let (_, mut response) = fill_over_tcp(&running, &path).await;
    drop(stream);
    assert_eq!(response.answer().await.status, 404);
}

#[tokio::test]
async fn over_a_socket_there_is_no_such_path_without_being_asked_for() {
    let running = Running::new(|http| http).await;
    for request in ["GET /sse", "POST /messages?sessionId=x"] {
        let mut wire = running.connect().await;
        wire.send(&format!("{request} HTTP/1.1\r\nhost: localhost\r\n\r\n")).await;
        assert_eq!(wire.answer().await.status, 404, "{request}");
    }
}
