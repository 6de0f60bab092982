//! Passes a parsed message to the code of its era: modern requests, or legacy sessions.
//!
//! In: a message, its headers and its caller. Out: the response. The rules are in `plainwire_proto::http`;
//! this file applies them in order.

use std::borrow::Cow;
use std::sync::Arc;

use http::{HeaderMap, Response, StatusCode};
use plainwire_proto::envelope::{self, Id, Malformed, Message};
use plainwire_proto::error::Error;
use plainwire_proto::http::{self as rules, Class, Found, Headers, Refusal};

use super::body::Body;
use super::usage::Place;
use super::{Caller, Claim, Endpoint, answer};
use crate::server::catalog::selection::Selection;
use crate::server::connection::Exchange;
use crate::server::http::eras::{PostedInSession, no_session, store_failed};
use crate::server::http::session::{Posted, Session};

/// The body of a POST: its text (a message or a batch), and the result of parsing the text as one message.
pub(crate) struct Read<'r> {
    pub(crate) parsed: Result<Message, Malformed>,
    pub(crate) text: &'r str,
}

impl<'r> Read<'r> {
    /// Converts this to the form that a session takes: one message, or a whole batch.
    pub(crate) fn into_posted(self) -> Posted<'r> {
        match envelope::is_batch(self.text) {
            true => Posted::Batch(self.text.as_bytes()),
            false => Posted::Message(self.text, self.parsed),
        }
    }

    /// Returns the method of a request; empty for other messages.
    fn method(&self) -> Cow<'_, str> {
        match &self.parsed {
            Ok(Message::Request { method, .. }) => method.string(self.text).unwrap_or_default(),
            _ => Cow::Borrowed(""),
        }
    }
}

/// A message that the code of its era has taken.
pub(crate) enum Begun<'m> {
    Answered(Box<Response<Body>>),
    InSession(PostedInSession<'m>),
    /// A modern request, with the place that its answer holds until it is sent.
    Modern(Box<Exchange>, Arc<Place>),
}

impl Begun<'_> {
    pub(crate) fn answered(response: Response<Body>) -> Self {
        Self::Answered(Box::new(response))
    }
}

impl Endpoint {
    /// Reads a message and passes it to the code of its era. Also returns the place of the message among those in
    /// flight, and its id if it is a request.
    ///
    /// # Errors
    /// The response, if the body is not UTF-8 or the caller has too many requests in flight.
    pub(super) async fn begin<'m>(
        &self,
        headers: &'m Fields<'_>,
        caller: Caller,
        (bytes, memory): (&'m [u8], Claim),
    ) -> Result<(Begun<'m>, Arc<Place>, Option<Id>), Box<Response<Body>>> {
        let (read, place) = self.read(bytes, &caller, memory)?;
        let asked = rules::answered_id(&read.parsed).cloned();
        let refuse = |refusal: Refusal| Begun::answered(refused(&refusal, asked.as_ref()));
        let begun = match rules::classify(read.text, &read.parsed, headers, self.rules()) {
            // On the heap, because it is rare and large.
            Ok(Class::Initialize) => Begun::answered(Box::pin(self.initialize(caller, read)).await),
            Ok(Class::Modern) => match self.check_modern(&read, headers, caller.selection.as_deref()) {
                Ok(()) => self.begin_modern(caller, read, &place),
                Err(refusal) => refuse(refusal),
            },
            Ok(Class::ModernNotification) => Begun::answered(answer::empty(StatusCode::ACCEPTED)),
            Ok(Class::Session(id)) => match self.sessions.find(id, caller.principal.as_ref()).await {
                Ok(Some(session)) => match self.check_session(&session, headers) {
                    Ok(()) => {
                        let posted = (read.into_posted(), caller);
                        Begun::InSession(self.post_in_session((id, session), posted, &place))
                    }
                    Err(refusal) => refuse(refusal),
                },
                Ok(None) => Begun::answered(no_session(asked.as_ref())),
                Err(error) => Begun::answered(store_failed(asked.as_ref(), &error)),
            },
            Err(refusal) => refuse(refusal),
        };
        Ok((begun, place, asked))
    }

    /// Checks that the headers of a message fit the revision of its session. Succeeds if the session has
    /// none, because it is not initialized yet.
    fn check_session(&self, session: &Session, headers: &Fields<'_>) -> Result<(), Refusal> {
        session.revision().map_or(Ok(()), |revision| rules::check_session(headers, revision, self.rules()))
    }

    /// Checks the metadata of a modern request, and the headers that repeat arguments of its tool.
    fn check_modern(
        &self,
        read: &Read<'_>,
        headers: &Fields<'_>,
        selection: Option<&Selection>,
    ) -> Result<(), Refusal> {
        let Ok(Message::Request { params, .. }) = &read.parsed else { return Ok(()) };
        let method = read.method();
        rules::check_modern(read.text, &method, params, headers, self.rules())?;
        let Some(name) = params.name.filter(|_| method == "tools/call") else { return Ok(()) };
        let name = name.string(read.text).unwrap_or_default();
        let arguments = params.arguments.map(|span| span.text(read.text));
        let shared = &self.built.shared;
        let catalog = selection.map_or_else(|| shared.catalog().1, |selection| selection.catalog(shared));
        catalog
            .tool(&name)
            .map_or(Ok(()), |tool| rules::check_params(&tool.headers, arguments, headers))
            .map_err(Refusal::modern)
    }

    pub(crate) fn rules(&self) -> rules::Endpoint<'_> {
        rules::Endpoint { revisions: &self.built.config.revisions }
    }
}

/// Returns whether the message is a `subscriptions/listen` request, which stays open.
pub(crate) fn is_listen(read: &Read<'_>) -> bool {
    read.method() == "subscriptions/listen"
}

/// Makes the response for a refused message; `id` is the id of the message, if it could be read.
pub(crate) fn refused(refusal: &Refusal, id: Option<&Id>) -> Response<Body> {
    let Refusal { status, error, revision } = refusal;
    answer::error(*status, id, error, *revision)
}

/// The headers of a request, in the form that the rules of `plainwire_proto::http` read.
pub(crate) struct Fields<'f>(pub(crate) &'f HeaderMap);

impl Headers for Fields<'_> {
    fn value(&self, name: &str) -> Found<'_> {
        // A request has few headers, so that reading all names is faster than hashing one.
        let mut values = self.0.iter().filter(|(found, _)| found.as_str() == name).map(|(_, value)| value);
        let Some(first) = values.next() else { return Found::Absent };
        match values.all(|other| other == first) {
            true => Found::One(first.as_bytes()),
            false => Found::Differing,
        }
    }
}

/// Makes the response to a body that can't be read as a message (400).
pub(crate) fn unread(error: &Error) -> Response<Body> {
    answer::error(400, None, error, plainwire_proto::revision::Revision::NEWEST)
}
