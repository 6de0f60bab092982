//! Messages over every transport.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::behaviours::Reads;
use crate::text::Values;

/// The transports of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    /// Streamable HTTP with a session of 2025-11-25, or of 2025-03-26 for batches.
    Session,
    /// Streamable HTTP of 2026-07-28, without a session.
    Modern,
    /// HTTP+SSE of 2024-11-05.
    Sse,
}

pub(crate) const TRANSPORTS: [Transport; 4] =
    [Transport::Stdio, Transport::Session, Transport::Modern, Transport::Sse];

/// The longest wait for a response, and for room to write.
const PATIENCE: Duration = Duration::from_secs(4);

/// The largest number of POSTs at a time, and of connections that stay open unread.
const AT_A_TIME: usize = 64;

pub(super) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Returns `initialize`. A batch is part of 2025-03-26 alone.
pub(super) fn initialize(messages: &[&str]) -> String {
    let version = if messages.iter().any(|it| it.starts_with('[')) { "2025-03-26" } else { "2025-11-25" };
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{"elicitation":{{}},"roots":{{}}}},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
    )
}

/// The messages of a behaviour, one after the other.
pub(crate) struct Script<'b> {
    pub(super) messages: &'b [&'b str],
    times: u32,
    values: Values,
}

impl<'b> Script<'b> {
    /// Says `messages` in turn, `times` in all, with repetitions divided by `scale`.
    pub(crate) fn new(messages: &'b [&'b str], times: u32, scale: u32) -> Self {
        let times = (times / scale).max(messages.len() as u32);
        Self { messages, times, values: Values { scale, ..Values::default() } }
    }
}

impl Iterator for Script<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        self.times = self.times.checked_sub(1)?;
        let at = self.times as usize % self.messages.len();
        Some(self.values.fill(self.messages[self.messages.len() - 1 - at]))
    }
}

/// Says the messages to a server over HTTP, each in a POST on a connection of its own.
pub(crate) async fn over_http(
    transport: Transport,
    server: &str,
    mut script: Script<'_>,
    reads: Reads,
    stays: Duration,
) {
    let messages = script.messages;
    let mut stream = None;
    let (path, session) = match transport {
        Transport::Sse => {
            let Some((opened, path)) = open_sse(server).await else { return };
            let open = post(server, &path, "", initialize(messages).as_bytes()).await;
            drop(open);
            stream = Some(opened);
            (path, String::new())
        }
        Transport::Session => address(transport, &open_session(server, messages).await.unwrap_or_default()),
        Transport::Modern | Transport::Stdio => address(transport, ""),
    };
    let drained = match stream.take() {
        Some(mut stream) if reads == Reads::Everything => {
            Some(tokio::spawn(async move { drain(&mut stream).await }))
        }
        unread => {
            stream = unread;
            None
        }
    };
    let (mut posts, mut open) = (JoinSet::new(), Vec::new());
    loop {
        while posts.len() >= AT_A_TIME {
            keep(posts.join_next().await, &mut open);
        }
        let Some(message) = script.next() else { break };
        let (server, path, session) = (server.to_owned(), path.clone(), session.clone());
        posts.spawn(async move {
            let (message, extra) = match transport {
                Transport::Modern => {
                    let message = modern(&message);
                    let head = modern_headers(&message);
                    let head = head.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
                    (message, head)
                }
                _ => (message, session),
            };
            let mut stream = post(&server, &path, &extra, &message).await?;
            if reads == Reads::Everything {
                let _ = timeout(PATIENCE, drain(&mut stream)).await;
                return None;
            }
            Some(stream)
        });
    }
    while let Some(ended) = timeout(PATIENCE, posts.join_next()).await.ok().flatten() {
        keep(Some(ended), &mut open);
    }
    sleep(stays).await;
    if let Some(drained) = drained {
        drained.abort();
        let _ = drained.await;
    }
    drop((stream, open));
}

/// Returns the path for messages, and the header lines that name the session.
pub(crate) fn address(transport: Transport, session: &str) -> (String, String) {
    let headers = match transport {
        Transport::Session => format!("mcp-session-id: {session}\r\n"),
        _ => String::new(),
    };
    ("/mcp".to_owned(), headers)
}

/// Keeps a connection that nobody reads, unless there are many.
fn keep(ended: Option<Result<Option<TcpStream>, tokio::task::JoinError>>, open: &mut Vec<TcpStream>) {
    if let Some(Ok(Some(stream))) = ended
        && open.len() < AT_A_TIME
    {
        open.push(stream);
    }
}

/// Sends a POST, and returns its connection.
pub(crate) async fn post(server: &str, path: &str, extra: &str, body: &[u8]) -> Option<TcpStream> {
    let mut stream = timeout(PATIENCE, TcpStream::connect(server)).await.ok()?.ok()?;
    let head = head(path, extra, body.len(), "close");
    let write = async {
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body).await
    };
    // A server may refuse a message before it has arrived.
    let _ = timeout(PATIENCE, write).await;
    Some(stream)
}

/// Returns the head of a POST.
pub(crate) fn head(path: &str, extra: &str, length: usize, connection: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: {connection}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{extra}content-length: {length}\r\n\r\n"
    )
}

/// Opens a session and returns its id.
pub(crate) async fn open_session(server: &str, messages: &[&str]) -> Option<String> {
    let mut stream = post(server, "/mcp", "", initialize(messages).as_bytes()).await?;
    let mut response = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut response)).await.ok()?.ok()?;
    let response = String::from_utf8_lossy(&response);
    let id = response.lines().find_map(|line| line.strip_prefix("mcp-session-id: "))?.trim().to_owned();
    let mut stream =
        post(server, "/mcp", &format!("mcp-session-id: {id}\r\n"), INITIALIZED.as_bytes()).await?;
    let _ = timeout(PATIENCE, drain(&mut stream)).await;
    Some(id)
}

/// Opens a stream of HTTP+SSE. Returns it, and the path for messages.
async fn open_sse(server: &str) -> Option<(TcpStream, String)> {
    let mut stream = TcpStream::connect(server).await.ok()?;
    stream
        .write_all(b"GET /sse HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n")
        .await
        .ok()?;
    let mut head = Vec::new();
    let path = async {
        loop {
            stream.read_buf(&mut head).await.ok()?;
            let text = String::from_utf8_lossy(&head);
            if let Some((path, _)) = text.split_once("data: ").and_then(|(_, rest)| rest.split_once('\n')) {
                return Some(path.trim().to_owned());
            }
        }
    };
    let path = timeout(PATIENCE, path).await.ok()??;
    Some((stream, path))
}

pub(super) async fn drain(from: &mut (impl AsyncRead + Unpin)) {
    let mut buffer = vec![0; 64 << 10];
    while from.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
}

/// Gives a request what those of 2026-07-28 have in `_meta`, if it is one and has not got it.
pub(crate) fn modern(message: &[u8]) -> Vec<u8> {
    const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}"#;
    let text = String::from_utf8_lossy(message);
    if text.contains("io.modelcontextprotocol/protocolVersion") {
        return message.to_vec();
    }
    if let Some(at) = text.find("\"params\":{") {
        let (before, after) = text.split_at(at + "\"params\":{".len());
        let comma = if after.starts_with('}') { "" } else { "," };
        return format!("{before}{META}{comma}{after}").into_bytes();
    }
    match text.strip_suffix('}').filter(|_| text.contains("\"method\"")) {
        Some(before) => format!("{before},\"params\":{{{META}}}}}").into_bytes(),
        None => message.to_vec(),
    }
}

/// Returns the headers that a request of 2026-07-28 repeats its method and name in.
pub(crate) fn modern_headers(message: &[u8]) -> Vec<(&'static str, String)> {
    let start = &message[..message.len().min(2_000)];
    let text = String::from_utf8_lossy(start);
    let field = |name: &str| {
        let (_, rest) = text.split_once(&format!("\"{name}\":\""))?;
        Some(rest.split_once('"')?.0.to_owned()).filter(|it| it.len() < 100)
    };
    let mut headers = vec![("mcp-protocol-version", "2026-07-28".to_owned())];
    headers.extend(field("method").map(|method| ("mcp-method", method)));
    headers.extend(field("name").or_else(|| field("uri")).map(|name| ("mcp-name", name)));
    headers
}
