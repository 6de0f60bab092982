//! Makes HTTP responses: with JSON, plain text, an event stream or no body; and refusals, whose body is a
//! JSON-RPC error with the details.

use http::header::{ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use plainwire_proto::envelope::{self, Id};
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::json::shorten;
use plainwire_proto::revision::Revision;

use super::body::Body;
use super::stream::Events;

pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Makes a response whose body is `bytes`: a JSON-RPC message or a batch.
pub(crate) fn json(status: u16, bytes: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::full(bytes));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Makes a response without a body.
pub(crate) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::default());
    *response.status_mut() = status;
    response
}

/// Makes a response with plain text, for people and health probes.
pub(crate) fn text(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::full(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// Makes a response whose body is a stream of Server-Sent Events.
pub(crate) fn events(events: Events) -> Response<Body> {
    event_stream(Body::events(events))
}

/// Makes an event stream without events, for a cancelled request of a session: it has no answer, but its
/// response has to be an event stream or JSON.
pub(crate) fn no_events() -> Response<Body> {
    event_stream(Body::default())
}

fn event_stream(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // Otherwise nginx buffers the events.
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    response
}

/// The mark of a response by which the endpoint refuses a request before its server has seen it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refused;

/// Makes an error response, with the id of the request if it could be read. The status determines the kind of
/// the error.
pub(crate) fn refusal(status: u16, id: Option<&Id>, why: impl Into<String>) -> Response<Body> {
    let kind = match status {
        429 | 503 => ErrorKind::Overloaded,
        500.. => ErrorKind::Internal,
        _ => ErrorKind::InvalidRequest,
    };
    let mut response = error(status, id, &Error::new(kind, why), Revision::NEWEST);
    response.extensions_mut().insert(Refused);
    response
}

/// Makes a response with an error in the form of `revision`, with the id of the request if it could be read.
pub(crate) fn error(status: u16, id: Option<&Id>, error: &Error, revision: Revision) -> Response<Body> {
    let mut out = Vec::new();
    envelope::error(&mut out, id, error, Some(revision));
    json(status, out)
}

/// Makes the response to a request without a valid token: 401. `found` describes the credentials in the
/// request, without their text.
pub(crate) fn unauthorized(found: &str) -> Response<Body> {
    let why = format!("expected `authorization: Bearer` with a token of this server, but found {found}");
    let mut response = refusal(401, None, why);
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// Makes the response to a client that accepts no content type of `wanted`, the types that the server can
/// send: 406.
pub(crate) fn not_acceptable(wanted: &str, headers: &HeaderMap) -> Response<Body> {
    let found = headers.get(ACCEPT).and_then(|it| it.to_str().ok()).unwrap_or_default();
    refusal(406, None, format!("expected `accept: {wanted}`, but found {:?}", shorten(found)))
}

/// Makes the response to an HTTP method that is not served at its path: 405. `allowed` lists the methods that
/// are served.
pub(crate) fn method_not_allowed(allowed: &'static str, found: &Method) -> Response<Body> {
    not_allowed(allowed, format!("expected the HTTP method to be one of {allowed}, but found {found}"))
}

/// Makes the response to a GET or DELETE that names no session: 405.
pub(crate) fn no_session_for(found: &Method, allowed: &'static str) -> Response<Body> {
    let why = format!("expected POST, or `mcp-session-id` beside {found}, but found {found} without it");
    not_allowed(allowed, why)
}

fn not_allowed(allowed: &'static str, why: String) -> Response<Body> {
    let mut response = refusal(405, None, why);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}
