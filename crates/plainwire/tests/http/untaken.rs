//! Clients that do not take their answers: after a while, the server ends these responses.

use std::time::Duration;

use bytes::Bytes;
use h2::client::{Builder, SendRequest};
use h2::{Reason, RecvStream};
use plainwire::proto::peer::Limits;
use plainwire::{Context, Tool};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::http2::as_request;
use super::support::service_client::PATIENCE;
use super::support::socket_client::{Running, modern};

const SHORT: Duration = Duration::from_millis(300);

/// Starts a server with the tool `large`, whose answer has this many bytes, for one request of a caller at a
/// time.
async fn serving(bytes: usize) -> Running {
    let large = Tool::new("large", move || async move { "x".repeat(bytes) });
    let limits = Limits { in_flight: 1, memory: Some(1 << 30), ..Limits::default() };
    Running::of(|server| server.tool(large).limits(limits), |http| http.send_timeout(SHORT)).await
}

async fn is_busy(running: &Running) -> bool {
    let mut wire = running.connect().await;
    wire.send(&modern(9, "echo", json!({ "text": "a" }))).await;
    wire.answer().await.status == 429
}

/// Waits until the server has given up the response, and checks that it did not do so at once.
async fn is_given_up(running: &Running) {
    assert!(is_busy(running).await, "the answer keeps its place");
    sleep(SHORT / 2).await;
    assert!(is_busy(running).await, "given up too early");
    for _ in 0..50 {
        sleep(SHORT / 5).await;
        if !is_busy(running).await {
            return;
        }
    }
    panic!("never given up");
}

#[tokio::test]
async fn a_client_of_http1_that_reads_nothing_is_disconnected() {
    // More than the buffers of both sockets hold.
    let running = serving(48 << 20).await;
    let mut wire = running.connect().await;
    wire.send(&modern(1, "large", json!({}))).await;
    sleep(SHORT / 3).await;
    is_given_up(&running).await;
}

/// Connects a client of HTTP/2 whose streams have this window. Returns a way to send requests, and the task of
/// the connection.
async fn connected(running: &Running, window: u32) -> (SendRequest<Bytes>, JoinSet<()>) {
    let stream = TcpStream::connect(running.address).await.expect("a connection");
    let mut builder = Builder::new();
    builder.initial_window_size(window).initial_connection_window_size(4 << 20);
    let (send, connection) = builder.handshake(stream).await.expect("HTTP/2");
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { drop(connection.await) });
    (timeout(PATIENCE, send.ready()).await.expect("in time").expect("a connection"), tasks)
}

/// Calls `large` on a connection whose streams have this window. Returns the body, the connection and a way
/// to send more.
async fn pinned(
    running: &Running,
    window: u32,
) -> (impl Future<Output = Result<RecvStream, h2::Error>>, SendRequest<Bytes>, JoinSet<()>) {
    let (mut send, tasks) = connected(running, window).await;
    let (request, body) = as_request(&modern(1, "large", json!({})));
    let (response, mut stream) = send.send_request(request, false).expect("sent");
    stream.send_data(body, true).expect("sent");
    (async move { Ok(response.await?.into_body()) }, send, tasks)
}

#[tokio::test]
async fn a_stream_of_http2_that_takes_nothing_is_reset_and_its_connection_is_served() {
    // Nothing is taken at all, or not all that was sent so far.
    for window in [0, 1, 65_535, 200_000] {
        let running = serving(512 << 10).await;
        let (body, send, _tasks) = pinned(&running, window).await;
        let mut body = timeout(PATIENCE, body).await.expect("in time").expect("a response");
        is_given_up(&running).await;
        let end = loop {
            match timeout(PATIENCE, body.data())
                .await
                .expect("the end in time")
                .expect("no end of the answer")
            {
                // The window stays as it is.
                Ok(_) => {}
                Err(error) => break error,
            }
        };
        assert_eq!(end.reason(), Some(Reason::CANCEL), "{window}");
        let mut send = timeout(PATIENCE, send.ready()).await.expect("in time").expect("still connected");
        let (request, body) = as_request(&modern(2, "echo", json!({ "text": "a" })));
        let (response, mut stream) = send.send_request(request, false).expect("sent");
        stream.send_data(body, true).expect("sent");
        assert_eq!(timeout(PATIENCE, response).await.expect("in time").expect("an answer").status(), 200);
    }
}

/// Calls `large` on a connection with room for all of its answer. Returns the length of the answer.
async fn length(running: &Running) -> u32 {
    let (body, _send, _tasks) = pinned(running, 4 << 20).await;
    let mut body = timeout(PATIENCE, body).await.expect("in time").expect("a response");
    let mut length = 0;
    while let Some(data) = timeout(PATIENCE, body.data()).await.expect("in time") {
        length += data.expect("an answer").len();
    }
    u32::try_from(length).expect("a length")
}

#[tokio::test]
async fn an_answer_of_which_only_the_last_byte_is_not_taken_is_given_up_too() {
    for bytes in [10, 100 << 10, 512 << 10] {
        let running = serving(bytes).await;
        let length = length(&running).await;
        let (body, _send, _tasks) = pinned(&running, length - 1).await;
        let mut body = timeout(PATIENCE, body).await.expect("in time").expect("a response");
        is_given_up(&running).await;
        let end = loop {
            match timeout(PATIENCE, body.data())
                .await
                .expect("the end in time")
                .expect("no end of the answer")
            {
                Ok(_) => {}
                Err(error) => break error,
            }
        };
        assert_eq!(end.reason(), Some(Reason::CANCEL), "{bytes}");
    }
}

#[tokio::test]
async fn an_event_of_which_only_the_last_byte_is_not_taken_is_given_up_too() {
    let large = Tool::new("large", |context: Context| async move {
        context.progress(1.0, None, None);
        "x".repeat(512 << 10)
    });
    let limits = Limits { in_flight: 1, memory: Some(1 << 30), ..Limits::default() };
    let running =
        Running::of(|server| server.tool(large).limits(limits), |http| http.send_timeout(SHORT)).await;
    let length = length(&running).await;
    let (mut send, _tasks) = connected(&running, length - 1).await;
    let (request, body) = as_request(&modern(1, "large", json!({})));
    let (response, mut stream) = send.send_request(request, false).expect("sent");
    stream.send_data(body, true).expect("sent");
    let response = timeout(PATIENCE, response).await.expect("in time").expect("a response");
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let _body = response.into_body();
    is_given_up(&running).await;
}

#[tokio::test]
async fn a_stream_of_http2_that_is_not_for_the_endpoint_is_reset_too() {
    let running = serving(1).await;
    for path in ["healthz", "nowhere"] {
        let (mut send, _tasks) = connected(&running, 0).await;
        let uri = format!("http://{}/{path}", running.address);
        let request = http::Request::get(uri).body(()).expect("a request");
        let (response, _) = send.send_request(request, true).expect("sent");
        let response = timeout(PATIENCE, response).await.expect("in time").expect("a response");
        let data = timeout(PATIENCE, response.into_body().data()).await.expect("the end in time");
        let end = data.expect("no end of the answer").expect_err("no room for data");
        assert_eq!(end.reason(), Some(Reason::CANCEL), "{path}");
    }
}

#[tokio::test]
async fn who_reads_slowly_gets_all_of_it() {
    let running = serving(512 << 10).await;
    let (body, _send, _tasks) = pinned(&running, 65_535).await;
    let mut body = timeout(PATIENCE, body).await.expect("in time").expect("a response");
    let mut count = 0;
    while let Some(data) = timeout(PATIENCE, body.data()).await.expect("more in time") {
        let length = data.expect("no reset").len();
        count += length;
        sleep(SHORT / 20).await;
        body.flow_control().release_capacity(length).expect("a stream");
    }
    assert!(count > 512 << 10, "{count}");
}
