//! Modern requests (2026-07-28), which describe themselves: no session, and nothing is kept after the answer.
//!
//! The answer is JSON. If another message, such as progress, comes before the answer, the response is a
//! stream, and the answer is its last event. A client that closes the connection cancels its request, because
//! that drops the [`Exchange`].

use std::future::poll_fn;
use std::sync::Arc;

use http::header::RETRY_AFTER;
use http::{HeaderValue, Response};
use plainwire_proto::error::ErrorKind;
use plainwire_proto::http::{self as rules};
use plainwire_proto::peer::{Route, Transmit, TransmitKind};

use crate::server::connection::Exchange;
use crate::server::http::endpoint::{
    Begun, Body, Caller, Endpoint, Events, Place, REQUEST, Read, Source, answer, is_listen,
};

impl Endpoint {
    /// Begins a modern request, unless it is refused.
    pub(crate) fn begin_modern(&self, caller: Caller, read: Read<'_>, place: &Arc<Place>) -> Begun<'static> {
        // Subscriptions have a limit of their own, which is low by default, because they stay open.
        let place = if is_listen(&read) {
            let limit = self.built.config.limits.listens;
            // The URIs are kept by the subscription, by the peer that watches them, and by the queue of changes.
            let memory = match self.memory.claim(&caller.id, REQUEST + 3 * read.text.len()) {
                Ok(memory) => memory,
                Err(over) => return Begun::answered(over.response(rules::answered_id(&read.parsed))),
            };
            match self.listens.take(&caller.id, limit) {
                Some(slot) => Arc::new(Place::new(slot, Some(memory))),
                None => {
                    let text = format!(
                        "expected at most {limit} listens at a time (limit `listens`), but found one more"
                    );
                    return Begun::answered(answer::refusal(429, rules::answered_id(&read.parsed), text));
                }
            }
        } else {
            Arc::clone(place)
        };
        let principal = caller.principal.clone();
        let attached = self.attach(caller, None);
        let exchange = Exchange::begin(&self.built, principal, attached, read.text, read.parsed);
        Begun::Modern(Box::new(exchange), place)
    }

    /// Waits for the first message of an exchange, and makes the response from it.
    pub(crate) async fn answer_modern(
        &self,
        mut exchange: Box<Exchange>,
        place: Arc<Place>,
    ) -> Response<Body> {
        let Some(first) = poll_fn(|cx| exchange.poll_next(cx)).await else {
            return answer::empty(http::StatusCode::ACCEPTED);
        };
        match first {
            Transmit { kind: TransmitKind::Message, .. } => {
                let source = Source::Exchange(exchange, Some(first));
                answer::events(Events::new(source, Some(place), self))
            }
            // Only the answer of a call for which there is no memory is such an error.
            Transmit {
                kind: TransmitKind::Error(ErrorKind::Overloaded),
                route: Route::Request(_),
                bytes,
            } => {
                let mut response = answer::json(429, bytes);
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
                response
            }
            Transmit { kind, route, bytes } => answer::json(status(&kind, route), bytes),
        }
    }
}

/// Returns the HTTP status of a response whose whole body is this answer: 200 for a result, and for an error
/// a status by its kind.
fn status(kind: &TransmitKind, route: Route) -> u16 {
    match (kind, route) {
        (TransmitKind::Error(kind), Route::Unsolicited) => rules::status_before_handler(kind),
        (TransmitKind::Error(kind), _) => rules::status_of_answer(kind),
        _ => 200,
    }
}
