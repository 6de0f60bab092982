//! The protocol rules of HTTP: finds out whether a POST is legacy or modern, and checks its headers.
//!
//! In: a frame, its parsed message, and the headers by name. Out: a [`Class`], or a [`Refusal`] with the
//! status and the JSON-RPC error. Call [`classify()`] first; then [`check_modern`] for modern requests or
//! [`check_session`] for sessions; and [`check_params`] once the tool is known. Sockets, routes, origins,
//! tokens and the table of sessions are not handled here.
//!
//! Source: 2026-07-28 `transports/streamable-http`, 2025-11-25 `basic/transports`.

use crate::envelope::{Id, Malformed, Message};
use crate::error::{Error, ErrorKind};
use crate::json::visible;
use crate::revision::Revision;

mod classify;
mod modern;
mod params;
mod schema;
mod session;
mod value;

pub use classify::{Class, classify};
pub use modern::{check_modern, name_source};
pub use params::{check_params, param_values};
pub use schema::{ParamHeader, Primitive, param_headers, param_headers_of};
pub use session::{check_batch, check_session, is_session_id, named_session, session_id};
pub use value::{BadValue, decode_value, encode_value};

/// The header with the protocol version. All header names here are in lower case.
pub const VERSION: &str = "mcp-protocol-version";

/// The header with the session id.
pub const SESSION: &str = "mcp-session-id";

/// The header that repeats the method of a modern request.
pub const METHOD: &str = "mcp-method";

/// The header that repeats the name of the tool or prompt, or the URI of the resource, in a modern request.
pub const NAME: &str = "mcp-name";

/// The value of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'h> {
    /// The header is absent.
    Absent,
    /// One value, or several identical ones. Any bytes, including surrounding white space.
    One(&'h [u8]),
    /// Several different values. Such a request is refused: if one program read the first value and another
    /// program the last, the two would see different requests.
    Differing,
}

/// The headers of a request.
pub trait Headers {
    /// Returns the value of the header `name`, which is in lower case. Names in the request may have any
    /// case.
    fn value(&self, name: &str) -> Found<'_>;
}

/// Pairs of name and value, in any order; names in any case.
impl<N: AsRef<str>, V: AsRef<[u8]>> Headers for [(N, V)] {
    fn value(&self, name: &str) -> Found<'_> {
        let mut found = Found::Absent;
        for (_, value) in self.iter().filter(|(n, _)| n.as_ref().eq_ignore_ascii_case(name)) {
            found = match found {
                Found::Absent => Found::One(value.as_ref()),
                Found::One(before) if before == value.as_ref() => found,
                _ => return Found::Differing,
            };
        }
        found
    }
}

/// The configuration of the HTTP address of a server, as far as these rules need it.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint<'e> {
    /// The revisions served, oldest first.
    pub revisions: &'e [Revision],
}

/// The refusal of an HTTP request: the status and the JSON-RPC error to answer it with.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The JSON-RPC error.
    pub error: Error,
    /// The revision whose error codes the answer uses.
    pub revision: Revision,
}

impl Refusal {
    /// Creates a refusal of a request that is modern, or whose era is unknown.
    ///
    /// A modern error suits both: a client that probes for the era recognizes a modern server by its error
    /// codes.
    pub fn modern(error: Error) -> Self {
        Self::legacy(error, Revision::NEWEST)
    }

    /// Creates a refusal of a request that belongs to a session of `revision`, or whose header names
    /// `revision`.
    pub fn legacy(error: Error, revision: Revision) -> Self {
        Self { status: status_before_handler(error.kind()), error, revision }
    }
}

/// Returns the id to put into an error answer to the message `parsed`: that of a request, even of a malformed
/// one. `None` for notifications and answers, and if the id could not be read.
pub fn answered_id(parsed: &Result<Message, Malformed>) -> Option<&Id> {
    match parsed {
        Ok(Message::Request { id, .. }) => Some(id),
        Err(it) if it.answer && !it.is_answer => it.id.as_ref(),
        _ => None,
    }
}

/// Returns the HTTP status for an error found before a handler ran.
///
/// Source: 2026-07-28 `streamable-http`: 400 for versions, headers, capabilities and `_meta`, 404 for
/// methods. The specification has no status for the other errors; HTTP uses 503 for "try later" and 500 for
/// faults of the server. The remaining kinds come from handlers only; like results, they get 200.
pub fn status_before_handler(kind: &ErrorKind) -> u16 {
    match kind {
        ErrorKind::MethodNotFound => 404,
        ErrorKind::HeaderMismatch
        | ErrorKind::InvalidParams
        | ErrorKind::InvalidRequest
        | ErrorKind::MissingClientCapability
        | ErrorKind::Parse
        | ErrorKind::UnsupportedVersion => 400,
        ErrorKind::Late { .. } | ErrorKind::Overloaded => 503,
        ErrorKind::Internal => 500,
        ErrorKind::Application(_) | ErrorKind::ResourceNotFound | ErrorKind::UrlElicitationRequired => 200,
    }
}

/// Returns the HTTP status for an error that a handler returned for a modern request.
///
/// It is 200, as for a result, except for a missing capability. Source: 2026-07-28 `basic/index` "Error
/// codes": only -32021 must always be 400.
pub fn status_of_answer(kind: &ErrorKind) -> u16 {
    match kind {
        ErrorKind::MissingClientCapability => 400,
        _ => 200,
    }
}

/// Returns the value of the header `name` as text without surrounding white space; `None` if the header is
/// absent. Several different values are an error, and so is anything but plain ASCII.
///
/// Source: RFC 9110 section 5.5; 2026-07-28 "A header value contains invalid characters".
fn text<'h>(headers: &'h (impl Headers + ?Sized), name: &str) -> Result<Option<&'h str>, Error> {
    let value = match headers.value(name) {
        Found::Absent => return Ok(None),
        Found::Differing => {
            return Err(mismatch(format!("expected one value of `{name}`, but found several")));
        }
        Found::One(value) => trim(value),
    };
    match std::str::from_utf8(value) {
        Ok(text) if text.bytes().all(is_plain) => Ok(Some(text)),
        _ => {
            let found = visible(&String::from_utf8_lossy(value), 80);
            Err(mismatch(format!("expected `{name}` in plain ASCII, but found {found:?}")))
        }
    }
}

/// Returns whether a byte is plain ASCII, which is allowed in the value of a header: a tab, a space or a
/// visible character.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~')
}

/// Removes surrounding spaces and tabs, which RFC 9110 calls OWS.
fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

fn mismatch(text: String) -> Error {
    Error::new(ErrorKind::HeaderMismatch, text)
}

#[cfg(test)]
mod tests;
