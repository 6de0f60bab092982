//! A client made of bytes: what these tests write and read is exactly what stands on the wire.
//!
//! In: a [`Server`] and lines. Out: the lines that it answers with. Whatever takes over half a minute fails.

#![allow(dead_code, reason = "each test program that shares this module uses another part of it")]

use std::time::Duration;

use plainwire::{Principal, Server};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Bytes that either side may be ahead of the other: as much as a pipe holds.
pub(crate) const PIPE: usize = 64 * 1024;

/// How long anything may take before the test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The newest revision with a handshake, in which most tests speak.
pub(crate) const LEGACY: &str = "2025-11-25";

/// One connection to a server of its own.
pub(crate) struct Raw {
    pub(crate) from_server: Lines<BufReader<DuplexStream>>,
    served: JoinSet<plainwire::Result<()>>,
    /// `None` once input has been closed.
    pub(crate) to_server: Option<DuplexStream>,
}

impl Raw {
    /// Serves `server` and says nothing yet.
    pub(crate) fn connect(server: Server) -> Self {
        Self::connect_as(server, None)
    }

    /// Serves `server` to somebody who has proved who they are.
    pub(crate) fn connect_as(server: Server, principal: Option<Principal>) -> Self {
        let (ours, theirs) = (tokio::io::duplex(PIPE), tokio::io::duplex(PIPE));
        let mut served = JoinSet::new();
        served.spawn(server.serve_as(principal, ours.1, theirs.0));
        Self { from_server: BufReader::new(theirs.1).lines(), served, to_server: Some(ours.0) }
    }

    /// Serves `server` and begins a session in `revision`; the newest revision has none.
    pub(crate) async fn session(server: Server, revision: &str) -> Self {
        let mut raw = Self::connect(server);
        if revision != "2026-07-28" {
            let hello = raw.ask(&initialize(revision)).await;
            assert!(hello.contains(&format!(r#""protocolVersion":"{revision}""#)), "{hello}");
            raw.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        }
        raw
    }

    /// Writes bytes as they are.
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
        timeout(PATIENCE, self.from_server.next_line()).await.expect("a line in time").expect("UTF-8")
    }

    /// Reads a line that has to be there.
    pub(crate) async fn line(&mut self) -> String {
        self.next().await.expect("a line, but the server closed its output")
    }

    /// Writes a line and reads one.
    pub(crate) async fn ask(&mut self, line: &str) -> String {
        self.send(line).await;
        self.line().await
    }

    /// Closes the server's input.
    pub(crate) fn hang_up(&mut self) {
        self.to_server = None;
    }

    /// Waits until serving has ended, and returns how.
    pub(crate) async fn served(&mut self) -> plainwire::Result<()> {
        let served = timeout(PATIENCE, self.served.join_next()).await.expect("an end in time");
        served.expect("one server").expect("a server that does not panic")
    }

    /// Closes input and returns what the server still said, after a clean end.
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

/// Returns the request that begins a session.
pub(crate) fn initialize(revision: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{"roots":{{}}}},"clientInfo":{{"name":"raw","version":"1"}}}}}}"#
    )
}

/// Returns a request as `revision` wants it; `params` is a JSON object.
pub(crate) fn request(revision: &str, id: &str, method: &str, params: &str) -> String {
    let meta = match revision {
        "2026-07-28" => {
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

/// Returns the cancellation of a request.
pub(crate) fn cancel(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
}

/// Returns a ping in a session.
pub(crate) fn ping(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

/// Returns the answer to a ping in a session.
pub(crate) fn pong(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}

/// Returns the successful answer to `id`.
pub(crate) fn result(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// Returns the answer of a tool that gave text.
pub(crate) fn text(id: &str, text: &str) -> String {
    result(id, &format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#))
}

/// Returns the answer to `id` that is an error.
pub(crate) fn error(id: &str, code: i32, message: &str) -> String {
    let message = serde_json::Value::from(message);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#)
}

/// Returns the answer to `id` that is an error with `data`, a JSON value.
pub(crate) fn error_with_data(id: &str, code: i32, message: &str, data: &str) -> String {
    let message = serde_json::Value::from(message);
    let error = format!(r#"{{"code":{code},"message":{message},"data":{data}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}

/// Returns the answer to a call that was given up when the time to drain had passed.
pub(crate) fn given_up(id: &str) -> String {
    error(id, -32603, "expected the call to end while the server still served, but it is shutting down")
}

/// Returns the error about something whose id could not be read, which since 2025-11-25 is left out.
pub(crate) fn error_without_id(code: i32, message: &str) -> String {
    let message = serde_json::Value::from(message);
    format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":{message}}}}}"#)
}
