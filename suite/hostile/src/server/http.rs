//! A hostile server over HTTP: Streamable HTTP with a session or of 2026-07-28, or HTTP+SSE.

use std::io::Result;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::{Handled, Message, agreement, good, of_era};
use crate::behaviours::{GET, ServerBehaviour, Then};
use crate::client::connections::Actor;
use crate::client::messages::Transport;
use crate::text::Values;

/// The state that the connections of a server share.
struct Stage {
    behaviour: &'static ServerBehaviour,
    handled: Mutex<Handled>,
    /// Divides the number of repetitions.
    scale: u32,
    /// The newest stream of HTTP+SSE.
    stream: tokio::sync::Mutex<Option<OwnedWriteHalf>>,
    transport: Transport,
}

/// An HTTP request.
struct Request {
    method: String,
    path: String,
    body: String,
}

const EVENTS: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

/// Serves until it is dropped. `scale` divides the number of repetitions.
pub(crate) async fn serve(
    listener: TcpListener,
    behaviour: &'static ServerBehaviour,
    transport: Transport,
    scale: u32,
) {
    // Memory and descriptors of this side are not measured, but must suffice.
    let places = Arc::new(Semaphore::new(5_000));
    let (handled, stream) = (Mutex::default(), tokio::sync::Mutex::default());
    let stage = Arc::new(Stage { behaviour, handled, scale, stream, transport });
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let stage = Arc::clone(&stage);
        tokio::spawn(async move {
            let _ = stage.talk(stream).await;
            drop(place);
        });
    }
}

impl Stage {
    /// Answers the requests of a connection.
    async fn talk(&self, stream: TcpStream) -> Result<()> {
        let mut actor = Actor::new(stream, Values::default(), self.scale);
        while let Some(request) = next(&mut actor.line.stream, &mut actor.line.read).await? {
            let is_sse = self.transport == Transport::Sse;
            match request.method.as_str() {
                "get" => {
                    if let Some(then) = self.next(GET, false) {
                        return self.misbehave(&mut actor, then, GET).await;
                    }
                    if is_sse && request.path == "/sse" {
                        return self.open(actor.line.stream).await;
                    }
                    refuse(&mut actor.line.stream, "405 Method Not Allowed").await?;
                }
                "post" if !is_sse || request.path.starts_with("/messages") => {
                    let Some(message) = Message::read(&request.body) else {
                        refuse(&mut actor.line.stream, "400 Bad Request").await?;
                        continue;
                    };
                    if !self.answer(&mut actor, message).await? {
                        return Ok(());
                    }
                }
                _ => refuse(&mut actor.line.stream, "405 Method Not Allowed").await?,
            }
        }
        Ok(())
    }

    fn next(&self, method: &str, is_request: bool) -> Option<Then> {
        let mut handled = self.handled.lock().unwrap_or_else(PoisonError::into_inner);
        handled.next(self.behaviour, method, is_request)
    }

    /// Answers a message. Returns whether the connection goes on.
    async fn answer(&self, actor: &mut Actor, message: Message) -> Result<bool> {
        let then = self.next(&message.method, message.id.is_some());
        let Message { method, id, token, is_modern } = message;
        if let Some(then) = then {
            (actor.values.id, actor.values.token) = (id.unwrap_or_default(), token);
            return self.misbehave_at(actor, then, &method).await;
        }
        let stream = &mut actor.line.stream;
        let Some(id) = id else {
            refuse(stream, "202 Accepted").await?;
            return Ok(true);
        };
        if self.transport == Transport::Modern && method == "subscriptions/listen" {
            stream.write_all(EVENTS).await?;
            event(stream, agreement(&id).as_bytes()).await?;
            std::future::pending::<()>().await;
        }
        if self.transport == Transport::Modern && !is_modern {
            let error = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32602,"message":"expected `_meta` of 2026-07-28"}}}}"#
            );
            json(stream, "400 Bad Request", "", &error).await?;
            return Ok(true);
        }
        let (answer, is_error) = good(self.transport, &method, &id);
        match self.transport {
            Transport::Sse => {
                refuse(stream, "202 Accepted").await?;
                if let Some(stream) = &mut *self.stream.lock().await {
                    event(stream, answer.as_bytes()).await?;
                }
            }
            Transport::Modern => {
                let status = if is_error { "404 Not Found" } else { "200 OK" };
                json(stream, status, "", &answer).await?;
            }
            Transport::Session | Transport::Stdio => {
                json(stream, "200 OK", "mcp-session-id: s\r\n", &answer).await?;
            }
        }
        Ok(true)
    }

    /// Misbehaves at a POST. Returns whether the connection goes on.
    async fn misbehave_at(&self, actor: &mut Actor, then: Then, method: &str) -> Result<bool> {
        let is_sse = self.transport == Transport::Sse && !actor.values.id.is_empty();
        match then {
            Then::Silence if is_sse => refuse(&mut actor.line.stream, "202 Accepted").await?,
            Then::Dies if is_sse => {
                refuse(&mut actor.line.stream, "202 Accepted").await?;
                if let Some(mut stream) = self.stream.lock().await.take() {
                    stream.write_all(b"event: message\ndata: {\"json").await?;
                }
            }
            Then::Says { .. } | Then::SaysEach(_) if is_sse => {
                refuse(&mut actor.line.stream, "202 Accepted").await?;
                if let Some(stream) = &mut *self.stream.lock().await {
                    self.say(stream, &mut actor.values, then, method).await?;
                }
            }
            _ => {
                self.misbehave(actor, then, method).await?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Misbehaves in place of a response.
    async fn misbehave(&self, actor: &mut Actor, then: Then, method: &str) -> Result<()> {
        match then {
            Then::Silence => std::future::pending().await,
            Then::Dies => {
                let half = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"json";
                actor.line.stream.write_all(half).await
            }
            Then::Sends(pieces) => actor.act_all(pieces).await,
            Then::Says { .. } | Then::SaysEach(_) => {
                let stream = &mut actor.line.stream;
                stream.write_all(EVENTS).await?;
                self.say(stream, &mut actor.values, then, method).await?;
                std::future::pending().await
            }
        }
    }

    /// Says messages as events.
    async fn say(
        &self,
        to: &mut (impl AsyncWrite + Unpin),
        values: &mut Values,
        then: Then,
        method: &str,
    ) -> Result<()> {
        for message in then.says(self.scale) {
            let message = values.fill(&of_era(self.transport, method, message));
            event(to, &message).await?;
        }
        Ok(())
    }

    /// Opens the stream of HTTP+SSE, and keeps it open until the client leaves.
    async fn open(&self, stream: TcpStream) -> Result<()> {
        let (mut reads, mut writes) = stream.into_split();
        writes.write_all(EVENTS).await?;
        writes.write_all(b"event: endpoint\ndata: /messages?session=s\n\n").await?;
        *self.stream.lock().await = Some(writes);
        let mut buffer = [0; 1_024];
        while reads.read(&mut buffer).await? > 0 {}
        Ok(())
    }
}

/// Answers with a status alone.
async fn refuse(to: &mut TcpStream, status: &str) -> Result<()> {
    to.write_all(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").as_bytes()).await
}

async fn json(to: &mut TcpStream, status: &str, extra: &str, body: &str) -> Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{extra}content-length: {length}\r\n\r\n"
    );
    to.write_all(head.as_bytes()).await?;
    to.write_all(body.as_bytes()).await
}

async fn event(to: &mut (impl AsyncWrite + Unpin), data: &[u8]) -> Result<()> {
    to.write_all(b"event: message\ndata: ").await?;
    to.write_all(data).await?;
    to.write_all(b"\n\n").await
}

/// Reads a request; `None` at the end of the connection.
async fn next(stream: &mut TcpStream, read: &mut Vec<u8>) -> Result<Option<Request>> {
    let end = loop {
        if let Some(at) = read.windows(4).position(|it| it == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(read).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&read[..end]).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let end_of_body = end + length.unwrap_or(0);
    while read.len() < end_of_body {
        if stream.read_buf(read).await? == 0 {
            return Ok(None);
        }
    }
    let body = String::from_utf8_lossy(&read[end..end_of_body]).into_owned();
    read.drain(..end_of_body);
    let mut words = head.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    Ok(Some(Request { method, path, body }))
}

#[cfg(test)]
mod tests {
    use plainwire::Client;

    use super::*;

    #[tokio::test]
    async fn serves_well_over_each_transport_until_it_misbehaves() {
        static NEVER: ServerBehaviour = {
            let turn = crate::behaviours::Turn { on: "no such method", after: 0, then: Then::Silence };
            ServerBehaviour { name: "never", over: &[], turns: [turn, turn] }
        };
        for (transport, path, revision) in [
            (Transport::Session, "mcp", "2025-11-25"),
            (Transport::Modern, "mcp", "2026-07-28"),
            (Transport::Sse, "sse", "2024-11-05"),
        ] {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let url = format!("http://{}/{path}", listener.local_addr().expect("an address"));
            let serving = tokio::spawn(serve(listener, &NEVER, transport, 1));
            let client = Client::connect(url.as_str()).await.expect("a connection");
            assert_eq!(client.revision().to_string(), revision);
            assert_eq!(client.list_tools().await.expect("a list").len(), 1);
            let called = client.call_tool("echo", serde_json::json!({ "message": "m" })).await;
            assert!(called.is_ok(), "{transport:?}: {called:?}");
            client.close().await;
            serving.abort();
        }
    }
}
