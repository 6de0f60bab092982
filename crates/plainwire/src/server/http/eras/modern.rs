//! Requests that describe themselves (2026-07-28): no session, and nothing kept behind an answer.
//!
//! The answer is JSON unless something is said before it; then it is the last event of a stream. A client that closes the
//! connection cancels, because what it waited on is dropped.

use std::future::poll_fn;

use http::Response;
use plainwire_proto::http::{self as rules};
use plainwire_proto::peer::{Route, Transmit, TransmitKind};

use crate::server::connection::Exchange;
use crate::server::http::endpoint::{Body, Caller, Endpoint, Events, Place, Read, Source, answer, is_listen};

impl Endpoint {
    pub(crate) async fn serve_modern(&self, caller: Caller, read: Read<'_>, place: Place) -> Response<Body> {
        // A subscription is no request in flight: there are fewer of them, and they stay.
        let place = if is_listen(&read) {
            let limit = self.built.config.limits.listens;
            match self.listens.take(&caller.who, limit) {
                Some(place) => place,
                None => {
                    let text = format!(
                        "expected at most {limit} listens at a time (limit `listens`), but found one more"
                    );
                    return answer::refusal(429, rules::answered_id(&read.parsed), text);
                }
            }
        } else {
            place
        };
        let mut exchange = Exchange::begin(&self.built, caller.principal, read.text, read.parsed);
        let Some(first) = poll_fn(|cx| exchange.poll_next(cx)).await else {
            return answer::empty(http::StatusCode::ACCEPTED);
        };
        match first {
            Transmit { kind: TransmitKind::Message, .. } => {
                let source = Source::Exchange(Box::new(exchange), Some(first));
                answer::events(Events::new(source, Some(place.into()), self))
            }
            Transmit { kind, route, bytes } => answer::json(status(&kind, route), bytes),
        }
    }
}

/// The status of an answer.
fn status(kind: &TransmitKind, route: Route) -> u16 {
    match (kind, route) {
        (TransmitKind::Error(kind), Route::Unsolicited) => rules::status_before_handler(kind),
        (TransmitKind::Error(kind), _) => rules::status_of_answer(kind),
        _ => 200,
    }
}
