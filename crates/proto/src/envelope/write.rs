//! Writes the envelope of messages: the JSON around `result` and `params`, and whole error answers.

use super::Id;
use crate::error::Error;
use crate::json::write;
use crate::revision::{Feature, Revision};

/// The room that is reserved for an answer before it is written, in bytes. 256: enough for most answers that
/// are a sentence or a few numbers.
const SHORT: usize = 256;

/// Writes the part of a successful answer before the value of `result`.
///
/// Write the value next, then call [`end`].
pub fn begin_result(out: &mut Vec<u8>, id: &Id) {
    // A short answer then takes one allocation.
    out.reserve(SHORT);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    out.extend_from_slice(br#","result":"#);
}

/// Writes the part of a request before the value of `params`. Write the value next, then call [`end`].
pub fn begin_request(out: &mut Vec<u8>, id: &Id, method: &str) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    out.extend_from_slice(br#","method":"#);
    write::string(out, method);
    out.extend_from_slice(br#","params":"#);
}

/// Writes the part of a notification before the value of `params`. Write the value next, then call [`end`].
pub fn begin_notification(out: &mut Vec<u8>, method: &str) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    write::string(out, method);
    out.extend_from_slice(br#","params":"#);
}

/// Writes the end of a message, after the value of `result` or `params`.
pub fn end(out: &mut Vec<u8>) {
    out.push(b'}');
}

/// Writes a whole error answer. `id` is `None` if the id of the request could not be read; `revision` is
/// `None` before the two sides have agreed on one.
pub fn error(out: &mut Vec<u8>, id: Option<&Id>, error: &Error, revision: Option<Revision>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    match id {
        Some(id) => {
            out.extend_from_slice(br#","id":"#);
            id.write(out);
        }
        // Spec: up to 2025-06-18 the id is required, so an unreadable id is answered with `null`, as in plain
        // JSON-RPC.
        None if !revision.is_some_and(|r| r.has(Feature::ErrorWithoutId)) => {
            out.extend_from_slice(br#","id":null"#);
        }
        None => {}
    }
    out.extend_from_slice(br#","error":"#);
    error.write(out, revision.unwrap_or(Revision::NEWEST_LEGACY));
    end(out);
}
