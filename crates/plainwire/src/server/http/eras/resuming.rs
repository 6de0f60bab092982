//! Streams of sessions: opened by GET, and resumed at the event where they were cut off (`last-event-id`).
//!
//! In: a GET request, or the stream that answers a POST. Out: a response that reads events from the store,
//! starting after the newest event that the client has. `Sessions::find` in `session/table.rs` restores the
//! session itself from the store.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use http::request::Parts;
use http::{HeaderName, Response};
use plainwire_proto::json::shorten;

use super::legacy::{no_session, store_failed};
use crate::server::http::endpoint::{
    Body, Endpoint, Events, Fields, Following, Peeked, Place, Source, accepts, answer, parse_event_id, stream,
};
use crate::server::http::session::{Event, Session};
use crate::server::store::Tailed;

const NOTHING_LEFT: &str = "expected `last-event-id` to be of a stream that goes on, but found its end";

const NOT_KEPT: &str =
    "expected `last-event-id` to be of an event of this session that is kept, but found another one";

/// The largest number of streams that one caller may open or resume by GET at a time. 4,096: behind a proxy, many
/// callers count as one.
const STREAMS: usize = 4_096;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

impl Endpoint {
    /// Answers a GET: opens the stream for messages that belong to no request, or with `last-event-id`
    /// continues a stream that was cut off.
    pub(crate) async fn get(&self, head: &Parts) -> Response<Body> {
        if !accepts(&head.headers, "text/event-stream") {
            return answer::not_acceptable("text/event-stream", &head.headers);
        }
        let headers = Fields(&head.headers);
        let (id, session, caller) = match self.session_of(head, &headers).await {
            Ok(found) => found,
            Err(refused) => return *refused,
        };
        let Some(slot) = self.streams.take(&caller.id, STREAMS) else {
            let text =
                format!("expected at most {STREAMS} streams of a caller at a time, but found one more");
            return answer::refusal(429, None, text);
        };
        let place = Arc::new(Place::new(slot, None));
        if let Some(last) = head.headers.get(LAST_EVENT_ID) {
            let Some((stream, after)) = last.to_str().ok().and_then(parse_event_id) else {
                let found = String::from_utf8_lossy(last.as_bytes());
                let text = format!(
                    "expected `last-event-id` to be an id of this server, but found {:?}",
                    shorten(&found)
                );
                return answer::refusal(400, None, text);
            };
            return self.follow((id, &session), (stream, after), (place, true)).await;
        }
        match session.listen().await {
            Ok(Some(stream)) => self.follow((id, &session), (stream, 0), (place, true)).await,
            Ok(None) => no_session(None),
            Err(error) => store_failed(None, &error),
        }
    }

    /// Responds with the stream `number` of a session, starting after the event `after`. Refuses the request
    /// if the store can't read the stream from there. The response keeps `place`; `is_get` says whether it
    /// answers a GET.
    pub(super) async fn follow(
        &self,
        (id, session): (&str, &Arc<Session>),
        (number, after): (u64, u64),
        (place, is_get): (Arc<Place>, bool),
    ) -> Response<Body> {
        let mut tail = match self.sessions.store.tail(id, number, after).await {
            Ok(Some(tail)) => tail,
            Ok(None) => return answer::refusal(400, None, NOT_KEPT),
            Err(error) => return store_failed(None, &error),
        };
        let first = match poll_fn(|cx| Poll::Ready(tail.poll_next(cx))).await {
            // The client would come back forever if it got an empty stream, for example that of a request that
            // was cancelled.
            Poll::Ready(None) if is_get => return answer::refusal(400, None, NOTHING_LEFT),
            // A stream that can't be read is refused for the same reason.
            Poll::Ready(Some(Err(error))) => return store_failed(None, &error),
            Poll::Ready(Some(Ok(Tailed::Event(_, bytes)))) if Event::parse(&bytes).is_none() => {
                return store_failed(None, &stream::no_event());
            }
            Poll::Ready(first) => Some(first),
            Poll::Pending => None,
        };
        let tail = Box::new(Peeked { first, tail });
        answer::events(Events::new(Source::Tail(Following::new(number, tail, session)), Some(place), self))
    }
}
