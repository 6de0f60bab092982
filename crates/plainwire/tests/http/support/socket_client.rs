//! A server on a port of its own, and a client of HTTP/1.1 that sends and reads bytes, for tests that need
//! sockets.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use plainwire::http::Http;
use plainwire::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::service_client::{LEGACY, MODERN, PATIENCE, call, request};
use super::{Run, Seen, server};

/// Says something every few milliseconds until it is stopped.
#[tool]
async fn tick(seen: State<Seen>, ctx: Context) -> &'static str {
    seen.running.fetch_add(1, Ordering::SeqCst);
    let mut run = Run(Seen::clone(&seen), false);
    for n in 0..6_000 {
        ctx.progress(n.into(), None, None);
        sleep(Duration::from_millis(10)).await;
    }
    run.1 = true;
    "ticked"
}

/// A running server. It ends when the value is dropped, or after [`Self::ask_to_end`].
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    pub(crate) seen: Seen,
    task: JoinSet<Result<()>>,
}

impl Running {
    pub(crate) async fn new(with: impl FnOnce(Http) -> Http) -> Self {
        Self::of(|server| server, with).await
    }

    /// Starts the server of these tests. `change` can change the server, and `with` the options of its
    /// endpoint.
    pub(crate) async fn of(change: impl FnOnce(Server) -> Server, with: impl FnOnce(Http) -> Http) -> Self {
        let seen = Seen::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (end, ended) = oneshot::channel();
        let http = with(Http::new(change(server(&seen).tool(tick).log_level(None))));
        let mut task = JoinSet::new();
        task.spawn(http.serve_on(listener, async { drop(ended.await) }));
        Self { address, end: Some(end), seen, task }
    }

    pub(crate) async fn connect(&self) -> Wire<TcpStream> {
        Wire::new(TcpStream::connect(self.address).await.expect("a connection"))
    }

    /// Begins a session. Returns the header lines that a request needs to be in that session.
    pub(crate) async fn session(&self) -> String {
        let params = json!({ "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
        let mut wire = self.connect().await;
        wire.send(&post("", &request(0, "initialize", params))).await;
        let answer = wire.answer().await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let id = answer.field("mcp-session-id").expect("a session");
        let head = format!("mcp-session-id: {id}\r\nmcp-protocol-version: {LEGACY}\r\n");
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        wire.send(&post(&head, &initialized)).await;
        assert_eq!(wire.answer().await.status, 202);
        head
    }

    pub(crate) fn ask_to_end(&mut self) {
        drop(self.end.take());
    }

    /// Waits until the server has ended without an error, and returns how long the wait took.
    pub(crate) async fn ended(mut self) -> Duration {
        let began = Instant::now();
        let ended = timeout(PATIENCE, self.task.join_next()).await.expect("an end");
        ended.expect("a task").expect("no panic").expect("a good end");
        began.elapsed()
    }

    pub(crate) fn running(&self) -> usize {
        self.seen.running.load(Ordering::SeqCst)
    }

    pub(crate) fn dropped(&self) -> usize {
        self.seen.dropped.load(Ordering::SeqCst)
    }
}

/// Waits until `is_so` returns true, and returns how long the wait took. `what` names the condition in the
/// message of a failure.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) -> Duration {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        sleep(Duration::from_millis(1)).await;
    }
    began.elapsed()
}

/// Returns the bytes of a POST of `message` to the endpoint with the header lines `fields`, each of which
/// ends in a line break.
pub(crate) fn post(fields: &str, message: &Value) -> String {
    post_to("/mcp", fields, message)
}

/// Like [`post`], but to `path`.
pub(crate) fn post_to(path: &str, fields: &str, message: &Value) -> String {
    let (head, body) = (head(fields).replacen("/mcp", path, 1), message.to_string());
    format!("{head}content-length: {}\r\n\r\n{body}", body.len())
}

/// Returns the head of a POST to the endpoint with the header lines `fields`. It lacks `content-length` and
/// the empty line at its end.
pub(crate) fn head(fields: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\n{fields}"
    )
}

/// Returns the bytes of a POST that calls a tool in the modern era.
pub(crate) fn modern(id: i64, tool: &str, arguments: Value) -> String {
    let mut message = call(id, tool, arguments);
    message["params"]["_meta"] = json!({
        "progressToken": id,
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let fields = format!("mcp-protocol-version: {MODERN}\r\nmcp-method: tools/call\r\nmcp-name: {tool}\r\n");
    post(&fields, &message)
}

/// A connection to a server, on which the test sends and receives bytes.
pub(crate) struct Wire<S> {
    /// Bytes that were received and not returned to the test yet.
    pub(crate) rest: Vec<u8>,
    pub(crate) stream: S,
}

/// A whole HTTP response. Its body is empty if it has no `content-length`.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) body: String,
    pub(crate) head: String,
    pub(crate) status: u16,
}

impl Answer {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|it| it.split_once(": "))
            .find(|(it, _)| *it == name)
            .map(|(_, value)| value)
    }

    /// Returns the text in the tool result that is the body of the response.
    pub(crate) fn text(&self) -> String {
        let body: Value =
            serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{self:?}: {error}"));
        body["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{self:?}")).to_owned()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { rest: Vec::new(), stream }
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.expect("who reads it");
        self.stream.flush().await.expect("who reads it");
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.send(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")).await;
        self.answer().await
    }

    /// Reads the next response. Without `content-length`, its body is taken to be empty.
    pub(crate) async fn answer(&mut self) -> Answer {
        let head = self.up_to("\r\n\r\n").await;
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no response: {head:?}"));
        let mut answer = Answer { body: String::new(), head, status };
        let length: usize = answer.field("content-length").unwrap_or("0").parse().expect("a number");
        while self.rest.len() < length {
            assert!(self.more().await, "a body that is cut off: {answer:?}");
        }
        answer.body = String::from_utf8(self.rest.drain(..length).collect()).expect("UTF-8");
        answer
    }

    /// Receives bytes until they contain `mark`, and returns all bytes up to the end of `mark`.
    pub(crate) async fn up_to(&mut self, mark: &str) -> String {
        let mut searched = 0;
        loop {
            let found = self.rest[searched..].windows(mark.len()).position(|it| it == mark.as_bytes());
            if let Some(at) = found {
                let taken = self.rest.drain(..searched + at + mark.len()).collect();
                return String::from_utf8(taken).expect("UTF-8");
            }
            searched = (self.rest.len() + 1).saturating_sub(mark.len());
            if !self.more().await {
                panic!("ended without {mark:?}: {:?}", String::from_utf8_lossy(&self.rest));
            }
        }
    }

    /// Receives more bytes into `rest`. Returns `false` if the server has closed the connection.
    async fn more(&mut self) -> bool {
        let read = self.stream.read_buf(&mut self.rest);
        timeout(PATIENCE, read).await.expect("more in time, or the end").expect("no reset") > 0
    }

    /// Receives bytes until the connection ends, and returns all of them.
    pub(crate) async fn up_to_end(&mut self) -> Vec<u8> {
        while self.more().await {}
        std::mem::take(&mut self.rest)
    }

    /// Waits until the server closes the connection. Fails the test if the server sends bytes before that.
    pub(crate) async fn closed(&mut self) {
        assert!(!self.more().await, "not the end: {:?}", String::from_utf8_lossy(&self.rest));
    }

    /// Returns whether the server closes or resets the connection within `time`, without sending bytes before
    /// that.
    pub(crate) async fn is_closed_within(&mut self, time: Duration) -> bool {
        let read = self.stream.read_buf(&mut self.rest);
        timeout(time, read).await.is_ok_and(|read| read.is_err() || read.is_ok_and(|count| count == 0))
    }
}

/// Makes three attempts and returns the shortest time, since other programs may slow an attempt down.
pub(crate) async fn fastest<F: Future<Output = Duration>>(mut attempt: impl FnMut() -> F) -> Duration {
    let mut fastest = Duration::MAX;
    for _ in 0..3 {
        fastest = fastest.min(attempt().await);
    }
    fastest
}
