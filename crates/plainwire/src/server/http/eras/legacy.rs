//! Sessions (before 2026-07-28): POST sends messages, GET opens or continues a stream, DELETE ends the
//! session.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use http::request::Parts;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use plainwire_proto::envelope::Id;
use plainwire_proto::http as rules;
use plainwire_proto::json::shorten;

use crate::server::connection::calls::Held;
use crate::server::http::endpoint::{
    Body, Caller, Endpoint, Events, Fields, Following, METHODS, Peeked, Read, SESSION_ID, Slot, Source,
    accepts, answer, parse_event_id, refused, stream,
};
use crate::server::http::session::{Event, Posted, ReplicaNotice, Reply, ResponseStart, Session};
use crate::server::store::{StoreError, Tailed};

const NOTHING_LEFT: &str = "expected `last-event-id` to be of a stream that goes on, but found its end";

const NOT_KEPT: &str =
    "expected `last-event-id` to be of an event of this session that is kept, but found another one";

const STORE_FAILED: &str = "the store of this server failed";

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

impl Endpoint {
    /// Begins a session with `initialize`.
    pub(crate) async fn initialize(&self, caller: Caller, read: Read<'_>) -> Response<Body> {
        let asked = rules::answered_id(&read.parsed).cloned();
        let Some(new) = self.sessions.begin(caller) else {
            let text = format!(
                "expected at most {} sessions of a caller at a time (limit `sessions_per_caller`), but found one more",
                self.sessions.most()
            );
            return answer::refusal(429, asked.as_ref(), text);
        };
        // A new session has no calls yet, so no slot has to be held.
        let held: Held = Arc::new(());
        let (status, bytes) = match new.session.post(Posted::Message(read.text, read.parsed), &held).reply {
            Reply::Answer(bytes) => (200, bytes),
            Reply::Refusal(bytes) => return answer::json(400, bytes),
            Reply::Accepted | Reply::Ended | Reply::Later(_) => return answer::empty(StatusCode::ACCEPTED),
        };
        // After an error there is no session to keep.
        if new.session.revision().is_none() {
            return answer::json(status, bytes);
        }
        let id = match self.sessions.keep(new).await {
            Ok(id) => id,
            Err(error) => return store_failed(asked.as_ref(), &error),
        };
        let mut response = answer::json(status, bytes);
        if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().insert(SESSION_ID, id);
        }
        response
    }

    /// Answers a message or a batch that was sent in a session.
    pub(crate) async fn post_in_session(
        &self,
        (id, session): (&str, &Arc<Session>),
        asked: Option<&Id>,
        posted: Posted<'_>,
        slot: Slot,
    ) -> Response<Body> {
        let (relayed, is_batch) = (posted.relayed(), matches!(posted, Posted::Batch(_)));
        let (was_initialized, slot) = (session.is_initialized(), Arc::new(slot));
        // The call holds the slot, because it continues when its client disconnects.
        let held: Held = Arc::<Slot>::clone(&slot);
        let taken = session.post(posted, &held);
        drop(held);
        // A relayed message begins no call, so the client may send it again.
        if let Some(text) = relayed
            && let Err(error) = self.sessions.tell(&ReplicaNotice::Message(id, text)).await
        {
            return store_failed(asked, &error);
        }
        if let Err(error) = self.save(id, session, was_initialized).await {
            // Unless it was in a batch, a message that changes the session does nothing else, so it can be
            // refused. In a batch, calls have begun and their answers count: the record is written with the
            // next message.
            if taken.has_changed && !is_batch {
                return store_failed(asked, &error);
            }
            tracing::warn!("a change of a session is not in the store yet: {}", error.in_full());
        }
        let later = match taken.reply {
            Reply::Accepted => return answer::empty(StatusCode::ACCEPTED),
            Reply::Answer(bytes) => return answer::json(200, bytes),
            Reply::Ended => return no_session(asked),
            Reply::Refusal(bytes) => return answer::json(400, bytes),
            Reply::Later(later) => later,
        };
        match later.first().await {
            ResponseStart::Answer(bytes) => answer::json(200, bytes),
            ResponseStart::Ended => no_session(asked),
            ResponseStart::Failed => answer::refusal(500, asked, STORE_FAILED),
            ResponseStart::Nothing => answer::no_events(),
            ResponseStart::Stream(number) => self.follow((id, session), (number, 0), Some(slot)).await,
        }
    }

    /// Saves the changes of a message before the client may send more, perhaps to another replica.
    async fn save(&self, id: &str, session: &Session, was_initialized: bool) -> Result<(), StoreError> {
        self.sessions.save(id, session).await?;
        if session.is_initialized() && !was_initialized {
            self.sessions.admit(id).await?;
        }
        Ok(())
    }

    /// Opens the stream for messages that belong to no request, or continues a stream that was cut off.
    pub(crate) async fn get(&self, head: &Parts) -> Response<Body> {
        if !accepts(&head.headers, "text/event-stream") {
            return answer::not_acceptable("text/event-stream", &head.headers);
        }
        let headers = Fields(&head.headers);
        let (id, session) = match self.session_of(head, &headers).await {
            Ok(found) => found,
            Err(refused) => return *refused,
        };
        if let Some(last) = head.headers.get(LAST_EVENT_ID) {
            let Some((stream, after)) = last.to_str().ok().and_then(parse_event_id) else {
                let found = String::from_utf8_lossy(last.as_bytes());
                let text = format!(
                    "expected `last-event-id` to be an id of this server, but found {:?}",
                    shorten(&found)
                );
                return answer::refusal(400, None, text);
            };
            return self.follow((id, &session), (stream, after), None).await;
        }
        match session.listen().await {
            Ok(Some(stream)) => self.follow((id, &session), (stream, 0), None).await,
            Ok(None) => no_session(None),
            Err(error) => store_failed(None, &error),
        }
    }

    /// Ends a session.
    pub(crate) async fn delete(&self, head: &Parts) -> Response<Body> {
        let headers = Fields(&head.headers);
        let (id, _) = match self.session_of(head, &headers).await {
            Ok(found) => found,
            Err(refused) => return *refused,
        };
        match self.sessions.remove(id).await {
            Ok(()) => answer::empty(StatusCode::NO_CONTENT),
            Err(error) => store_failed(None, &error),
        }
    }

    /// Returns the session of a GET or DELETE.
    ///
    /// # Errors
    /// The response that refuses the request.
    async fn session_of<'h>(
        &self,
        head: &Parts,
        headers: &'h Fields<'_>,
    ) -> Result<(&'h str, Arc<Session>), Box<Response<Body>>> {
        let caller = self.caller(head).map_err(|found| Box::new(answer::unauthorized(found)))?;
        let refuse = |refusal| Box::new(refused(&refusal, None));
        let Some(id) = rules::named_session(headers, self.rules()).map_err(refuse)? else {
            return Err(Box::new(answer::no_session_for(&head.method, METHODS)));
        };
        let found = self.sessions.find(id, caller.principal.as_ref()).await;
        let session = found.map_err(|error| Box::new(store_failed(None, &error)))?;
        let Some(session) = session else { return Err(Box::new(no_session(None))) };
        if let Some(revision) = session.revision() {
            rules::check_session(headers, revision, self.rules()).map_err(refuse)?;
        }
        Ok((id, session))
    }

    /// Responds with a stream of a session, starting after the event `after`.
    async fn follow(
        &self,
        (id, session): (&str, &Arc<Session>),
        (number, after): (u64, u64),
        slot: Option<Arc<Slot>>,
    ) -> Response<Body> {
        let mut tail = match self.sessions.store.tail(id, number, after).await {
            Ok(Some(tail)) => tail,
            Ok(None) => return answer::refusal(400, None, NOT_KEPT),
            Err(error) => return store_failed(None, &error),
        };
        let first = match poll_fn(|cx| Poll::Ready(tail.poll_next(cx))).await {
            // With an empty stream, such a client would come back forever, as after a request that was
            // cancelled.
            Poll::Ready(None) if slot.is_none() => return answer::refusal(400, None, NOTHING_LEFT),
            // A stream that can't be read is refused for the same reason.
            Poll::Ready(Some(Err(error))) => return store_failed(None, &error),
            Poll::Ready(Some(Ok(Tailed::Event(_, bytes)))) if Event::parse(&bytes).is_none() => {
                return store_failed(None, &stream::no_event());
            }
            Poll::Ready(first) => Some(first),
            Poll::Pending => None,
        };
        let tail = Box::new(Peeked { first, tail });
        answer::events(Events::new(Source::Tail(Following::new(number, tail, session)), slot, self))
    }
}

/// Makes the response for an unknown session. Spec: after a 404 the client begins a new session.
pub(crate) fn no_session(asked: Option<&Id>) -> Response<Body> {
    let why =
        "expected `mcp-session-id` to be of a session of yours, but found one that has ended or never began";
    answer::refusal(404, asked, why)
}

pub(crate) fn store_failed(asked: Option<&Id>, error: &StoreError) -> Response<Body> {
    match error {
        StoreError::Full { .. } => answer::refusal(503, asked, error.to_string()),
        StoreError::Failed { .. } => {
            tracing::error!("the store failed: {}", error.in_full());
            answer::refusal(500, asked, STORE_FAILED)
        }
    }
}
