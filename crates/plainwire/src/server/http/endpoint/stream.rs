//! A response as Server-Sent Events: messages as they come, comments while there are none.

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
use super::usage::Place;
use crate::server::connection::Exchange;
use crate::server::http::eras::Opened;
use crate::server::http::session::{Event, Kind, Reading, Session};
use crate::server::store::{StoreError, Tail, Tailed};
use crate::stream::{Direction, Tap};

/// A comment after so much silence, so that whoever is in between does not take the connection for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Events on their way to a client.
pub(crate) struct Events {
    /// Ready when the server is about to end; `None` if it was when this began.
    ending: Option<Pin<Box<OwnedNotified>>>,
    /// `None` after the last one.
    source: Option<Source>,
    tap: Option<Tap>,
    /// Held until the client has gone or everything is said.
    _place: Option<Arc<Place>>,
    sleep: Pin<Box<Sleep>>,
}

/// Where they come from.
pub(crate) enum Source {
    /// A request that describes itself, and what it has said already.
    Exchange(Box<Exchange>, Option<Transmit>),
    /// The stream of a session of 2024-11-05.
    Opened(Box<Opened>),
    /// The stream of a session.
    Tail(Following),
}

/// A tail whose next event was looked at.
pub(crate) struct Peeked {
    /// `None` if there was nothing yet, or it was taken.
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

/// A stream of a session.
pub(crate) struct Following {
    number: u64,
    /// Keeps the session alive.
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
            _place: place,
            sleep: Box::pin(tokio::time::sleep(KEEP_ALIVE)),
        }
    }

    /// Returns the next bytes, which are whole events; `None` at the end.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let ends = self.ending.as_mut().is_none_or(|ending| ending.as_mut().poll(cx).is_ready());
        let Some(source) = &mut self.source else { return Poll::Ready(None) };
        if ends {
            match source {
                Source::Exchange(exchange, _) => drop(exchange.end_listen()),
                Source::Opened(opened) if opened.is_at_rest() => return Poll::Ready(None),
                Source::Tail(it) if Kind::of(it.number) == Kind::Standalone => return Poll::Ready(None),
                Source::Opened(_) | Source::Tail(_) => {}
            }
        }
        let mut out = Vec::new();
        let said = match source {
            Source::Exchange(exchange, first) => {
                poll_exchange(exchange, first, (&mut out, self.tap.as_ref()), cx)
            }
            Source::Opened(opened) => {
                let next = opened.poll_next((&mut out, self.tap.as_ref()), cx);
                next.map(|next| next.map_or(Said::Last, |()| Said::More))
            }
            Source::Tail(it) => poll_tail(it, (&mut out, self.tap.as_ref()), cx),
        };
        let quiet = match said {
            Poll::Ready(Said::More) => false,
            Poll::Ready(Said::Last) => {
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
        // The timer has to be known to the runtime again.
        let _ = self.sleep.as_mut().poll(cx);
        Poll::Ready((!out.is_empty()).then(|| out.into()))
    }
}

enum Said {
    More,
    Last,
}

fn poll_exchange(
    exchange: &mut Exchange,
    first: &mut Option<Transmit>,
    (out, tap): (&mut Vec<u8>, Option<&Tap>),
    cx: &mut Context<'_>,
) -> Poll<Said> {
    let next = match first.take() {
        Some(first) => Poll::Ready(Some(first)),
        None => exchange.poll_next(cx),
    };
    next.map(|transmit| {
        let Some(Transmit { kind, bytes, .. }) = transmit else { return Said::Last };
        write((out, tap), None, &bytes);
        if kind == TransmitKind::Message { Said::More } else { Said::Last }
    })
}

fn poll_tail(
    following: &mut Following,
    (out, tap): (&mut Vec<u8>, Option<&Tap>),
    cx: &mut Context<'_>,
) -> Poll<Said> {
    loop {
        let tailed = match following.tail.poll_next(cx) {
            Poll::Pending if following.reading.poll_cut(cx) => return Poll::Ready(Said::Last),
            Poll::Pending => return Poll::Pending,
            Poll::Ready(tailed) => tailed,
        };
        let (at, bytes) = match tailed {
            None => return Poll::Ready(Said::Last),
            Some(Err(error)) => {
                tracing::error!("a stream can't be read on: {}", error.in_full());
                return Poll::Ready(Said::Last);
            }
            Some(Ok(Tailed::Gone(count))) => {
                // Clients pass over events with names they do not know.
                let data = format!("{{\"events\":{count}}}");
                sse::write_event(out, Fields { event: Some("gone"), data: Some(&data), ..Fields::default() });
                return Poll::Ready(Said::More);
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
                return Poll::Ready(Said::Last);
            }
            Some(Event::Begun) => continue,
            // Passed over, something would be missing, and nobody would know.
            None => {
                tracing::error!("a stream can't be read on: {}", no_event());
                return Poll::Ready(Said::Last);
            }
        }
        return Poll::Ready(Said::More);
    }
}

/// What stands in a stream and is no event, as one that a later version of this crate has written.
pub(crate) fn no_event() -> StoreError {
    StoreError::failed("expected an event of a session, but found something else")
}

/// Writes a message as an event.
pub(crate) fn write((out, tap): (&mut Vec<u8>, Option<&Tap>), id: Option<&str>, json: &[u8]) {
    if let Some(tap) = tap {
        tap.see(Direction::Out, json);
    }
    let json = std::str::from_utf8(json).unwrap_or_default();
    sse::write_event(out, Fields { id, event: Some("message"), data: Some(json), ..Fields::default() });
}

/// The id of an event: its stream, which is unguessable, and its place in it.
fn event_id(stream: u64, at: u64) -> String {
    format!("{stream:016x}-{at}")
}

/// Reads what [`event_id`] wrote.
pub(crate) fn parse_event_id(id: &str) -> Option<(u64, u64)> {
    let (stream, at) = id.split_once('-')?;
    let is_hex = stream.len() == 16 && stream.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_number = !at.is_empty() && at.bytes().all(|byte| byte.is_ascii_digit());
    (is_hex && is_number).then_some((u64::from_str_radix(stream, 16).ok()?, at.parse().ok()?))
}
