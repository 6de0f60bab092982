//! Sessions (before 2026-07-28): POST sends messages, DELETE ends the session. GET is in [`super::resuming`].

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use plainwire_proto::envelope::Id;
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::http as rules;
use plainwire_proto::revision::Revision;

use crate::server::connection::calls::{Attached, Held};
use crate::server::http::endpoint::{
    Body, Caller, Endpoint, Fields, METHODS, Place, Read, SESSION_ID, answer, refused,
};
use crate::server::http::session::{
    Posted, ReplicaNotice, Reply, ResponseStart, SESSION, Session, Taken, Unsaved,
};
use crate::server::store::StoreError;

const STORE_FAILED: &str = "the store of this server failed";

/// A message or a batch that its session has taken.
pub(crate) struct PostedInSession<'p> {
    /// The id of the session.
    id: &'p str,
    is_batch: bool,
    /// The text for other replicas: [`Posted::relayed`].
    relayed: Option<&'p str>,
    session: Arc<Session>,
    taken: Taken,
    /// Whether the session was initialized before it took the message.
    was_initialized: bool,
}

impl Endpoint {
    /// Answers `initialize`, and begins a session unless the answer is an error.
    pub(crate) async fn initialize(&self, caller: Caller, read: Read<'_>) -> Response<Body> {
        let asked = rules::answered_id(&read.parsed).cloned();
        let memory = match self.memory.claim(&caller.id, SESSION + read.text.len()) {
            Ok(memory) => memory,
            Err(over) => return over.response(asked.as_ref()),
        };
        let Some(new) = self.sessions.begin(caller, memory) else {
            let text = format!(
                "expected at most {} sessions of a caller at a time (limit `sessions_per_caller`), but found one more",
                self.sessions.most()
            );
            return answer::refusal(429, asked.as_ref(), text);
        };
        // A new session has no calls yet, which could get something.
        let attached = Attached::default();
        let (status, bytes) = match new.session.post(Posted::Message(read.text, read.parsed), attached).reply
        {
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

    /// Passes a message or a batch to its session. [`Self::answer_in_session`] answers it.
    pub(crate) fn post_in_session<'p>(
        &self,
        (id, session): (&'p str, Arc<Session>),
        (posted, caller): (Posted<'p>, Caller),
        place: &Arc<Place>,
    ) -> PostedInSession<'p> {
        let (relayed, is_batch) = (posted.relayed(), matches!(posted, Posted::Batch(_)));
        let was_initialized = session.is_initialized();
        // The call holds the place, because it continues when its client disconnects.
        let held: Held = Arc::<Place>::clone(place);
        let taken = session.post(posted, self.attach(caller, Some(held)));
        PostedInSession { id, is_batch, relayed, session, taken, was_initialized }
    }

    /// Answers a message or a batch that its session has taken.
    pub(crate) async fn answer_in_session(
        &self,
        posted: PostedInSession<'_>,
        asked: Option<&Id>,
        place: &Arc<Place>,
    ) -> Response<Body> {
        let PostedInSession { id, is_batch, relayed, session, taken, was_initialized } = posted;
        // A relayed message begins no call, so the client may send it again.
        if let Some(text) = relayed
            && let Err(error) = self.sessions.tell(&ReplicaNotice::Message(id, text)).await
        {
            return store_failed(asked, &error);
        }
        if let Err(error) = self.save(id, &session, was_initialized).await {
            // A message that changes the session does nothing else, so it can be refused. In a batch, other
            // messages may have begun calls, and their answers count: the record is then written with the
            // next message.
            if taken.has_changed && !is_batch {
                return unsaved(asked, &error);
            }
            let why = match &error {
                Unsaved::OverMemory(_) => "its caller takes too much memory (limit `memory`)".to_owned(),
                Unsaved::Store(error) => error.in_full().to_string(),
            };
            tracing::warn!("a change of a session is not in the store yet: {why}");
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
            ResponseStart::Ended => cut_off(asked),
            ResponseStart::Failed => answer::refusal(500, asked, STORE_FAILED),
            ResponseStart::Nothing => answer::no_events(),
            ResponseStart::Stream(number) => {
                self.follow((id, &session), (number, 0), (Arc::clone(place), false)).await
            }
        }
    }

    /// Saves the changes that a message has made to its session. Called before the response begins: after
    /// that, the client may send more messages, perhaps to another replica.
    async fn save(&self, id: &str, session: &Session, was_initialized: bool) -> Result<(), Unsaved> {
        self.sessions.save(id, session).await?;
        if session.is_initialized() && !was_initialized {
            self.sessions.admit(id).await?;
        }
        Ok(())
    }

    /// Answers a DELETE, which ends its session.
    pub(crate) async fn delete(&self, head: &Parts) -> Response<Body> {
        let headers = Fields(&head.headers);
        let (id, ..) = match self.session_of(head, &headers).await {
            Ok(found) => found,
            Err(refused) => return *refused,
        };
        match self.sessions.remove(id).await {
            Ok(()) => answer::empty(StatusCode::NO_CONTENT),
            Err(error) => store_failed(None, &error),
        }
    }

    /// Returns the session of a GET or DELETE, with its id and its caller.
    ///
    /// # Errors
    /// The response that refuses the request.
    pub(super) async fn session_of<'h>(
        &self,
        head: &Parts,
        headers: &'h Fields<'_>,
    ) -> Result<(&'h str, Arc<Session>, Caller), Box<Response<Body>>> {
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
        Ok((id, session, caller))
    }
}

/// Makes the response for an unknown session (404). Spec: after a 404 the client begins a new session.
pub(crate) fn no_session(asked: Option<&Id>) -> Response<Body> {
    let why =
        "expected `mcp-session-id` to be of a session of yours, but found one that has ended or never began";
    answer::refusal(404, asked, why)
}

/// Makes the response to a request whose session ended while it ran. Not 404: a client makes a request again that a
/// session it does not know has refused, and this one may have taken effect.
fn cut_off(asked: Option<&Id>) -> Response<Body> {
    let why = "expected the request to be answered while its session was open, but the session has ended; the request may have \
               taken effect";
    let status = if asked.is_some() { 200 } else { 500 };
    answer::error(status, asked, &Error::new(ErrorKind::Internal, why), Revision::NEWEST)
}

/// Makes the response to a request that changed its session, if the change could not be saved.
fn unsaved(asked: Option<&Id>, why: &Unsaved) -> Response<Body> {
    match why {
        Unsaved::OverMemory(over) => over.response(asked),
        Unsaved::Store(error) => store_failed(asked, error),
    }
}

/// Makes the response for an error of the store: 503 at the limit of sessions, 500 for other errors.
pub(crate) fn store_failed(asked: Option<&Id>, error: &StoreError) -> Response<Body> {
    match error {
        StoreError::Full { .. } => answer::refusal(503, asked, error.to_string()),
        StoreError::Failed { .. } => {
            tracing::error!("the store failed: {}", error.in_full());
            answer::refusal(500, asked, STORE_FAILED)
        }
    }
}
