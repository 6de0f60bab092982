//! Reads the responses to a client's HTTP requests, up to the JSON-RPC answer: a JSON body or a stream of
//! server-sent events.
//!
//! If a stream of a session breaks, it is resumed by GET after the last event. Each new event resets the
//! count of attempts.
//!
//! Source: 2025-11-25 `basic/transports` "Sending Messages to the Server", "Resumability and Redelivery".

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use plainwire_proto::json::{visible, write};
use plainwire_proto::sse::{Event, Events, Piece};
use reqwest::Response;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::connection::{Connection, EVENTS, Permit, Sent, Unsent, explain};
use super::remote::MOST_REDIRECTS;
use super::session::ID;
use super::{Arrived, Inbound, Outbound};
use crate::error::{Error, Result};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The most attempts in a row to resume a stream that bring no new event. 8: with waits that double, about
/// half a minute.
const MOST_ATTEMPTS: u32 = 8;

/// The wait before the first attempt to resume a stream, unless the server sets it. 100 ms, doubled each
/// time.
const WAIT: Duration = Duration::from_millis(100);

/// The longest wait before an attempt, unless the server sets a longer one for the first. 30 s: by then a
/// restarting server is back.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The shortest wait before an attempt, even if the server sets a shorter one. 20 ms: otherwise a server that ends
/// each stream at once would keep its client busy.
const SHORTEST_WAIT: Duration = Duration::from_millis(20);

/// The longest wait that a server can set. 5 min: with a longer one, the client would never come back.
const LONGEST_SET: Duration = Duration::from_secs(300);

/// The room in bytes that a large response gets at first. 33 MiB: the allocator of glibc returns blocks above 32 MiB
/// to the system as soon as they are freed, and may keep smaller ones.
const ROOM: usize = 33 << 20;

/// The most bytes that are read of a response without a message, and the longest time for that.
const MOST_DISCARDED: usize = 64 << 10;
const DISCARDING: Duration = Duration::from_secs(5);

/// The longest `WWW-Authenticate` header that an error keeps, in bytes. 4 KiB: challenges are a few names and URLs.
const MAX_CHALLENGE: usize = 4 << 10;

/// The most bytes of a stream that are parsed at a time. 16 KiB: thousands of tiny events, each of which takes more
/// memory than its text, never wait together.
const PART: usize = 16 << 10;

/// The reason why a response was not read to its end.
pub(super) enum Cut {
    /// The request failed, and another attempt would not help.
    Failed(Error),
    /// The connection broke: the outcome of the request is unknown.
    Lost(String),
    /// The server does not know the session, and has not processed the message.
    NoSession,
}

/// The result of reading an event stream.
pub(super) enum Streamed {
    /// The awaited answer has arrived.
    Answer(Box<Inbound>),
    /// The stream ended without the answer, for this reason.
    Ended(String),
}

impl From<Error> for Cut {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The position at which a stream broke, and the attempts to resume the stream.
#[derive(Default)]
pub(super) struct Position {
    /// The id of the newest event that has one; `None` if the stream can't be resumed.
    pub(super) last_id: Option<String>,
    /// The wait that the server set, by `retry` of an event; `None` for the default [`WAIT`].
    pub(super) retry: Option<Duration>,
    /// Whether an event arrived since the last attempt.
    pub(super) is_new: bool,
    /// The number of attempts since an event last arrived.
    pub(super) attempts: u32,
}

impl Position {
    /// Counts another attempt to open the stream again. Returns how long to wait before the attempt.
    pub(super) fn wait(&mut self) -> Duration {
        if std::mem::take(&mut self.is_new) {
            self.attempts = 0;
        }
        self.attempts += 1;
        let first = self.retry.map_or(WAIT, |set| set.clamp(SHORTEST_WAIT, LONGEST_SET));
        first.saturating_mul(1 << (self.attempts - 1).min(16)).min(LONGEST_WAIT.max(first))
    }
}

impl Connection {
    /// Handles the response to a frame. Returns the answer to a request; `None` for other frames, and for an
    /// answer that arrives on another stream.
    pub(super) async fn take(&self, out: &Outbound, sent: Sent) -> std::result::Result<Option<Inbound>, Cut> {
        let Sent { response, .. } = sent;
        let status = response.status().as_u16();
        if !(200..300).contains(&status) {
            return self.refused(out, status, response).await;
        }
        if out.id.is_none() || self.messages.get().is_some() {
            discard(response).await;
            return Ok(None);
        }
        match kind(response.headers()) {
            "application/json" => {
                let session = response.headers().get(ID).cloned();
                let answer = self.read_answer(out, self.body(response).await?)?;
                self.learn(out, session, &answer);
                Ok(Some(answer))
            }
            "text/event-stream" => self.follow(out, response).await.map(Some),
            found => {
                let text = format!(
                    "expected `content-type: application/json` or `text/event-stream` for {}, but found {found:?} (HTTP {status})",
                    out.title()
                );
                Err(Cut::Failed(Error::Decode { message: text }))
            }
        }
    }

    /// Reads the answer to `out` and returns it. Drops all other messages of the response.
    ///
    /// # Errors
    /// If the response has no such answer.
    pub(super) async fn read_alone(&self, out: &Outbound, mut response: Response) -> Result<Inbound> {
        let status = response.status().as_u16();
        let failed = |message: String| Err(Error::Http { status, message, challenge: None });
        if status != 200 {
            return failed(format!(
                "expected a new session, but found: {}",
                words(&beginning(response).await)
            ));
        }
        if kind(response.headers()) == "application/json" {
            let body = self.body(response).await.map_err(|cut| match cut {
                Cut::Failed(error) => error,
                Cut::Lost(why) => Error::Closed { why },
                Cut::NoSession => super::connection::no_session(),
            })?;
            return self.read_answer(out, body);
        }
        let (mut events, mut permit) = (Events::new(self.limits.frame_in), None);
        while let Ok(Some(bytes)) = response.chunk().await {
            events.push(&bytes);
            while let Some(piece) = events.next_piece() {
                let Piece::Event(Event { data: Some(data), .. }) = piece else { continue };
                let found = self.read(data, None);
                if found.answers(out) {
                    return Ok(found);
                }
            }
            self.permit(&mut permit, events.unfinished()).await;
        }
        failed("expected a new session, but the stream ended before it".to_owned())
    }

    /// Reads a stream up to the answer to `out`, and resumes it if it breaks.
    async fn follow(&self, out: &Outbound, mut response: Response) -> std::result::Result<Inbound, Cut> {
        let session = response.headers().get(ID).cloned();
        let mut position = Position::default();
        loop {
            let mut events = Events::new(self.limits.frame_in);
            let found = self.read_events((&mut response, &mut events), &mut position, Some(out));
            let why = match found.await? {
                Streamed::Answer(answer) => {
                    self.learn(out, session, &answer);
                    return Ok(*answer);
                }
                Streamed::Ended(why) => why,
            };
            // Modern streams can't be resumed, and neither can streams without event ids.
            let Some(last) = position.last_id.clone().filter(|_| !out.is_modern()) else {
                return Err(Cut::Lost(why));
            };
            response = self.resume(&last, &mut position, why).await?;
        }
    }

    /// Requests the events of a broken stream after the event `last`, until the server sends them or the
    /// attempts are used up.
    async fn resume(
        &self,
        last: &str,
        position: &mut Position,
        mut why: String,
    ) -> std::result::Result<Response, Cut> {
        loop {
            let wait = position.wait();
            if position.attempts > MOST_ATTEMPTS {
                return Err(Cut::Lost(why));
            }
            tokio::time::sleep(wait).await;
            match self.get(Some(last)).await {
                Ok(Sent { response, .. }) => match response.status().as_u16() {
                    200 if kind(response.headers()) == "text/event-stream" => return Ok(response),
                    status @ (500..600 | 429) => {
                        why = format!("the stream could not be resumed: HTTP {status}")
                    }
                    status => {
                        return Err(Cut::Lost(format!("{why}, and it could not be resumed: HTTP {status}")));
                    }
                },
                Err(Unsent::Refused(error)) => why = error.to_string(),
                Err(Unsent::Unknown(found)) => why = found,
            }
        }
    }

    /// Requests an event stream by GET; with `last`, the events after the one with this id.
    pub(super) async fn get(&self, last: Option<&str>) -> std::result::Result<Sent, Unsent> {
        let mut headers = self.headers.clone();
        headers.insert(ACCEPT, EVENTS);
        if let Some(last) = last.and_then(|last| HeaderValue::try_from(last).ok()) {
            headers.insert(LAST_EVENT_ID, last);
        }
        self.request(Method::GET, &self.url, headers, None, true).await
    }

    /// Reads a stream up to the answer to `awaited`, or up to the end of the stream. Returns the answer, and passes
    /// all other messages to the connection task.
    pub(super) async fn read_events(
        &self,
        (response, events): (&mut Response, &mut Events),
        position: &mut Position,
        awaited: Option<&Outbound>,
    ) -> std::result::Result<Streamed, Cut> {
        let (mut permit, mut bytes) = (None, Bytes::new());
        loop {
            while let Some(piece) = events.next_piece() {
                let event = match piece {
                    Piece::Event(event) => event,
                    Piece::TooLong => {
                        let text = format!(
                            "expected an event of at most {} bytes (limit `frame_in`), but found a longer one",
                            self.limits.frame_in
                        );
                        if awaited.is_some() {
                            return Err(Cut::Failed(Error::Decode { message: text }));
                        }
                        tracing::warn!("{text}");
                        continue;
                    }
                };
                position.is_new |= event.id.is_some() || event.has_data();
                position.retry = event.retry.map(Duration::from_millis).or(position.retry);
                if let Some(id) = event.id.clone() {
                    position.last_id = Some(id).filter(|id| !id.is_empty());
                }
                // Events of other types, such as keep-alives, are no messages.
                let is_message = event.event.as_deref().is_none_or(|name| name == "message");
                let Some(data) = event.data.filter(|data| is_message && !data.is_empty()) else { continue };
                self.permit(&mut permit, data.len()).await;
                let found = self.read(data, permit.take());
                if awaited.is_some_and(|out| found.answers(out)) {
                    return Ok(Streamed::Answer(Box::new(found)));
                }
                self.tell(Arrived::Message(Box::new(found))).await;
            }
            if self.permit(&mut permit, events.unfinished()).await {
                events.expect_large();
            }
            if bytes.is_empty() {
                bytes = match response.chunk().await {
                    Ok(Some(bytes)) => bytes,
                    Ok(None) => return Ok(Streamed::Ended("the stream ended before the answer".to_owned())),
                    Err(error) => return Ok(Streamed::Ended(explain(&error))),
                };
            }
            events.push(&bytes.split_to(bytes.len().min(PART)));
        }
    }

    /// Parses a response body that has to be the JSON-RPC answer to `out`.
    fn read_answer(&self, out: &Outbound, (bytes, permit): (Vec<u8>, Permit)) -> Result<Inbound> {
        let unexpected = |found: &[u8]| {
            let text = format!("expected the answer to {}, but found {}", out.title(), words(found));
            Err(Error::Decode { message: text })
        };
        match String::from_utf8(bytes).map(|text| self.read(text, permit)) {
            Ok(found) if found.answers(out) => Ok(found),
            Ok(found) => unexpected(found.text.as_bytes()),
            Err(error) => unexpected(error.as_bytes()),
        }
    }

    fn read(&self, text: String, permit: Permit) -> Inbound {
        Inbound::read(text, permit, self.limits.depth)
    }

    /// If `out` is `initialize`, stores the session that begins with `answer`. `session_id` is the
    /// `Mcp-Session-Id` of the response.
    fn learn(&self, out: &Outbound, session_id: Option<HeaderValue>, answer: &Inbound) {
        if out.method == "initialize" {
            let mut session = self.session();
            session.initialize = Some(out.bytes.clone());
            session.begin(session_id, &answer.text);
        }
    }

    /// Handles a response whose status is not a success. Returns the JSON-RPC error in its body as the
    /// answer; an HTTP error that answers `initialize` may lead to HTTP+SSE, and one that answers
    /// `server/discover` to the legacy handshake.
    async fn refused(
        &self,
        out: &Outbound,
        status: u16,
        response: Response,
    ) -> std::result::Result<Option<Inbound>, Cut> {
        if status == 404 && !out.is_modern() && !out.is_handshake() && self.session().has_id() {
            return Err(Cut::NoSession);
        }
        // Nothing may hold up a frame without an answer: while too many answers of the client are on their way, no
        // message is handled, and so no permit becomes free.
        let challenge = challenge(response.headers());
        let redirect = redirect(status, response.headers());
        let (body, permit) = match out.id {
            Some(_) => self.body(response).await.unwrap_or_default(),
            None => (beginning(response).await, None),
        };
        if matches!(status, 401 | 403) {
            return Err(Cut::Failed(Error::Http { status, message: words(&body), challenge }));
        }
        let may_be_older = out.method == "initialize" && matches!(status, 400 | 404 | 405);
        if may_be_older && self.begin_http_sse(out).await? {
            return Ok(None);
        }
        match (&out.id, error_in(&body)) {
            (Some(_), Some(error)) => Ok(Some(self.read(error_frame(out, error.get()), permit))),
            // The server does not know this method, unless it is only too busy now. With this answer, the peer continues
            // with the legacy handshake.
            (Some(_), None) if out.method == "server/discover" && !matches!(status, 429 | 502..=504) => {
                let text = serde_json::Value::from(format!("HTTP {status}"));
                let error = format!(r#"{{"code":-32601,"message":{text}}}"#);
                Ok(Some(self.read(error_frame(out, &error), None)))
            }
            _ => {
                let message = redirect.unwrap_or_else(|| words(&body));
                Err(Cut::Failed(Error::Http { status, message, challenge }))
            }
        }
    }

    /// Reads a response body of at most `frame_in` bytes. Returns it with the permit to keep it.
    async fn body(&self, mut response: Response) -> std::result::Result<(Vec<u8>, Permit), Cut> {
        let (mut bytes, mut permit) = (Vec::new(), None);
        loop {
            if self.permit(&mut permit, bytes.len()).await {
                // Memory that is not used costs nothing; growing by doubling would leave some behind.
                bytes.reserve_exact(ROOM.saturating_sub(bytes.len()));
            }
            match response.chunk().await {
                Ok(Some(chunk)) if bytes.len() + chunk.len() > self.limits.frame_in => {
                    let text = format!(
                        "expected a response of at most {} bytes (limit `frame_in`), but found a longer one",
                        self.limits.frame_in
                    );
                    return Err(Cut::Failed(Error::Decode { message: text }));
                }
                Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
                Ok(None) => {
                    bytes.shrink_to_fit();
                    return Ok((bytes, permit));
                }
                Err(error) => return Err(Cut::Lost(explain(&error))),
            }
        }
    }
}

/// Reads the rest of a response that nobody needs, so that its connection can be used again. Gives the connection
/// up if that takes long.
pub(super) async fn discard(response: Response) {
    drop(beginning(response).await);
}

/// Reads the beginning of a response without a message: within limits of bytes and time.
async fn beginning(mut response: Response) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            let fitting = chunk.len().min(MOST_DISCARDED - bytes.len());
            bytes.extend_from_slice(&chunk[..fitting]);
            if fitting < chunk.len() {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(DISCARDING, read).await;
    bytes
}

/// Returns the media type of a body, without parameters.
pub(super) fn kind(headers: &HeaderMap) -> &str {
    let found = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    found.split(';').next().unwrap_or_default().trim()
}

/// Returns the JSON-RPC error in a response body. The id beside it is ignored: servers that refuse a request
/// often omit it.
fn error_in(body: &[u8]) -> Option<&RawValue> {
    #[derive(Deserialize)]
    struct Body<'b> {
        #[serde(borrow)]
        error: &'b RawValue,
    }
    #[derive(Deserialize)]
    struct Code {
        #[serde(rename = "code")]
        _code: i64,
    }
    let body: Body<'_> = serde_json::from_slice(body).ok()?;
    serde_json::from_str::<Code>(body.error.get()).ok().map(|_| body.error)
}

/// Returns the JSON-RPC error answer to `out` with the error object `error`.
fn error_frame(out: &Outbound, error: &str) -> String {
    let mut frame = br#"{"jsonrpc":"2.0","id":"#.to_vec();
    if let Some(id) = &out.id {
        id.write(&mut frame);
    }
    frame.extend_from_slice(br#","error":"#);
    write::raw(&mut frame, error);
    frame.push(b'}');
    String::from_utf8(frame).unwrap_or_default()
}

/// Returns the text about a redirect that was not followed.
fn redirect(status: u16, headers: &HeaderMap) -> Option<String> {
    let to = headers.get(LOCATION).filter(|_| (300..400).contains(&status))?;
    let to = visible(&String::from_utf8_lossy(to.as_bytes()), 300);
    Some(format!(
        "it redirects to {to:?}; at most {MOST_REDIRECTS} redirects are followed, and only within the same origin"
    ))
}

/// Returns how the server wants to be authenticated: its `WWW-Authenticate` header, unless it is too long.
pub(super) fn challenge(headers: &HeaderMap) -> Option<String> {
    let challenge = headers.get(WWW_AUTHENTICATE)?.to_str().ok()?;
    (challenge.len() <= MAX_CHALLENGE).then(|| challenge.to_owned())
}

/// Returns the text of a response body for messages to the user: the message of its JSON-RPC error, else the
/// body.
fn words(body: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Words {
        message: String,
    }
    let message = error_in(body).and_then(|error| serde_json::from_str::<Words>(error.get()).ok());
    match message.map(|it| it.message).as_deref().unwrap_or(String::from_utf8_lossy(body).trim()) {
        "" => "an empty body".to_owned(),
        text => visible(text, 300),
    }
}

#[cfg(test)]
mod tests;
