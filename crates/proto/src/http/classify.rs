//! Determines whether a POST is modern or belongs to a legacy session, by the first rule that applies.
//!
//! In: a frame, its parsed message, its headers. Out: a [`Class`]. Later checks determine whether the session
//! exists, and whether a modern request follows the rules of its era.

use serde::Deserialize;

use super::session::no_session;
use super::{Endpoint, Headers, Refusal, mismatch, session_id, text};
use crate::envelope::{Malformed, Message, Params, is_batch};
use crate::error::{Error, ErrorKind};
use crate::revision::{Era, Revision};

/// The class of a posted message, which determines the code that handles it next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class<'h> {
    /// An `initialize` request, which starts a new legacy session.
    Initialize,
    /// A modern request. Call [`super::check_modern`] next.
    Modern,
    /// A modern notification. Answer 202 and ignore it: 2026-07-28 has no notifications of clients over HTTP.
    ModernNotification,
    /// A message for the legacy session with this id. If the session does not exist, answer 404. Otherwise
    /// call [`super::check_session`] next.
    Session(&'h str),
}

/// Determines the destination of a posted message.
///
/// `frame` may be a batch; then `parsed` is ignored. For a request, the first of these rules that applies
/// decides. A version in `_meta` makes the request modern. A modern version in the header, or a method that
/// only the modern era has, is refused, since `_meta` has no version. `initialize` starts a session. Client
/// information in `_meta` without a session id is refused. A session id leads to that session. Anything else
/// is refused.
///
/// # Errors
/// A refusal with status 400 for a malformed message, except a malformed answer in a session; for a modern
/// header, a modern method or client information without a version in `_meta`; for an invalid header; for a
/// version that is not served; and for a legacy message, an answer or a batch without a session.
pub fn classify<'h>(
    frame: &str,
    parsed: &Result<Message, Malformed>,
    headers: &'h (impl Headers + ?Sized),
    endpoint: Endpoint<'_>,
) -> Result<Class<'h>, Refusal> {
    if is_batch(frame) {
        return batch(headers, endpoint);
    }
    let message = match parsed {
        Ok(message) => message,
        // The session knows which request this answer belongs to, and fails that request.
        Err(it) if it.is_answer && matches!(session_id(headers), Ok(Some(_))) => {
            return session_id(headers).map(|id| Class::Session(id.unwrap_or_default()));
        }
        Err(it) => return Err(Refusal::legacy(it.error.clone(), named(headers))),
    };
    match message {
        Message::Request { method, params, .. } => {
            let method = method.string(frame).unwrap_or_default();
            request(frame, &method, params, headers, endpoint)
        }
        Message::Notification { params, .. } => {
            if params.meta.protocol_version.is_some() || has_modern_header(headers)? {
                return Ok(Class::ModernNotification);
            }
            legacy(headers, endpoint)
        }
        Message::Result { .. } | Message::Error { .. } => answer(headers),
    }
}

/// Applies the rules for requests, in the order in which [`classify`] lists them.
fn request<'h>(
    frame: &str,
    method: &str,
    params: &Params,
    headers: &'h (impl Headers + ?Sized),
    endpoint: Endpoint<'_>,
) -> Result<Class<'h>, Refusal> {
    if params.meta.protocol_version.is_some() {
        return Ok(Class::Modern);
    }
    if has_modern_header(headers)? || matches!(method, "server/discover" | "subscriptions/listen") {
        return Err(Refusal::modern(no_version()));
    }
    if method == "initialize" {
        return initialize(frame, params, endpoint);
    }
    let half_modern = params.meta.client_capabilities.is_some() || params.meta.client_info.is_some();
    if half_modern && session_id(headers)?.is_none() {
        return Err(Refusal::modern(no_version()));
    }
    legacy(headers, endpoint)
}

/// Handles `initialize`, which is refused if all served revisions are modern.
///
/// Spec: 2026-07-28 `versioning`: a server that serves only modern revisions answers `initialize` with the
/// versions that it supports.
fn initialize<'h>(frame: &str, params: &Params, endpoint: Endpoint<'_>) -> Result<Class<'h>, Refusal> {
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase", default)]
    struct Initialize {
        protocol_version: Option<String>,
    }
    if endpoint.revisions.iter().any(|r| r.era() == Era::Legacy) {
        return Ok(Class::Initialize);
    }
    let text = params.all.map_or("{}", |span| span.text(frame));
    let wanted = serde_json::from_str::<Initialize>(text).unwrap_or_default().protocol_version;
    let error = Error::unsupported_version(endpoint.revisions, &wanted.unwrap_or_default());
    Err(Refusal::modern(error))
}

/// Handles a legacy message: it belongs to the session whose id it carries. Without an id it is refused. The
/// refusal has the error codes of the served legacy revision that its header names, or else of the newest
/// revision.
fn legacy<'h>(headers: &'h (impl Headers + ?Sized), endpoint: Endpoint<'_>) -> Result<Class<'h>, Refusal> {
    if let Some(id) = session_id(headers)? {
        return Ok(Class::Session(id));
    }
    let Some(version) = text(headers, super::VERSION).map_err(Refusal::modern)? else {
        // Spec: 2026-07-28 "Protocol Version Header": MUST be refused, unless the server treats it as
        // 2025-03-26.
        return Err(Refusal::modern(mismatch(
            "expected `mcp-protocol-version` and the same in `_meta` (2026-07-28), or `mcp-session-id` as `initialize` gave \
             it, but found neither"
                .to_owned(),
        )));
    };
    match Revision::parse(version).filter(|r| r.era() == Era::Legacy && endpoint.revisions.contains(r)) {
        None => Err(Refusal::modern(Error::unsupported_version(endpoint.revisions, version))),
        // Spec: 2025-11-25 "Session Management" 2: SHOULD be 400.
        Some(revision) => Err(no_session(revision)),
    }
}

/// Handles an answer to a server's question: it belongs to the session whose id it carries. Without an id, or
/// with a modern version header, it is refused.
fn answer<'h>(headers: &'h (impl Headers + ?Sized)) -> Result<Class<'h>, Refusal> {
    // Spec: 2026-07-28 "Sending Messages" 4: clients MUST NOT send answers.
    if !has_modern_header(headers)?
        && let Some(id) = session_id(headers)?
    {
        return Ok(Class::Session(id));
    }
    let text = "expected a request or a notification, but found an answer outside a session";
    Err(Refusal::modern(Error::new(ErrorKind::InvalidRequest, text)))
}

/// Handles a batch by its headers alone: it belongs to the session whose id it carries, and
/// [`super::check_batch`] later checks that this session allows batches. Without an id, or with a modern
/// version header, it is refused.
fn batch<'h>(headers: &'h (impl Headers + ?Sized), endpoint: Endpoint<'_>) -> Result<Class<'h>, Refusal> {
    let version = text(headers, super::VERSION).map_err(Refusal::modern)?;
    if has_modern_header(headers)? || (version.is_none() && session_id(headers)?.is_none()) {
        return Err(Refusal::modern(no_batch()));
    }
    legacy(headers, endpoint)
}

pub(super) fn no_batch() -> Error {
    Error::new(ErrorKind::InvalidRequest, "expected one message, but found a batch")
}

fn no_version() -> Error {
    let text = "expected `_meta.io.modelcontextprotocol/protocolVersion` to be a string, but found nothing";
    Error::new(ErrorKind::InvalidParams, text)
}

fn has_modern_header(headers: &(impl Headers + ?Sized)) -> Result<bool, Refusal> {
    let version = text(headers, super::VERSION).map_err(Refusal::modern)?;
    Ok(version.and_then(Revision::parse).is_some_and(|r| r.era() == Era::Modern))
}

/// Returns the revision that the version header names, or else the newest, for errors about messages that
/// cannot be parsed.
fn named(headers: &(impl Headers + ?Sized)) -> Revision {
    let version = text(headers, super::VERSION).ok().flatten();
    version.and_then(Revision::parse).unwrap_or(Revision::NEWEST)
}
