//! A client over a pair of streams that sends and reads lines, and functions that make the lines of both
//! sides.
//!
//! In: a [`Server`] and lines. Out: the lines with which the server answers. A wait of more than 30 seconds
//! fails the test.

use std::time::Duration;

use plainwire::{Principal, Server};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The number of bytes that one side may write before the other side reads them; an operating system's pipe
/// holds as many.
pub(crate) const PIPE: usize = 64 * 1024;

/// Time after which a wait fails the test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The newest revision with a handshake. Most tests use it.
pub(crate) const LEGACY: &str = "2025-11-25";

/// The newest revision, without a handshake.
pub(crate) const MODERN: &str = "2026-07-28";

pub(crate) const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY, MODERN];

/// A connection to a server that serves only this connection.
pub(crate) struct Raw {
    /// The lines of the server; `None` once the test has closed the server's output.
    pub(crate) from_server: Option<Lines<BufReader<DuplexStream>>>,
    served: JoinSet<plainwire::Result<()>>,
    /// The input of the server; `None` once the test has closed it.
    pub(crate) to_server: Option<DuplexStream>,
}

impl Raw {
    /// Serves `server` on a new connection. Sends nothing yet.
    pub(crate) fn connect(server: Server) -> Self {
        Self::connect_as(server, None)
    }

    /// Like [`Self::connect`], but for a client with the identity `principal`.
    pub(crate) fn connect_as(server: Server, principal: Option<Principal>) -> Self {
        let (ours, theirs) = (tokio::io::duplex(PIPE), tokio::io::duplex(PIPE));
        let mut served = JoinSet::new();
        served.spawn(server.serve_as(principal, ours.1, theirs.0));
        let from_server = Some(BufReader::new(theirs.1).lines());
        Self { from_server, served, to_server: Some(ours.0) }
    }

    /// Serves `server` and begins a session in `revision`. In the newest revision, which has no sessions,
    /// only connects.
    pub(crate) async fn session(server: Server, revision: &str) -> Self {
        let mut raw = Self::connect(server);
        if revision != MODERN {
            let hello = raw.ask(&initialize(revision)).await;
            assert!(hello.contains(&format!(r#""protocolVersion":"{revision}""#)), "{hello}");
            raw.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        }
        raw
    }

    /// Writes bytes without adding a line break.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        let to_server = self.to_server.as_mut().expect("input is open");
        timeout(PATIENCE, to_server.write_all(bytes))
            .await
            .expect("room in time")
            .expect("a server that reads");
    }

    /// Writes a line.
    pub(crate) async fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes()).await;
    }

    /// Reads a line; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<String> {
        let from_server = self.from_server.as_mut().expect("output is open");
        timeout(PATIENCE, from_server.next_line()).await.expect("a line in time").expect("UTF-8")
    }

    /// Reads a line, and fails the test if the server has closed its output.
    pub(crate) async fn line(&mut self) -> String {
        self.next().await.expect("a line, but the server closed its output")
    }

    /// Writes a line and reads the next line of the server.
    pub(crate) async fn ask(&mut self, line: &str) -> String {
        self.send(line).await;
        self.line().await
    }

    /// Makes a request in `revision`, and returns the lines that the server has written before the answer to
    /// it.
    pub(crate) async fn settled(&mut self, revision: &str) -> Vec<String> {
        let mut said = Vec::new();
        self.send(&request(revision, "\"settled\"", "tools/list", "{}")).await;
        loop {
            let line = self.line().await;
            if line.contains("\"settled\"") {
                return said;
            }
            said.push(line);
        }
    }

    /// Closes the server's input.
    pub(crate) fn hang_up(&mut self) {
        self.to_server = None;
    }

    /// Closes the server's output, so that its next write fails.
    pub(crate) fn stop_reading(&mut self) {
        self.from_server = None;
    }

    /// Waits until the server has stopped serving, and returns the result of `Server::serve_as`.
    pub(crate) async fn served(&mut self) -> plainwire::Result<()> {
        let served = timeout(PATIENCE, self.served.join_next()).await.expect("an end in time");
        served.expect("one server").expect("a server that does not panic")
    }

    /// Closes the server's input, waits until the server has ended without an error, and returns the lines
    /// that it wrote until then.
    pub(crate) async fn end(mut self) -> Vec<String> {
        self.hang_up();
        let mut rest = Vec::new();
        while let Some(line) = self.next().await {
            rest.push(line);
        }
        self.served().await.expect("a clean end");
        rest
    }
}

/// Serves `server` on a new connection, makes one request in `revision`, and returns the server's next line.
pub(crate) async fn ask(server: Server, revision: &str, method: &str, params: &str) -> String {
    Raw::session(server, revision).await.ask(&request(revision, "1", method, params)).await
}

/// Returns the capabilities that `server` declares in a handshake.
pub(crate) async fn capabilities(server: Server) -> Value {
    let mut raw = Raw::connect(server);
    let hello: Value = serde_json::from_str(&raw.ask(&initialize(LEGACY)).await).expect("JSON");
    hello["result"]["capabilities"].clone()
}

/// Returns the `initialize` request for a session in `revision`.
pub(crate) fn initialize(revision: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{"roots":{{}}}},"clientInfo":{{"name":"raw","version":"1"}}}}}}"#
    )
}

/// Returns a request in the form of `revision`: in the newest revision, a `_meta` is added to `params`, a
/// JSON object.
pub(crate) fn request(revision: &str, id: &str, method: &str, params: &str) -> String {
    let meta = match revision {
        MODERN => {
            r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"2"}}"#
        }
        _ => "",
    };
    let inner = params.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).expect("an object");
    let comma = if meta.is_empty() || inner.is_empty() { "" } else { "," };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{inner}{comma}{meta}}}}}"#)
}

/// Returns a call of a tool in a session.
pub(crate) fn call(id: &str, tool: &str, arguments: &str) -> String {
    request(LEGACY, id, "tools/call", &format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#))
}

/// Returns a call of a tool in a session, with the progress token `token`, which is JSON.
pub(crate) fn call_with_progress(id: &str, token: &str, tool: &str, arguments: &str) -> String {
    let params =
        format!(r#"{{"name":"{tool}","arguments":{arguments},"_meta":{{"progressToken":{token}}}}}"#);
    request(LEGACY, id, "tools/call", &params)
}

/// Returns a call with a progress token. In the modern era, it also asks for log messages of `level` and
/// above.
pub(crate) fn verbose_call(revision: &str, level: &str, tool: &str) -> String {
    let params = format!(r#"{{"name":"{tool}"}}"#);
    let plain = request(revision, "1", "tools/call", &params);
    if revision == MODERN {
        let meta = format!(r#""_meta":{{"progressToken":"t","io.modelcontextprotocol/logLevel":"{level}","#);
        plain.replace(r#""_meta":{"#, &meta)
    } else {
        plain.replace(
            &params[1..params.len() - 1],
            &format!(r#""name":"{tool}","_meta":{{"progressToken":"t"}}"#),
        )
    }
}

/// Returns a `subscriptions/listen` request of the modern era; `filter` is a JSON object that names the
/// notifications.
pub(crate) fn listen(id: &str, filter: &str) -> String {
    request(MODERN, id, "subscriptions/listen", &format!(r#"{{"notifications":{filter}}}"#))
}

/// Returns the notification that cancels the request `id`.
pub(crate) fn cancel(id: &str) -> String {
    notification("cancelled", &format!(r#"{{"requestId":{id}}}"#))
}

/// Returns a ping in a session.
pub(crate) fn ping(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

/// Returns the answer to a ping in a session.
pub(crate) fn pong(id: &str) -> String {
    result(id, "{}")
}

/// Returns the answer to the request `id` with the result `result`.
pub(crate) fn result(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// Returns the answer to the call `id` of a tool that returned `text`.
pub(crate) fn text(id: &str, text: &str) -> String {
    result(id, &format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#))
}

/// Returns the error that answers the request `id`.
pub(crate) fn error(id: &str, code: i32, message: &str) -> String {
    let message = Value::from(message);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#)
}

/// Returns the error that answers the request `id`, with the JSON value `data`.
pub(crate) fn error_with_data(id: &str, code: i32, message: &str, data: &str) -> String {
    let message = Value::from(message);
    let error = format!(r#"{{"code":{code},"message":{message},"data":{data}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}

/// Returns the error that answers the call `id` if it still runs at the end of the drain time.
pub(crate) fn given_up(id: &str) -> String {
    error(id, -32603, "expected the call to end while the server still served, but it is shutting down")
}

/// Returns the error about a message whose id can't be read. It has no member `id`, as in 2025-11-25 and
/// later.
pub(crate) fn error_without_id(code: i32, message: &str) -> String {
    let message = Value::from(message);
    format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":{message}}}}}"#)
}

/// Returns the notification `notifications/{method}`.
pub(crate) fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{params}}}"#)
}

/// Returns a notification that belongs to the listen `id`; `more` are further members of `params`, each after
/// a comma.
pub(crate) fn tagged(method: &str, id: &str, more: &str) -> String {
    notification(method, &format!(r#"{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}{more}}}"#))
}
