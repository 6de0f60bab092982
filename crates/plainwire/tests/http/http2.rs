//! HTTP/2: calls, streams that the client resets, limits of heads and streams, and the end of connections.

use std::time::Duration;

use bytes::Bytes;
use h2::client::{Builder, SendRequest};
use http::{Request, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::support::service_client::{PATIENCE, call};
use super::support::socket_client::{Running, modern, post, until};

const SHORT: Duration = Duration::from_millis(200);

pub(super) struct Client {
    connection: JoinSet<Result<(), h2::Error>>,
    send: SendRequest<Bytes>,
}

impl Client {
    pub(super) async fn new(running: &Running) -> Self {
        let stream = TcpStream::connect(running.address).await.expect("a connection");
        // Without this setting, the client's own limit on reset streams would apply first.
        let mut builder = Builder::new();
        builder.max_concurrent_reset_streams(100_000);
        let (send, connection) = builder.handshake(stream).await.expect("HTTP/2");
        let mut tasks = JoinSet::new();
        tasks.spawn(connection);
        Self { connection: tasks, send }
    }

    pub(super) async fn ready(&self) -> SendRequest<Bytes> {
        timeout(PATIENCE, self.send.clone().ready()).await.expect("in time").expect("a connection")
    }

    pub(super) async fn get(&self, path: &str, long: usize) -> Result<StatusCode, h2::Error> {
        let request = Request::get(format!("http://localhost{path}")).header("x-long", "a".repeat(long));
        let mut send = timeout(PATIENCE, self.send.clone().ready()).await.expect("in time")?;
        let sent = send.send_request(request.body(()).expect("a request"), true);
        Ok(sent?.0.await?.status())
    }

    async fn is_closed_within(&mut self, time: Duration) -> bool {
        timeout(time, self.connection.join_next()).await.is_ok()
    }
}

/// Converts a request in the text form of HTTP/1.1 into a request and a body for HTTP/2.
pub(super) fn as_request(text: &str) -> (Request<()>, Bytes) {
    let (head, body) = text.split_once("\r\n\r\n").expect("a body");
    let fields = head.lines().skip(1).filter_map(|it| it.split_once(": "));
    let fields = fields.filter(|(name, _)| *name != "host");
    let request =
        fields.fold(Request::post("http://localhost/mcp"), |it, (name, value)| it.header(name, value));
    (request.body(()).expect("a request"), Bytes::from(body.to_owned()))
}

#[tokio::test]
async fn a_call_of_a_session_ends_with_a_server_that_is_dropped() {
    let running = Running::new(|http| http).await;
    let session = running.session().await;
    let client = Client::new(&running).await;
    let (request, body) = as_request(&post(&session, &call(1, "wait", json!({ "ms": 60_000 }))));
    let (_response, mut stream) = client.ready().await.send_request(request, false).expect("sent");
    stream.send_data(body, true).expect("sent");
    until("it runs", || running.running() == 1).await;
    let seen = running.seen.clone();
    drop(running);
    until("it was dropped", || seen.dropped.load(std::sync::atomic::Ordering::SeqCst) == 1).await;
}

#[tokio::test]
async fn a_call_is_answered_and_a_reset_cancels_it() {
    let running = Running::new(|http| http).await;
    let client = Client::new(&running).await;
    let (request, body) = as_request(&modern(1, "echo", json!({ "text": "two" })));
    let (response, mut stream) = client.ready().await.send_request(request, false).expect("sent");
    stream.send_data(body, true).expect("sent");
    let mut response = response.await.expect("a response");
    let mut bytes = Vec::new();
    while let Some(data) = response.body_mut().data().await {
        bytes.extend_from_slice(&data.expect("data"));
    }
    let answer: Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!(answer["result"]["content"][0]["text"], "two");
    let (request, body) = as_request(&modern(2, "wait", json!({ "ms": 60_000 })));
    let (_response, mut stream) = client.ready().await.send_request(request, false).expect("sent");
    stream.send_data(body, true).expect("sent");
    until("it runs", || running.running() == 1).await;
    stream.send_reset(h2::Reason::CANCEL);
    until("it was dropped", || running.dropped() == 1).await;
    assert_eq!(client.get("/healthz", 0).await.expect("an answer"), 200);
}

#[tokio::test]
async fn the_head_of_a_request_is_limited() {
    let running = Running::new(|http| http).await;
    let client = Client::new(&running).await;
    assert_eq!(client.get("/healthz", 15 << 10).await.expect("an answer"), 200);
    assert_eq!(client.get("/healthz", 17 << 10).await.expect("an answer"), 431);
    assert_eq!(client.get("/healthz", 0).await.expect("an answer"), 200);
    // The server may refuse a head of 1 MiB by a status, or by ending the stream or the connection.
    let huge = client.get("/healthz", 1 << 20).await;
    assert!(huge.is_err() || huge.is_ok_and(|status| status == 431));
    assert_eq!(Client::new(&running).await.get("/healthz", 0).await.expect("an answer"), 200);
}

#[tokio::test]
async fn as_many_streams_as_were_agreed_on_are_open_at_a_time() {
    let running = Running::new(|http| http).await;
    let client = Client::new(&running).await;
    client.get("/healthz", 0).await.expect("settings have come");
    assert_eq!(client.send.current_max_send_streams(), 200);
    let (request, body) = as_request(&modern(1, "wait", json!({ "ms": 60_000 })));
    let mut kept = Vec::new();
    for _ in 0..200 {
        let clone = Request::from_parts(request.clone().into_parts().0, ());
        let (response, mut stream) = client.ready().await.send_request(clone, false).expect("sent");
        stream.send_data(body.clone(), true).expect("sent");
        kept.push((response, stream));
    }
    until("all of them run", || running.running() == 200).await;
    assert!(timeout(SHORT, client.get("/healthz", 0)).await.is_err(), "a 201st stream");
    drop((kept, client));
    until("none runs", || running.running() == 0).await;
}

#[tokio::test]
async fn a_flood_of_streams_that_are_reset_leaves_nothing_behind() {
    let running = Running::new(|http| http).await;
    let client = Client::new(&running).await;
    let mut sent = 0;
    for n in 0..5_000 {
        let (request, body) = as_request(&modern(n, "wait", json!({ "ms": 60_000 })));
        let Ok(Ok(mut ready)) = timeout(PATIENCE, client.send.clone().ready()).await else { break };
        let Ok((_, mut stream)) = ready.send_request(request, false) else { break };
        if stream.send_data(body, true).is_err() {
            break;
        }
        stream.send_reset(h2::Reason::CANCEL);
        sent += 1;
        if n % 50 == 0 {
            tokio::task::yield_now().await;
        }
    }
    assert!(sent > 20, "{sent}");
    until("none runs", || running.running() == 0).await;
    let fresh = Client::new(&running).await;
    assert_eq!(fresh.get("/healthz", 0).await.expect("an answer"), 200);
}

#[tokio::test]
async fn a_connection_on_which_nothing_is_asked_is_closed_and_another_is_not() {
    let running = Running::new(|http| http.head_timeout(SHORT).keep_alive_timeout(SHORT)).await;
    let mut silent = Client::new(&running).await;
    assert!(silent.is_closed_within(SHORT * 5).await, "it never asked");
    let mut idle = Client::new(&running).await;
    idle.get("/healthz", 0).await.expect("an answer");
    assert!(idle.is_closed_within(SHORT * 8).await, "it asked once");
    let mut busy = Client::new(&running).await;
    let (request, body) = as_request(&modern(1, "wait", json!({ "ms": 1_500 })));
    let (response, mut stream) = busy.ready().await.send_request(request, false).expect("sent");
    stream.send_data(body, true).expect("sent");
    assert!(!busy.is_closed_within(SHORT * 5).await, "it waits for an answer");
    assert_eq!(response.await.expect("an answer").status(), 200);
}

#[tokio::test]
async fn the_end_of_the_server_is_said_and_what_runs_is_answered() {
    let mut running = Running::new(|http| http).await;
    let mut client = Client::new(&running).await;
    let (request, body) = as_request(&modern(1, "wait", json!({ "ms": 400 })));
    let (response, mut stream) = client.ready().await.send_request(request, false).expect("sent");
    stream.send_data(body, true).expect("sent");
    until("it runs", || running.running() == 1).await;
    running.ask_to_end();
    sleep(SHORT / 2).await;
    assert!(client.get("/healthz", 0).await.is_err(), "nothing new after GOAWAY");
    assert_eq!(response.await.expect("an answer").status(), 200);
    assert!(client.is_closed_within(PATIENCE).await);
    assert!(running.ended().await < Duration::from_secs(1));
}

#[tokio::test]
async fn a_blank_behind_bearer_is_no_token() {
    let running = Running::new(|http| http.bearer_token("ada", "s3cret")).await;
    let client = Client::new(&running).await;
    for (value, status) in [("Bearer ", 401), ("Bearer  ", 401), ("Bearer s3cret", 200)] {
        let (mut request, body) = as_request(&modern(1, "echo", json!({ "text": "a" })));
        request.headers_mut().insert("authorization", http::HeaderValue::from_static(value));
        let (response, mut stream) = client.ready().await.send_request(request, false).expect("sent");
        stream.send_data(body, true).expect("sent");
        assert_eq!(response.await.expect("a response").status(), status, "{value:?}");
    }
}
