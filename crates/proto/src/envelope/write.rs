//! The envelope written back: what stands around `result`, `params` and `error`.

use super::Id;
use crate::error::Error;
use crate::json::write;
use crate::revision::{Feature, Revision};

/// Writes everything of a successful answer that comes before the value of `result`.
///
/// The value and [`end`] follow.
pub fn begin_result(out: &mut Vec<u8>, id: &Id) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    out.extend_from_slice(br#","result":"#);
}

/// Writes everything of a request that comes before the value of `params`.
pub fn begin_request(out: &mut Vec<u8>, id: &Id, method: &str) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    out.extend_from_slice(br#","method":"#);
    write::string(out, method);
    out.extend_from_slice(br#","params":"#);
}

/// Writes everything of a notification that comes before the value of `params`.
pub fn begin_notification(out: &mut Vec<u8>, method: &str) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    write::string(out, method);
    out.extend_from_slice(br#","params":"#);
}

/// Ends a message.
pub fn end(out: &mut Vec<u8>) {
    out.push(b'}');
}

/// Writes a whole error answer; `revision` is `None` as long as none is agreed on.
pub fn error(out: &mut Vec<u8>, id: Option<&Id>, error: &Error, revision: Option<Revision>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    match id {
        Some(id) => {
            out.extend_from_slice(br#","id":"#);
            id.write(out);
        }
        // Spec: the id is required up to 2025-06-18, where JSON-RPC's own `null` is all there is to say.
        None if !revision.is_some_and(|r| r.has(Feature::ErrorWithoutId)) => {
            out.extend_from_slice(br#","id":null"#);
        }
        None => {}
    }
    out.extend_from_slice(br#","error":"#);
    error.write(out, revision.unwrap_or(Revision::NEWEST_LEGACY));
    end(out);
}
