//! The body of a response as Server-Sent Events: messages as they come, and a comment after each 15 s of
//! silence.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use plainwire_proto::peer::{Transmit, TransmitKind};
use plainwire_proto::sse::{self, Fields};
use tokio::sync::futures::OwnedNotified;
use tokio::time::{Instant, Sleep};

use super::Endpoint;
use super::body::keep;
use super::memory::{Memory, REQUEST};
use super::usage::Place;
use crate::server::connection::Exchange;
use crate::server::http::eras::Opened;
use crate::server::http::session::{Event, Reading, Session, StreamKind};
use crate::server::store::{StoreError, Tail, Tailed};
use crate::stream::{Direction, Tap};

/// Silence after which a comment is sent, so that proxies do not consider the connection dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The stream of events of one response.
pub(crate) struct Events {
    /// Ready when the shutdown of the server begins; `None` if it had begun before this response.
    ending: Option<Pin<Box<OwnedNotified>>>,
    /// The source of the events; `None` after the last event.
    source: Option<Source>,
    tap: Option<Tap>,
    /// The memory in which large events count until they are sent.
    memory: Arc<Memory>,
    /// The place that the caller takes by this request, subscription or stream. It is in use until this body is
    /// dropped, because the client has disconnected or the last event is sent.
    place: Option<Arc<Place>>,
    /// The timer for the next comment, which keeps the connection alive.
    sleep: Pin<Box<Sleep>>,
}

/// The source of the events of a response.
pub(crate) enum Source {
    /// A modern request, and its first message, which was read to choose between JSON and an event stream;
    /// `None` once that message is written.
    Exchange(Box<Exchange>, Option<Transmit>),
    /// The stream of an HTTP+SSE session.
    Opened(Box<Opened>),
    /// A stream of a session (Streamable HTTP), read from the store.
    Tail(Following),
}

/// A tail (a reader of a stored stream) that was polled once before its response began, to see whether it has
/// an event.
pub(crate) struct Peeked {
    /// The result of that first poll, in which `Some(None)` is the end of the stream. `None` if no event was
    /// ready, or once this result was returned.
    pub(crate) first: Option<Option<Result<Tailed, StoreError>>>,
    pub(crate) tail: Box<dyn Tail>,
}

impl Tail for Peeked {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Tailed, StoreError>>> {
        match self.first.take() {
            Some(first) => Poll::Ready(first),
            None => self.tail.poll_next(cx),
        }
    }
}

/// A reader of one stream of a session, for one response.
pub(crate) struct Following {
    number: u64,
    /// The registration of this reader, which keeps the session alive.
    reading: Reading,
    tail: Box<dyn Tail>,
}

impl Following {
    pub(crate) fn new(number: u64, tail: Box<dyn Tail>, session: &Arc<Session>) -> Self {
        Self { number, reading: session.read(number), tail }
    }
}

impl Events {
    pub(crate) fn new(source: Source, place: Option<Arc<Place>>, endpoint: &Endpoint) -> Self {
        Self {
            ending: endpoint.ending.watch(),
            source: Some(source),
            tap: endpoint.built.tap.clone(),
            memory: Arc::clone(&endpoint.memory),
            place,
            sleep: Box::pin(tokio::time::sleep(KEEP_ALIVE)),
        }
    }

    /// Returns the next bytes: whole events, or a comment. `None` at the end of the stream.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let ends = self.ending.as_mut().is_none_or(|ending| ending.as_mut().poll(cx).is_ready());
        let Some(source) = &mut self.source else { return Poll::Ready(None) };
        if ends {
            match source {
                Source::Exchange(exchange, _) => drop(exchange.end_listen()),
                Source::Opened(opened) if opened.is_at_rest() => return Poll::Ready(None),
                Source::Tail(it) if StreamKind::of(it.number) == StreamKind::Standalone => {
                    return Poll::Ready(None);
                }
                Source::Opened(_) | Source::Tail(_) => {}
            }
        }
        let mut out = Vec::new();
        let written = match source {
            Source::Exchange(exchange, first) => {
                poll_exchange(exchange, first, (&mut out, self.tap.as_ref()), cx)
            }
            Source::Opened(opened) => {
                let next = opened.poll_next((&mut out, self.tap.as_ref()), cx);
                next.map(|next| next.map_or(Written::Last, |()| Written::More))
            }
            Source::Tail(it) => poll_tail(it, (&mut out, self.tap.as_ref()), cx),
        };
        let quiet = match written {
            Poll::Ready(Written::More) => false,
            Poll::Ready(Written::Last) => {
                self.source = None;
                false
            }
            Poll::Pending => out.is_empty(),
        };
        if quiet {
            if self.sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            out.extend_from_slice(b":\n\n");
        }
        self.sleep.as_mut().reset(Instant::now() + KEEP_ALIVE);
        // Registers the new deadline with the runtime.
        let _ = self.sleep.as_mut().poll(cx);
        Poll::Ready((!out.is_empty()).then(|| self.counted(out.into())))
    }

    /// Counts a large event as memory of its caller until it is sent. The place has room for small ones.
    fn counted(&self, event: Bytes) -> Bytes {
        match &self.place {
            Some(place) if event.len() > REQUEST => {
                let claim = self.memory.count(place.caller(), event.len());
                keep(event, (claim, Arc::clone(place)))
            }
            _ => event,
        }
    }
}

/// The state of a stream after its next event was written: more events may follow, or the stream is at its
/// end.
enum Written {
    More,
    Last,
}

fn poll_exchange(
    exchange: &mut Exchange,
    first: &mut Option<Transmit>,
    (out, tap): (&mut Vec<u8>, Option<&Tap>),
    cx: &mut Context<'_>,
) -> Poll<Written> {
    let next = match first.take() {
        Some(first) => Poll::Ready(Some(first)),
        None => exchange.poll_next(cx),
    };
    next.map(|transmit| {
        let Some(Transmit { kind, bytes, .. }) = transmit else { return Written::Last };
        write((out, tap), None, &bytes);
        if kind == TransmitKind::Message { Written::More } else { Written::Last }
    })
}

fn poll_tail(
    following: &mut Following,
    (out, tap): (&mut Vec<u8>, Option<&Tap>),
    cx: &mut Context<'_>,
) -> Poll<Written> {
    loop {
        let tailed = match following.tail.poll_next(cx) {
            Poll::Pending if following.reading.poll_cut(cx) => return Poll::Ready(Written::Last),
            Poll::Pending => return Poll::Pending,
            Poll::Ready(tailed) => tailed,
        };
        let (at, bytes) = match tailed {
            None => return Poll::Ready(Written::Last),
            Some(Err(error)) => {
                tracing::error!("a stream can't be read any further: {}", error.in_full());
                return Poll::Ready(Written::Last);
            }
            Some(Ok(Tailed::Gone(count))) => {
                // Clients ignore events with names that they do not know.
                let data = format!("{{\"events\":{count}}}");
                sse::write_event(out, Fields { event: Some("gone"), data: Some(&data), ..Fields::default() });
                return Poll::Ready(Written::More);
            }
            Some(Ok(Tailed::Event(at, bytes))) => (at, bytes),
        };
        let id = event_id(following.number, at);
        match Event::parse(&bytes) {
            Some(Event::Message(json)) => write((out, tap), Some(&id), json),
            Some(Event::Priming) => {
                sse::write_event(out, Fields { id: Some(&id), data: Some(""), ..Fields::default() })
            }
            Some(Event::Leave(retry)) => {
                let millis = u64::try_from(retry.as_millis()).unwrap_or(u64::MAX);
                let fields =
                    Fields { id: Some(&id), data: Some(""), retry: Some(millis), ..Fields::default() };
                sse::write_event(out, fields);
                return Poll::Ready(Written::Last);
            }
            Some(Event::Begun) => continue,
            // Skipping an unreadable event would lose a message without a trace.
            None => {
                tracing::error!("a stream can't be read any further: {}", no_event());
                return Poll::Ready(Written::Last);
            }
        }
        return Poll::Ready(Written::More);
    }
}

/// Makes the error for stored bytes that are not an event, such as an event of a later version of this crate.
pub(crate) fn no_event() -> StoreError {
    StoreError::failed("expected an event of a session, but found something else")
}

/// Writes a message as an event, and shows it to the tap, a callback that sees all messages.
pub(crate) fn write((out, tap): (&mut Vec<u8>, Option<&Tap>), id: Option<&str>, json: &[u8]) {
    if let Some(tap) = tap {
        tap.see(Direction::Out, json);
    }
    let json = std::str::from_utf8(json).unwrap_or_default();
    sse::write_event(out, Fields { id, event: Some("message"), data: Some(json), ..Fields::default() });
}

/// Returns the id of an event: the number of its stream, which can't be guessed, and the number of the event
/// in the stream.
fn event_id(stream: u64, at: u64) -> String {
    format!("{stream:016x}-{at}")
}

/// Parses the id of an event, as [`event_id`] returns it. Returns the number of the stream and the number of
/// the event; `None` for other text.
pub(crate) fn parse_event_id(id: &str) -> Option<(u64, u64)> {
    let (stream, at) = id.split_once('-')?;
    let is_hex = stream.len() == 16 && stream.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_number = !at.is_empty() && at.bytes().all(|byte| byte.is_ascii_digit());
    (is_hex && is_number).then_some((u64::from_str_radix(stream, 16).ok()?, at.parse().ok()?))
}
