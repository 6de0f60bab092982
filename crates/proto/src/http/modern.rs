//! Checks the fields and headers that every modern request must have.
//!
//! In: a request of [`super::Class::Modern`]. Out: nothing, or a refusal. Whether the method exists is
//! checked later.

use super::{Endpoint, Headers, METHOD, NAME, Refusal, VERSION, decode_value, mismatch, text};
use crate::envelope::Params;
use crate::error::{Error, ErrorKind};
use crate::json::{Span, shorten};
use crate::revision::{Era, Revision};

/// Checks, in this order: the fields of `_meta`, the version header, whether the version is served, and the
/// headers that repeat the method and the name.
///
/// The specification leaves the order open; the conformance suite requires this one: a request without
/// `_meta` is -32602 whatever its headers are, and a version header that differs from `_meta` is -32020 even
/// if the version is not served.
///
/// # Errors
/// A refusal with status 400: -32602 for `_meta`, -32020 for a header, -32022 for the version.
///
/// Source: 2026-07-28 `basic/index` "Request metadata", `streamable-http` "Request Metadata" and "Server
/// Validation".
pub fn check_modern(
    frame: &str,
    method: &str,
    params: &Params,
    headers: &(impl Headers + ?Sized),
    endpoint: Endpoint<'_>,
) -> Result<(), Refusal> {
    check(frame, method, params, headers, endpoint).map_err(Refusal::modern)
}

/// Returns the parameter of `method` that `Mcp-Name` repeats; `None` if the header repeats none.
pub fn name_source(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        _ => None,
    }
}

fn check(
    frame: &str,
    method: &str,
    params: &Params,
    headers: &(impl Headers + ?Sized),
    endpoint: Endpoint<'_>,
) -> Result<(), Error> {
    let found = |span: Option<Span>| span.map_or("nothing", |span| span.text(frame));
    let meta = params.meta;
    let Some(version) = meta.protocol_version.and_then(|span| span.string(frame)) else {
        return Err(no_meta("protocolVersion", "a string", found(meta.protocol_version)));
    };
    if !found(meta.client_capabilities).starts_with('{') {
        return Err(no_meta("clientCapabilities", "an object", found(meta.client_capabilities)));
    }
    same(VERSION, text(headers, VERSION)?, &version)?;
    if !Revision::parse(&version).is_some_and(|r| r.era() == Era::Modern && endpoint.revisions.contains(&r)) {
        return Err(Error::unsupported_version(endpoint.revisions, &version));
    }
    same(METHOD, text(headers, METHOD)?, method)?;
    check_name(frame, method, params, headers)
}

fn check_name(
    frame: &str,
    method: &str,
    params: &Params,
    headers: &(impl Headers + ?Sized),
) -> Result<(), Error> {
    let Some(source) = name_source(method) else { return Ok(()) };
    let header = text(headers, NAME)?;
    let body = if source == "uri" { params.uri } else { params.name };
    let Some(body) = body else {
        let unneeded = |it| format!("expected no `{NAME}` without `{source}`, but found {:?}", shorten(it));
        // If both are absent, the method reports the missing parameter later.
        return header.map_or(Ok(()), |it| Err(mismatch(unneeded(it))));
    };
    // No header could match a value that is not a string. The method refuses the value later, so no handler
    // sees it.
    let Some(body) = body.string(frame) else { return Ok(()) };
    match header {
        None => same(NAME, None, &body),
        Some(header) => same(NAME, Some(&*decode_value(header).map_err(|it| it.about(NAME))?), &body),
    }
}

fn same(name: &str, header: Option<&str>, body: &str) -> Result<(), Error> {
    match header {
        Some(header) if header == body => Ok(()),
        found => {
            let found = found.map_or("nothing".to_owned(), |it| format!("{:?}", shorten(it)));
            Err(mismatch(format!(
                "expected `{name}` to be {:?} as in the body, but found {found}",
                shorten(body)
            )))
        }
    }
}

fn no_meta(name: &str, kind: &str, found: &str) -> Error {
    let found = shorten(found);
    let text = format!("expected `_meta.io.modelcontextprotocol/{name}` to be {kind}, but found {found}");
    Error::new(ErrorKind::InvalidParams, text)
}
