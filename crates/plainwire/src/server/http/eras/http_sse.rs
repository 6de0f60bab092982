//! HTTP+SSE of 2024-11-05: `GET /sse` opens the stream of a session, `POST /messages` sends messages in it.
//!
//! In: requests at these two paths. Out: for a GET, a stream whose first event has the address for messages,
//! followed by all messages of the session; for a POST, a 202. A session lives as long as its stream. Its id
//! can't be guessed. There is no store, no event id and no resumption: Streamable HTTP added those.
//!
//! Source: 2024-11-05 `basic/transports` "HTTP with SSE".

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Buf;
use http::request::Parts;
use http::{Method, Response, StatusCode};
use plainwire_proto::envelope::{self, Id, Message};
use plainwire_proto::error::Error;
use plainwire_proto::http::{self as rules, Class, Found, Headers, Refusal};
use plainwire_proto::peer::Transmit;
use plainwire_proto::revision::{Era, Revision};
use plainwire_proto::sse::{self, Fields as Event};

use super::one_stream::{Ended, OneStream, Reader};
use crate::runtime::random;
use crate::server::built::Built;
use crate::server::catalog::selection::Selection;
use crate::server::http::endpoint::{
    Body, Caller, Endpoint, Events, Fields, Place, Read, Slot, Source, Usage, accepts, answer, refused,
    stream,
};
use crate::server::principal::Principal;
use crate::stream::Tap;

/// The path that opens a session's stream, and the path for messages of the client.
pub(crate) const PATHS: [&str; 2] = ["/sse", "/messages"];

/// The largest number of HTTP+SSE sessions that one caller may have open at a time. 1,024: behind a proxy,
/// many callers count as one.
const SESSIONS: usize = 1_024;

/// The longest time that a POST with a request waits for the client to read earlier messages from the stream
/// of its session. After this time the POST is refused (503).
const ROOM: Duration = Duration::from_secs(30);

/// The open sessions of the HTTP+SSE transport.
#[derive(Default)]
pub(crate) struct Sse {
    /// The open sessions, by session id.
    by_id: Mutex<HashMap<Box<str>, OpenSession>>,
    /// The number of open sessions, by caller.
    usage: Arc<Usage>,
}

struct OpenSession {
    session: Arc<OneStream>,
    principal: Option<Arc<Principal>>,
    /// The tools that the URL of the stream offers: the URL of its messages is of our making.
    selection: Option<Arc<Selection>>,
}

impl Sse {
    /// Begins a session of `caller`; `None` if the caller has [`SESSIONS`] open sessions already.
    fn open(self: &Arc<Self>, built: &Arc<Built>, caller: Caller) -> Option<(Opened, Slot)> {
        let slot = self.usage.take(&caller.id, SESSIONS)?;
        let id: Box<str> = random::id().into();
        let (session, reader) = OneStream::open(built, caller.principal.clone());
        let open = OpenSession { session, principal: caller.principal, selection: caller.selection };
        self.lock().insert(id.clone(), open);
        let opened = Opened { id, is_announced: false, reader, sse: Arc::clone(self) };
        Some((opened, slot))
    }

    /// Returns the session with this id and the tools that it offers, if it belongs to this principal.
    fn find(
        &self,
        id: &str,
        principal: Option<&Arc<Principal>>,
    ) -> Option<(Arc<OneStream>, Option<Arc<Selection>>)> {
        let open = self.lock();
        let entry = open.get(id).filter(|entry| entry.principal.as_ref() == principal)?;
        Some((Arc::clone(&entry.session), entry.selection.clone()))
    }

    /// Ends all HTTP+SSE sessions, because the server ends.
    pub(crate) fn end(&self) {
        let open = std::mem::take(&mut *self.lock());
        open.into_values().for_each(|entry| entry.session.end());
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, OpenSession>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stream of a session. Dropping it, as when the client disconnects, ends the session.
pub(crate) struct Opened {
    id: Box<str>,
    /// Whether the first event, with the URL to which the client posts its messages, was sent.
    is_announced: bool,
    reader: Reader,
    sse: Arc<Sse>,
}

impl Opened {
    /// Writes the next event to `out`, and shows its message, if it has one, to `tap`, a callback that sees
    /// all messages. `None` at the end of the stream.
    pub(crate) fn poll_next(
        &mut self,
        (out, tap): (&mut Vec<u8>, Option<&Tap>),
        cx: &mut Context<'_>,
    ) -> Poll<Option<()>> {
        if !self.is_announced {
            self.is_announced = true;
            let data = format!("{}?sessionId={}", PATHS[1], self.id);
            sse::write_event(out, Event { event: Some("endpoint"), data: Some(&data), ..Event::default() });
            return Poll::Ready(Some(()));
        }
        self.reader.poll_next(cx).map(|transmit| {
            let Transmit { bytes, .. } = transmit?;
            stream::write((out, tap), None, &bytes);
            Some(())
        })
    }

    /// Returns whether no request is in flight and no message waits for the client, so that a shutdown need
    /// not wait for this stream.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.reader.is_at_rest()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.sse.lock().remove(&self.id);
    }
}

impl Endpoint {
    /// Answers a request at one of [`PATHS`].
    pub(crate) async fn handle_sse<B>(&self, sse: &Arc<Sse>, head: &Parts, body: B) -> Response<Body>
    where
        B: http_body::Body<Data: Buf, Error: std::fmt::Display>,
    {
        let is_stream = head.uri.path() == PATHS[0];
        match head.method {
            Method::GET if is_stream => self.open_sse(sse, head),
            Method::POST if !is_stream => self.post_sse(sse, head, body).await,
            ref found => {
                answer::method_not_allowed(if is_stream { "GET, OPTIONS" } else { "OPTIONS, POST" }, found)
            }
        }
    }

    fn open_sse(&self, sse: &Arc<Sse>, head: &Parts) -> Response<Body> {
        if !accepts(&head.headers, "text/event-stream") {
            return answer::not_acceptable("text/event-stream", &head.headers);
        }
        let mut caller = match self.caller(head) {
            Ok(caller) => caller,
            Err(found) => return answer::unauthorized(found),
        };
        match self.selection(head) {
            Ok(selection) => caller.selection = selection,
            Err(refused) => return *refused,
        }
        let Some((opened, slot)) = sse.open(&self.built, caller) else {
            let text = format!("expected at most {SESSIONS} streams at a time, but found one more");
            return answer::refusal(429, None, text);
        };
        answer::events(Events::new(
            Source::Opened(Box::new(opened)),
            Some(Arc::new(Place::new(slot, None))),
            self,
        ))
    }

    async fn post_sse<B>(&self, sse: &Sse, head: &Parts, body: B) -> Response<Body>
    where
        B: http_body::Body<Data: Buf, Error: std::fmt::Display>,
    {
        let (bytes, memory, caller) = match self.receive(head, body).await {
            Ok(received) => received,
            Err(refused) => return *refused,
        };
        let (read, place) = match self.read(&bytes, &caller, memory) {
            Ok(read) => read,
            Err(refused) => return *refused,
        };
        let found = session_of(head).and_then(|id| Some((id, sse.find(id, caller.principal.as_ref())?)));
        let asked = rules::answered_id(&read.parsed).cloned();
        let asked = asked.as_ref();
        let Some((id, (session, selection))) = found else { return no_session(asked) };
        if let Err(refusal) = self.check_sse(id, session.revision(), &read, head) {
            return refused(&refusal, asked);
        }
        let attached = self.attach(Caller { selection, ..caller }, Some(place));
        match tokio::time::timeout(ROOM, session.post(read.into_posted(), attached)).await {
            Ok(Ok(())) => answer::empty(StatusCode::ACCEPTED),
            Ok(Err(Ended)) => no_session(asked),
            Err(_) => answer::refusal(
                503,
                asked,
                "expected the client to read the stream of the session, but it does not",
            ),
        }
    }

    /// Checks that a message fits a legacy revision (one with a handshake). A malformed message that has an
    /// id and must be answered passes, because the session answers it.
    fn check_sse(
        &self,
        id: &str,
        revision: Option<Revision>,
        read: &Read<'_>,
        head: &Parts,
    ) -> Result<(), Refusal> {
        let headers = InSession { fields: Fields(&head.headers), id };
        // A refusal can't say which message of a batch is wrong, so a batch is first checked as a whole.
        rules::check_batch(read.text, revision.unwrap_or(Revision::NEWEST))?;
        let is_batch = envelope::is_batch(read.text);
        if !is_batch && read.parsed.as_ref().is_err_and(|it| it.answer && it.id.is_some()) {
            return Ok(());
        }
        match rules::classify(read.text, &read.parsed, &headers, self.rules())? {
            Class::Modern | Class::ModernNotification => Err(Refusal::modern(self.too_modern(read))),
            Class::Initialize | Class::Session(_) => {
                revision.map_or(Ok(()), |revision| rules::check_session(&headers, revision, self.rules()))
            }
        }
    }

    /// Returns the error for a modern message, which HTTP+SSE does not support. The error names the version
    /// of the message, and lists the legacy versions of this server.
    fn too_modern(&self, read: &Read<'_>) -> Error {
        let params = match &read.parsed {
            Ok(Message::Request { params, .. } | Message::Notification { params, .. }) => Some(params),
            _ => None,
        };
        let named = params.and_then(|params| params.meta.protocol_version);
        let named = named.and_then(|span| span.string(read.text)).unwrap_or_default();
        let mut spoken = self.built.config.revisions.clone();
        spoken.retain(|revision| revision.era() == Era::Legacy);
        Error::unsupported_version(&spoken, &named)
    }
}

/// The headers of a request whose session id is in its URL. The rules find the id under the name of the
/// header for session ids.
struct InSession<'h> {
    fields: Fields<'h>,
    id: &'h str,
}

impl Headers for InSession<'_> {
    fn value(&self, name: &str) -> Found<'_> {
        if name == rules::SESSION { Found::One(self.id.as_bytes()) } else { self.fields.value(name) }
    }
}

/// Returns the session id in the URL of a POST; `None` if it has none.
fn session_of(head: &Parts) -> Option<&str> {
    head.uri.query()?.split('&').find_map(|pair| pair.strip_prefix("sessionId="))
}

fn no_session(asked: Option<&Id>) -> Response<Body> {
    answer::refusal(404, asked, "expected `sessionId` to be of a stream that is open, but found another one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nothing_is_left_of_a_stream_that_was_dropped() {
        let (built, _) = crate::server!("sse").build(None).expect("a legal server");
        let sse = Arc::<Sse>::default();
        let caller = Caller::test("ada");
        let (opened, _slot) = sse.open(&built, caller).expect("a slot");
        assert!(sse.find(&opened.id.clone(), None).is_some());
        drop(opened);
        assert!(sse.lock().is_empty());
    }
}
