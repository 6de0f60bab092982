//! Headers of legacy sessions: the session id, and the version that each request repeats.
//!
//! In: headers. Out: the id, or a refusal. This module does not know which sessions exist.
//!
//! Source: 2025-11-25 `basic/transports` "Session Management" and "Protocol Version Header".

use super::classify::no_batch;
use super::{Endpoint, Found, Headers, Refusal, SESSION, VERSION, text};
use crate::envelope::is_batch;
use crate::error::{Error, ErrorKind};
use crate::json::visible;
use crate::revision::{Era, Feature, Revision};

/// Longest session id in bytes. 128: the ids that Plainwire makes are a fourth as long, and longer ids are
/// refused without a look-up.
const MOST_BYTES: usize = 128;

/// Returns whether `id` is a valid session id: 1 to 128 bytes of visible ASCII.
pub fn is_session_id(id: &[u8]) -> bool {
    (1..=MOST_BYTES).contains(&id.len()) && id.iter().all(u8::is_ascii_graphic)
}

/// Returns the session id of a request; `None` if it has none.
///
/// # Errors
/// A refusal with status 400 for two different ids, and for an invalid id.
pub fn session_id(headers: &(impl Headers + ?Sized)) -> Result<Option<&str>, Refusal> {
    let refuse = |found: &str| {
        let text = format!(
            "expected `{SESSION}` to be one id of 1 to {MOST_BYTES} visible ASCII characters, but found {found}"
        );
        Err(Refusal::legacy(Error::new(ErrorKind::InvalidRequest, text), Revision::NEWEST_LEGACY))
    };
    match headers.value(SESSION) {
        Found::Absent => Ok(None),
        Found::Differing => refuse("several"),
        Found::One(bytes) => {
            let id = super::trim(bytes);
            match std::str::from_utf8(id) {
                Ok(text) if is_session_id(id) => Ok(Some(text)),
                _ => refuse(&format!("{:?}", visible(&String::from_utf8_lossy(id), 80))),
            }
        }
    }
}

/// Returns the session id of a GET or DELETE request; `None` if it names neither a session nor a served
/// legacy version.
///
/// # Errors
/// Like [`session_id`]; also a refusal with status 400 for a request that names a served legacy version, but
/// no session, and for an invalid version header.
///
/// Source: 2025-11-25 "Session Management" 2 (SHOULD be 400); 2026-07-28 uses neither GET nor DELETE.
pub fn named_session<'h>(
    headers: &'h (impl Headers + ?Sized),
    endpoint: Endpoint<'_>,
) -> Result<Option<&'h str>, Refusal> {
    if let Some(id) = session_id(headers)? {
        return Ok(Some(id));
    }
    let version = text(headers, VERSION).map_err(Refusal::modern)?.and_then(Revision::parse);
    match version.filter(|it| it.era() == Era::Legacy && endpoint.revisions.contains(it)) {
        Some(revision) => Err(no_session(revision)),
        None => Ok(None),
    }
}

pub(super) fn no_session(revision: Revision) -> Refusal {
    let error = Error::new(ErrorKind::InvalidRequest, format!("expected `{SESSION}`, but found nothing"));
    Refusal::legacy(error, revision)
}

/// Checks the version header of a request to a session of `revision`, for all HTTP methods.
///
/// The header may be absent, since the session has a revision. The specification says only that it SHOULD be
/// the negotiated version, so any served legacy version is accepted, but does not change the session's
/// revision. Revisions before 2025-06-18 have no such header; in their sessions it is ignored.
///
/// # Errors
/// A refusal with status 400 for several versions, and for one that is unknown, modern or not served.
pub fn check_session(
    headers: &(impl Headers + ?Sized),
    revision: Revision,
    endpoint: Endpoint<'_>,
) -> Result<(), Refusal> {
    if !revision.has(Feature::VersionHeader) {
        return Ok(());
    }
    let refuse = |error| Err(Refusal::legacy(error, revision));
    match text(headers, VERSION) {
        Err(error) => refuse(error),
        Ok(None) => Ok(()),
        Ok(Some(version)) => match Revision::parse(version) {
            Some(it) if it.era() == Era::Legacy && endpoint.revisions.contains(&it) => Ok(()),
            _ => refuse(Error::unsupported_version(endpoint.revisions, version)),
        },
    }
}

/// Checks that `frame` is not a batch, unless the revision of its session, `revision`, has batches.
///
/// # Errors
/// A refusal with status 400.
pub fn check_batch(frame: &str, revision: Revision) -> Result<(), Refusal> {
    if is_batch(frame) && !revision.has(Feature::Batches) {
        return Err(Refusal::legacy(no_batch(), revision));
    }
    Ok(())
}
