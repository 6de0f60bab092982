//! Responses: statuses with a JSON-RPC message that says the same in words.

use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use plainwire_proto::envelope::{self, Id};
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::revision::Revision;

use super::body::Body;
use super::stream::Events;

pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// A JSON message.
pub(super) fn json(status: u16, bytes: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::full(bytes));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Nothing but a status.
pub(super) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::default());
    *response.status_mut() = status;
    response
}

/// Text for people and probes.
pub(super) fn text(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::full(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// Server-Sent Events.
pub(super) fn events(events: Events) -> Response<Body> {
    event_stream(Body::events(events))
}

/// Not a single event: a request of a session that was cancelled has no answer, and its response has to be of this type
/// or JSON.
pub(super) fn no_events() -> Response<Body> {
    event_stream(Body::default())
}

fn event_stream(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // nginx would hold them back otherwise.
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    response
}

/// An error about what was not read as a message, or not as one that can be answered.
pub(super) fn refusal(status: u16, why: impl Into<String>) -> Response<Body> {
    error(status, None, &Error::new(ErrorKind::InvalidRequest, why), Revision::NEWEST)
}

/// An error in the terms of a revision, with the id of the request if it could be read.
pub(super) fn error(status: u16, id: Option<&Id>, error: &Error, revision: Revision) -> Response<Body> {
    let mut out = Vec::new();
    envelope::error(&mut out, id, error, Some(revision));
    json(status, out)
}

/// The client has not said who it is.
pub(super) fn unauthorized() -> Response<Body> {
    let mut response = refusal(401, "expected `Authorization: Bearer` with a token of this server");
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// There is no such method of HTTP here.
pub(super) fn method_not_allowed(allowed: &'static str) -> Response<Body> {
    let mut response = refusal(405, format!("expected the HTTP method to be one of {allowed}"));
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}
