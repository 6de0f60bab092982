//! Tools that block their thread, on a runtime with two workers: other requests are answered meanwhile.
//!
//! The tools block until the test has seen the other answers, so no time is measured: if another request has
//! to wait for a blocked tool, the wait for its answer ends the test.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainwire::handler::OnCancel;
use plainwire::{Context, Tool};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, timeout};

use super::http2::{Client, as_request};
use super::support::service_client::{MODERN, PATIENCE, call, request};
use super::support::socket_client::{Running, Wire, modern, post, post_to, until};

/// A server on a runtime of its own with two workers, whose tool `block` blocks its thread.
struct Blocking {
    began: Mutex<Receiver<()>>,
    running: Option<Running>,
    runtime: Option<Runtime>,
    /// The results of [`Context::is_cancelled`] after the blocking.
    cancelled: Receiver<bool>,
    until: Option<Sender<()>>,
}

impl Blocking {
    async fn new(on_cancel: OnCancel) -> Self {
        let ((begin, began), (until, end), (tell, cancelled)) = (channel(), channel::<()>(), channel());
        let end = Arc::new(Mutex::new(end));
        let block = Tool::new("block", move |ctx: Context| {
            let (begin, end, tell) = (begin.clone(), Arc::clone(&end), tell.clone());
            async move {
                let _ = begin.send(());
                // Ends with an error when the sender is dropped.
                let _ = end.lock().expect("no panic").recv();
                tokio::task::yield_now().await;
                let _ = tell.send(ctx.is_cancelled());
                "blocked"
            }
        });
        let block = block.on_cancel(on_cancel);
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        let running = Running::of(|server| server.tool(block), |http| http.http_sse());
        let running = runtime.spawn(running).await.expect("a server");
        Self {
            began: Mutex::new(began),
            running: Some(running),
            runtime: Some(runtime),
            cancelled,
            until: Some(until),
        }
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("a server")
    }

    async fn connect(&self) -> Wire<TcpStream> {
        self.running().connect().await
    }

    /// Connects, and waits until all workers of the server sleep: then the one that waits for input will
    /// handle the next request.
    async fn connect_at_rest(&self) -> Wire<TcpStream> {
        let wire = self.connect().await;
        sleep(Duration::from_millis(50)).await;
        wire
    }

    /// Waits until `count` more calls block their threads.
    async fn wait_for(&self, mut count: usize) {
        until("tools block", || {
            count -= self.began.lock().expect("no panic").try_iter().take(count).count();
            count == 0
        })
        .await;
    }

    /// Expects that no other call begins.
    fn is_quiet(&self) {
        let next = self.began.lock().expect("no panic").recv_timeout(Duration::from_millis(100));
        assert!(next.is_err(), "a call began although so many block");
    }

    /// Lets `count` calls continue.
    fn release(&self, count: usize) {
        (0..count).for_each(|_| self.until.as_ref().expect("not dropped").send(()).expect("a tool"));
    }

    /// Sends requests of all kinds, each on a new connection, and expects their answers.
    async fn is_responsive(&self, session: &str) {
        assert_eq!(self.connect().await.get("/healthz").await.status, 200);
        let other = self.running().session().await;
        let echo = call(102, "echo", json!({ "text": "hello" }));
        for head in [session, &other] {
            let mut wire = self.connect().await;
            wire.send(&post(head, &request(101, "ping", json!({})))).await;
            assert_eq!(wire.answer().await.status, 200);
            wire.send(&post(head, &echo)).await;
            assert_eq!(wire.answer().await.text(), "hello");
        }
        let mut wire = self.connect().await;
        wire.send(&modern(1, "echo", json!({ "text": "hello" }))).await;
        assert_eq!(wire.answer().await.text(), "hello");
    }
}

impl Drop for Blocking {
    fn drop(&mut self) {
        self.until = None;
        self.running = None;
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn block(id: i64) -> serde_json::Value {
    call(id, "block", json!({}))
}

#[tokio::test]
async fn a_tool_that_blocks_in_a_session_delays_no_other_request() {
    let server = Blocking::new(OnCancel::Drop).await;
    let session = server.running().session().await;
    // The second time, the server knows that the tool is slow.
    for id in 1..=2 {
        let mut wire = server.connect_at_rest().await;
        wire.send(&post(&session, &block(id))).await;
        server.wait_for(1).await;
        for _ in 0..3 {
            server.is_responsive(&session).await;
        }
        server.release(1);
        assert_eq!(wire.answer().await.text(), "blocked");
    }
}

#[tokio::test]
async fn a_tool_that_blocks_in_a_modern_request_delays_no_other_request() {
    let server = Blocking::new(OnCancel::Drop).await;
    let session = server.running().session().await;
    let mut wire = server.connect_at_rest().await;
    wire.send(&modern(1, "block", json!({}))).await;
    server.wait_for(1).await;
    server.is_responsive(&session).await;
    server.release(1);
    assert_eq!(wire.answer().await.text(), "blocked");
}

/// Reading a large body wakes the task of the connection, so that the client may send more. That task has to
/// run before the tool does.
#[tokio::test]
async fn a_tool_that_blocks_does_not_hold_up_other_streams_of_its_http2_connection() {
    for kib in [1, 10, 30, 40, 60, 100, 500, 1_000] {
        // A server that does not know yet that the tool is slow.
        let server = Blocking::new(OnCancel::Drop).await;
        let client = Client::new(server.running()).await;
        let mut message = block(1);
        message["params"]["_meta"] = json!({
            "com.example/pad": "a".repeat(kib << 10),
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let fields =
            format!("mcp-protocol-version: {MODERN}\r\nmcp-method: tools/call\r\nmcp-name: block\r\n");
        let (request, body) = as_request(&post(&fields, &message));
        let (response, mut stream) = client.ready().await.send_request(request, false).expect("sent");
        stream.send_data(body, true).expect("sent");
        server.wait_for(1).await;
        let healthy = timeout(PATIENCE, client.get("/healthz", 0)).await;
        assert_eq!(healthy.expect("an answer in time").expect("an answer"), 200, "{kib} KiB");
        server.release(1);
        assert_eq!(response.await.expect("an answer").status(), 200);
    }
}

#[tokio::test]
async fn a_tool_that_blocks_in_a_session_of_http_sse_delays_no_other_request() {
    let server = Blocking::new(OnCancel::Drop).await;
    let mut stream = server.connect().await;
    stream.send("GET /sse HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n").await;
    stream.up_to("data: ").await;
    let path = stream.up_to("\n").await.trim().to_owned();
    let params = json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let mut wire = server.connect().await;
    for message in [request(0, "initialize", params), initialized] {
        wire.send(&post_to(&path, "", &message)).await;
        assert_eq!(wire.answer().await.status, 202);
    }
    // In one piece, so that the same turn of the connection wakes the stream and runs the tool.
    let [ping, block] = [request(1, "ping", json!({})), block(2)].map(|it| post_to(&path, "", &it));
    wire.send(&(ping + &block)).await;
    assert_eq!(wire.answer().await.status, 202);
    server.wait_for(1).await;
    stream.up_to("\"id\":1").await;
    let mut other = server.connect().await;
    other.send(&post_to(&path, "", &request(3, "ping", json!({})))).await;
    assert_eq!(other.answer().await.status, 202);
    stream.up_to("\"id\":3").await;
    server.release(1);
    stream.up_to("\"blocked\"").await;
}

/// Eight calls take threads of their own; of 80, those above the limit wait without a thread.
#[tokio::test]
async fn many_tools_that_block_delay_no_other_request_and_all_are_answered() {
    let server = Blocking::new(OnCancel::Drop).await;
    let session = server.running().session().await;
    for (calls, blocked) in [(8, 8), (80, 64)] {
        let mut wires = Vec::new();
        for id in 0..calls {
            let mut wire = server.connect().await;
            let in_session = post(&session, &block(id));
            wire.send(&if id % 2 == 0 { in_session } else { modern(id, "block", json!({})) }).await;
            wires.push(wire);
        }
        server.wait_for(blocked).await;
        server.is_quiet();
        server.is_responsive(&session).await;
        server.release(wires.len());
        for wire in &mut wires {
            assert_eq!(wire.answer().await.text(), "blocked");
        }
        server.wait_for(wires.len() - blocked).await;
    }
}

#[tokio::test]
async fn a_call_can_be_cancelled_while_its_tool_blocks() {
    for (on_cancel, continues) in
        [(OnCancel::Drop, false), (OnCancel::Finish, true), (OnCancel::Detach, true)]
    {
        let server = Blocking::new(on_cancel).await;
        let session = server.running().session().await;
        let mut wire = server.connect().await;
        wire.send(&post(&session, &block(1))).await;
        server.wait_for(1).await;
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
        let mut other = server.connect().await;
        other.send(&post(&session, &cancel)).await;
        assert_eq!(other.answer().await.status, 202);
        server.release(1);
        let answer = wire.answer().await;
        assert_eq!((answer.status, &*answer.body), (200, ""), "{on_cancel:?}");
        let seen = server.cancelled.recv_timeout(Duration::from_millis(if continues { 5_000 } else { 100 }));
        assert_eq!(seen.ok(), continues.then_some(true), "{on_cancel:?}");
        // The id is free again.
        wire.send(&post(&session, &request(1, "ping", json!({})))).await;
        assert_eq!(wire.answer().await.status, 200);
    }
}

#[tokio::test]
async fn a_session_can_end_while_its_tool_blocks() {
    for (on_cancel, continues) in [(OnCancel::Drop, false), (OnCancel::Finish, true)] {
        let server = Blocking::new(on_cancel).await;
        let session = server.running().session().await;
        let mut wire = server.connect().await;
        wire.send(&post(&session, &block(1))).await;
        server.wait_for(1).await;
        let mut other = server.connect().await;
        other.send(&format!("DELETE /mcp HTTP/1.1\r\nhost: localhost\r\n{session}\r\n")).await;
        assert_eq!(other.answer().await.status, 204);
        server.release(1);
        // A client would make the call again after a 404.
        let answer = wire.answer().await;
        assert!(answer.status == 200 && answer.body.contains("but the session has ended"), "{answer:?}");
        let seen = server.cancelled.recv_timeout(Duration::from_millis(if continues { 5_000 } else { 100 }));
        assert_eq!(seen.ok(), continues.then_some(true), "{on_cancel:?}");
    }
}
