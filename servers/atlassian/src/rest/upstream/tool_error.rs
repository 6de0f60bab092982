//! The error that a model gets.
//!
//! In: an [`Upstream`]. Out: a `ToolError` with a code, the message, the hint, and details for programs.

use std::collections::BTreeMap;

use plainwire::ToolError;
use serde::Serialize;

use super::{Kind, Upstream};

/// The details of an error, for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Details<'a> {
    kind: String,
    method: &'a str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    messages: &'a [String],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    fields: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u64>,
}

impl From<Upstream> for ToolError {
    fn from(error: Upstream) -> Self {
        let made = Self::new(code(error.kind()), error.message()).hint(error.hint().unwrap_or_default());
        if error.kind() == Kind::Token {
            return made;
        }
        let details = Details {
            kind: format!("{:?}", error.kind()),
            method: error.method().as_str(),
            path: error.path(),
            status: error.status(),
            messages: error.messages(),
            fields: error.fields(),
            request_id: error.request_id(),
            retry_after_seconds: error.retry_after().map(|it| it.as_secs()),
        };
        let made = made.details(details);
        if error.is_retryable() { made.retryable() } else { made }
    }
}

fn code(kind: Kind) -> &'static str {
    match kind {
        Kind::Captcha | Kind::Unauthorized => "unauthorized",
        Kind::Conflict => "conflict",
        Kind::Cut | Kind::Html | Kind::Redirect | Kind::Server | Kind::Unreadable => "upstream",
        Kind::Forbidden => "forbidden",
        Kind::Gone => "gone",
        Kind::Invalid | Kind::Token | Kind::Unusable => "invalid_input",
        Kind::Network | Kind::Tls => "network",
        Kind::NotFound => "not_found",
        Kind::OutcomeUnknown => "outcome_unknown",
        Kind::RateLimited => "rate_limited",
        Kind::Timeout => "timeout",
        Kind::TooLarge | Kind::TooManyPages => "too_large",
    }
}
