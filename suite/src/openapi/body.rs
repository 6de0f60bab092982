//! Checks of the bodies, as far as no schema is needed: content types, JSON, and the status of the response.
//!
//! In: an operation and an exchange. Out: problems, and the values that have a schema to fit. Bodies that are
//! not JSON are not read.

use serde_json::Value;

use super::Exchange;
use super::document::{Document, Operation};
use super::schema::Side;

/// A schema of a body, with the name of its place in the operation.
pub(super) struct Described<'a> {
    pub(super) name: String,
    pub(super) schema: &'a Value,
}

/// Statuses that any operation may answer with, and that documents often leave out: bad request, no or wrong
/// credentials, no permission, not found (also: hidden), and too many requests. Those of the 500s are, too.
const GENERIC: [u16; 5] = [400, 401, 403, 404, 429];

/// Checks the presence and the content type of the request's body.
pub(super) fn request<'a>(
    document: &'a Document,
    operation: &Operation,
    exchange: &Exchange,
    problems: &mut Vec<String>,
) -> (Option<Value>, Option<Described<'a>>) {
    let body = exchange.request_body.as_deref().unwrap_or_default();
    let Some(described) = document.described(operation).get("requestBody") else {
        if !body.is_empty() {
            problems.push(format!("request.body: expected none, but found {} bytes", body.len()));
        }
        return (None, None);
    };
    if body.is_empty() {
        if described["required"] == true {
            problems.push("request.body: expected one, but found none".into());
        }
        return (None, None);
    }
    let given = exchange.request_content_type.as_deref();
    let Some((documented, media)) = media(&described["content"], given) else {
        problems.push(wrong_type("request", &described["content"], given));
        return (None, None);
    };
    let value = parsed("request", documented, given, body, problems);
    (value, media.get("schema").map(|schema| Described { name: request_name(documented), schema }))
}

/// Checks the status, and the presence and the content type of the response's body.
pub(super) fn response<'a>(
    document: &'a Document,
    operation: &Operation,
    exchange: &Exchange,
    problems: &mut Vec<String>,
) -> (Option<Value>, Option<Described<'a>>) {
    let responses = &document.described(operation)["responses"];
    let status = exchange.status.to_string();
    let found = [status.as_str(), "default"].into_iter().find_map(|it| Some((it, responses.get(it)?)));
    let Some((key, described)) = found else {
        if !GENERIC.contains(&exchange.status) && exchange.status < 500 {
            let known = responses.as_object().into_iter().flatten().map(|(it, _)| it.as_str());
            let known = known.collect::<Vec<_>>().join(", ");
            problems.push(format!("response.status: expected one of {known}, but found {status}"));
        }
        return (None, None);
    };
    let body = exchange.response_body.as_slice();
    if [204, 304].contains(&exchange.status) && !body.is_empty() {
        problems.push(format!("response.body: expected none, but found {} bytes", body.len()));
    }
    let Some(content) = described.get("content") else { return (None, None) };
    let given = exchange.response_content_type.as_deref();
    if body.is_empty() {
        if has_body(exchange.status, content) {
            problems.push("response.body: expected one, but found none".into());
        }
        return (None, None);
    }
    let Some((documented, media)) = media(content, given) else {
        // A proxy in front of the product answers errors with pages of its own.
        if exchange.status < 400 {
            problems.push(wrong_type("response", content, given));
        }
        return (None, None);
    };
    let value = parsed("response", documented, given, body, problems);
    (value, media.get("schema").map(|schema| Described { name: response_name(key, documented), schema }))
}

/// Returns whether a response has to have a body. The documents describe many empty ones as `{}`.
fn has_body(status: u16, content: &Value) -> bool {
    let empty = |media: &Value| media["schema"].as_object().is_none_or(|it| it.is_empty());
    let mut media = content.as_object().into_iter().flatten().map(|(_, media)| media);
    (200..300).contains(&status) && status != 204 && media.any(|it| !empty(it))
}

/// Returns each description of a body of an operation: its part (`request`, `response 200`), side, name, and
/// the media type object.
pub(super) fn described<'a>(
    document: &'a Document,
    operation: &Operation,
) -> Vec<(String, Side, String, &'a Value)> {
    let operation = document.described(operation);
    let mut found = Vec::new();
    for (kind, media) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
        found.push(("request".to_owned(), Side::Request, request_name(kind), media));
    }
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        for (kind, media) in response["content"].as_object().into_iter().flatten() {
            found.push((format!("response {status}"), Side::Response, response_name(status, kind), media));
        }
    }
    found
}

fn request_name(kind: &str) -> String {
    format!("request {kind}")
}

fn response_name(status: &str, kind: &str) -> String {
    format!("response {status} {kind}")
}

/// Returns the documented content type that fits the given one, and its media type object.
fn media<'a>(content: &'a Value, given: Option<&str>) -> Option<(&'a str, &'a Value)> {
    let given = given.map(essence)?;
    let all = || content.as_object().into_iter().flatten().map(|(kind, media)| (kind.as_str(), media));
    all().find(|(kind, _)| essence(kind) == given).or_else(|| all().find(|(kind, _)| *kind == "*/*"))
}

/// Returns a content type without its parameters.
fn essence(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn wrong_type(part: &str, content: &Value, given: Option<&str>) -> String {
    let known = content.as_object().into_iter().flatten().map(|(it, _)| it.as_str());
    let known = known.collect::<Vec<_>>().join(", ");
    format!("{part}.content_type: expected {known}, but found {}", given.unwrap_or("none"))
}

/// Reads a body, if its content type is JSON.
fn parsed(
    part: &str,
    documented: &str,
    given: Option<&str>,
    body: &[u8],
    problems: &mut Vec<String>,
) -> Option<Value> {
    let kind = essence(if documented == "*/*" { given.unwrap_or_default() } else { documented });
    if kind != "application/json" && !kind.ends_with("+json") {
        return None;
    }
    match serde_json::from_slice(body) {
        Ok(value) => Some(value),
        Err(error) => {
            problems.push(format!("{part}.body: expected JSON, but found {error}"));
            None
        }
    }
}
