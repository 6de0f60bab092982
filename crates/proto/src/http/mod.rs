//! HTTP as far as it is protocol: which era a POST belongs to, and what its headers have to say.
//!
//! In: a frame, what was read of it, and the headers by name. Out: a [`Class`], or a [`Refusal`] with the status and the
//! JSON-RPC error. [`classify`] comes first; then [`check_modern`] for modern requests, [`check_session`] for sessions,
//! and [`check_params`] once the tool is known. Sockets, routes, origins, tokens and the table of sessions are not here.
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
pub use schema::{ParamHeader, Primitive, param_headers};
pub use session::{check_batch, check_session, is_session_id, named_session, session_id};
pub use value::{BadValue, decode_value, encode_value};

/// The header with the version, in lower case as all names here.
pub const VERSION: &str = "mcp-protocol-version";

/// The header with the id of a session.
pub const SESSION: &str = "mcp-session-id";

/// The header that repeats the method of a modern request.
pub const METHOD: &str = "mcp-method";

/// The header that repeats the name, or the URI, of what a modern request is about.
pub const NAME: &str = "mcp-name";

/// What a request says under one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'h> {
    /// Nothing.
    Absent,
    /// One value, or the same value several times. Any bytes, blanks around it included.
    One(&'h [u8]),
    /// Several values that are not the same: who reads the first and who reads the last see different requests.
    Differing,
}

/// The headers of a request.
pub trait Headers {
    /// Returns what stands under `name`, which is in lower case. How the sender wrote it does not matter.
    fn value(&self, name: &str) -> Found<'_>;
}

/// Pairs of name and value, in any case and order.
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

/// What is served at one address.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint<'e> {
    /// The revisions, oldest first.
    pub revisions: &'e [Revision],
}

/// A request that is not served, and what its sender is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The JSON-RPC error.
    pub error: Error,
    /// The revision that the error is written in.
    pub revision: Revision,
}

impl Refusal {
    /// Refuses a request that is modern, or belongs to no revision yet.
    ///
    /// Modern terms are right for both: a client that is looking for the era knows a modern server by its codes.
    pub fn modern(error: Error) -> Self {
        Self::legacy(error, Revision::NEWEST)
    }

    /// Refuses a request of a session, or one that names `revision`.
    pub fn legacy(error: Error, revision: Revision) -> Self {
        Self { status: status_before_handler(error.kind()), error, revision }
    }
}

/// Returns the id that an answer to `parsed` repeats: that of a request, also of a malformed one, never that of an answer.
pub fn answered_id(parsed: &Result<Message, Malformed>) -> Option<&Id> {
    match parsed {
        Ok(Message::Request { id, .. }) => Some(id),
        Err(it) if it.answer && !it.is_answer => it.id.as_ref(),
        _ => None,
    }
}

/// Returns the HTTP status for an error that was found before any handler ran.
///
/// Source: 2026-07-28 `streamable-http`: 400 for versions, headers, capabilities and `_meta`, 404 for methods. The other
/// ones are not in the specification; 503 and 500 are what HTTP says for "later" and "our fault".
pub fn status_before_handler(kind: &ErrorKind) -> u16 {
    match kind {
        ErrorKind::MethodNotFound => 404,
        ErrorKind::HeaderMismatch
        | ErrorKind::InvalidParams
        | ErrorKind::InvalidRequest
        | ErrorKind::MissingClientCapability
        | ErrorKind::Parse
        | ErrorKind::UnsupportedVersion => 400,
        ErrorKind::Overloaded => 503,
        ErrorKind::Internal => 500,
        ErrorKind::Application(_) | ErrorKind::ResourceNotFound => 200,
    }
}

/// Returns the HTTP status for an error that a handler gave to a modern request.
///
/// An answer is an answer: 200. Source: 2026-07-28 `basic/index` "Error codes": only -32021 has to be 400 wherever it
/// comes from.
pub fn status_of_answer(kind: &ErrorKind) -> u16 {
    match kind {
        ErrorKind::MissingClientCapability => 400,
        _ => 200,
    }
}

/// Reads a header as text: blanks around it are not part of it, and what is not plain ASCII is no value.
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

/// A byte that may stand in the value of a header.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~')
}

/// Takes away spaces and tabs, which is what RFC 9110 calls OWS.
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
