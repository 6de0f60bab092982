//! A message that was read: which era it belongs to, and on to there.
//!
//! The rules are `plainwire_proto::http`'s; what stands here is their order.

use std::borrow::Cow;

use http::request::Parts;
use http::{HeaderMap, Response, StatusCode};
use plainwire_proto::envelope::{self, Id, Malformed, Message};
use plainwire_proto::error::Error;
use plainwire_proto::http::{self as rules, Class, Found, Headers, Refusal};

use super::body::Body;
use super::usage::Place;
use super::{Caller, Endpoint, answer};
use crate::server::http::eras::{no_session, store_failed};
use crate::server::http::session::Posted;

/// A message with what was read of it.
pub(crate) struct Read<'r> {
    pub(crate) parsed: Result<Message, Malformed>,
    pub(crate) text: &'r str,
}

impl<'r> Read<'r> {
    /// What a session takes: the message, or all of a batch.
    pub(crate) fn into_posted(self) -> Posted<'r> {
        match envelope::is_batch(self.text) {
            true => Posted::Batch(self.text.as_bytes()),
            false => Posted::Message(self.text, self.parsed),
        }
    }

    fn method(&self) -> Cow<'_, str> {
        match &self.parsed {
            Ok(Message::Request { method, .. }) => method.string(self.text).unwrap_or_default(),
            _ => Cow::Borrowed(""),
        }
    }
}

impl Endpoint {
    pub(crate) async fn post_message(
        &self,
        head: &Parts,
        caller: Caller,
        read: Read<'_>,
        place: Place,
    ) -> Response<Body> {
        let headers = Fields(&head.headers);
        let refuse = |refusal: Refusal| refused(&refusal, rules::answered_id(&read.parsed));
        let class = match rules::classify(read.text, &read.parsed, &headers, self.rules()) {
            Ok(class) => class,
            Err(refusal) => return refuse(refusal),
        };
        match class {
            Class::Initialize => self.initialize(caller, read).await,
            Class::Modern => match self.check_modern(&read, &headers) {
                Ok(()) => self.serve_modern(caller, read, place).await,
                Err(refusal) => refuse(refusal),
            },
            Class::ModernNotification => answer::empty(StatusCode::ACCEPTED),
            Class::Session(id) => {
                let asked = rules::answered_id(&read.parsed).cloned();
                let asked = asked.as_ref();
                let session = match self.sessions.find(id, caller.principal.as_ref()).await {
                    Ok(Some(session)) => session,
                    Ok(None) => return no_session(asked),
                    Err(error) => return store_failed(asked, &error),
                };
                if let Some(revision) = session.revision()
                    && let Err(refusal) = rules::check_session(&headers, revision, self.rules())
                {
                    return refuse(refusal);
                }
                self.post_in_session((id, &session), asked, read.into_posted(), place).await
            }
        }
    }

    /// Checks what a modern request says of itself, and the headers that repeat what its tool is given.
    fn check_modern(&self, read: &Read<'_>, headers: &Fields<'_>) -> Result<(), Refusal> {
        let Ok(Message::Request { params, .. }) = &read.parsed else { return Ok(()) };
        let method = read.method();
        rules::check_modern(read.text, &method, params, headers, self.rules())?;
        let Some(name) = params.name.filter(|_| method == "tools/call") else { return Ok(()) };
        let name = name.string(read.text).unwrap_or_default();
        let arguments = params.arguments.map(|span| span.text(read.text));
        self.built
            .shared
            .catalog()
            .1
            .tool(&name)
            .map_or(Ok(()), |tool| rules::check_params(&tool.headers, arguments, headers))
            .map_err(Refusal::modern)
    }

    pub(crate) fn rules(&self) -> rules::Endpoint<'_> {
        rules::Endpoint { revisions: &self.built.config.revisions }
    }
}

/// Whether this asks for a subscription, which stays.
pub(crate) fn is_listen(read: &Read<'_>) -> bool {
    read.method() == "subscriptions/listen"
}

/// Says why a message is refused, to whoever sent it.
pub(crate) fn refused(refusal: &Refusal, id: Option<&Id>) -> Response<Body> {
    let Refusal { status, error, revision } = refusal;
    answer::error(*status, id, error, *revision)
}

/// The headers of a request, as the rules ask for them.
pub(crate) struct Fields<'f>(pub(crate) &'f HeaderMap);

impl Headers for Fields<'_> {
    fn value(&self, name: &str) -> Found<'_> {
        let mut values = self.0.get_all(name).iter();
        let Some(first) = values.next() else { return Found::Absent };
        match values.all(|other| other == first) {
            true => Found::One(first.as_bytes()),
            false => Found::Differing,
        }
    }
}

/// Words about what could not be read as a message at all.
pub(crate) fn unread(error: &Error) -> Response<Body> {
    answer::error(400, None, error, plainwire_proto::revision::Revision::NEWEST)
}
