//! The era of a POST, by the first rule that fits.
//!
//! In: a frame, what was read of it, its headers. Out: where it goes. Whether a session exists, and whether a modern
//! request keeps the rules of its era, is asked afterwards.

use serde::Deserialize;

use super::session::no_session;
use super::{Endpoint, Headers, Refusal, mismatch, session_id, text};
use crate::envelope::{Malformed, Message, Params, is_batch};
use crate::error::{Error, ErrorKind};
use crate::revision::{Era, Revision};

/// Where a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class<'h> {
    /// A new legacy session begins.
    Initialize,
    /// A modern request. [`super::check_modern`] comes next.
    Modern,
    /// A modern notification: 202, and nothing else happens. This revision has none over HTTP.
    ModernNotification,
    /// The legacy session of this id, which may not exist: 404 then. [`super::check_session`] comes next.
    Session(&'h str),
}

/// Says where a message goes that was posted.
///
/// `frame` may be a batch; `parsed` is not looked at then. What fits first counts: a modern version in the body, a modern
/// version in the header, methods that only the modern era has, `initialize`, a session, a version in the header.
///
/// # Errors
/// A refusal with status 400 for what is no message, for a modern header above a body that is not modern, for an answer
/// outside a session, for a version that is not served, and for a request that says nothing of its revision where those
/// are not served.
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
        // The session knows who waits for this answer, and what to tell it.
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

/// The rules for requests, in their order.
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

/// Spec: 2026-07-28 `versioning`: a server without a handshake names its versions to who tries one.
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

/// A legacy message belongs to a session, or it is refused in the terms of what its header says.
fn legacy<'h>(headers: &'h (impl Headers + ?Sized), endpoint: Endpoint<'_>) -> Result<Class<'h>, Refusal> {
    if let Some(id) = session_id(headers)? {
        return Ok(Class::Session(id));
    }
    let Some(version) = text(headers, super::VERSION).map_err(Refusal::modern)? else {
        // Spec: 2026-07-28 "Protocol Version Header": MUST be refused unless it is taken for 2025-03-26.
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

/// An answer is for a question that a session asked.
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

/// The messages of a batch are not looked at: the session, or the header, says whether there may be one.
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

/// The revision of the header, for errors about what can't be read.
fn named(headers: &(impl Headers + ?Sized)) -> Revision {
    let version = text(headers, super::VERSION).ok().flatten();
    version.and_then(Revision::parse).unwrap_or(Revision::NEWEST)
}
