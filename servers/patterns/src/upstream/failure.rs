//! Failures of the API, as errors of tools.
//!
//! In: an error of the HTTP client, a status with a body, or a body that can't be read. Out: a [`ToolError`] with one of the codes
//! of `toolError:v1`. Texts of the API are shown only if they hold nothing of its inside.

use plainwire::prelude::*;
use reqwest::StatusCode;

use super::Upstream;

/// The longest message of the API that is shown, in characters.
const MAX_MESSAGE: usize = 200;

/// Words of databases and of secrets. A message that has one is not shown.
const INSIDE: [&str; 22] = [
    "bearer",
    "column",
    "connection",
    "constraint",
    "credential",
    "database",
    "delete from",
    "drizzle",
    "insert into",
    "key",
    "password",
    "pgsql",
    "postgres",
    "prisma",
    "relation",
    "secret",
    "select",
    "sql",
    "stack",
    "syntax error",
    "table",
    "token",
];

/// A request that failed.
pub(super) struct Failure {
    kind: Kind,
    /// What happened, for people. No text of the API that has not been looked through.
    message: String,
}

enum Kind {
    /// There was no answer. The word says why, and whether another try may help.
    Network {
        kind: &'static str,
        is_retryable: bool,
    },
    Status(StatusCode),
    /// An answer that can't be read.
    Answer,
}

impl Failure {
    pub(super) fn network(error: &reqwest::Error) -> Self {
        let mut causes = String::new();
        let mut is_tls = false;
        let mut next: Option<&(dyn std::error::Error + 'static)> = std::error::Error::source(error);
        while let Some(cause) = next {
            causes += &format!(" {cause}").to_lowercase();
            is_tls |= cause.is::<rustls::Error>();
            // An error of `std::io` does not name its inner error as its source.
            let inner = cause.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
            next = inner.map(|it| it as &(dyn std::error::Error + 'static)).or_else(|| cause.source());
        }
        let has = |words: &[&str]| words.iter().any(|it| causes.contains(it));
        let (kind, is_retryable, message) = match () {
            () if error.is_timeout() => ("timeout", true, "the API did not answer in time"),
            () if is_tls => ("tls_error", false, "there is no safe connection to the API"),
            () if has(&["connection refused"]) => {
                ("connection_refused", true, "the API refused the connection")
            }
            () if has(&["dns", "resolve", "name or service"]) => {
                ("dns_error", true, "the host of the API has no address")
            }
            () if has(&["reset", "closed", "broken pipe"]) => {
                ("connection_reset", true, "the API closed the connection")
            }
            () => ("network", true, "the API can't be reached"),
        };
        Self { kind: Kind::Network { kind, is_retryable }, message: message.to_owned() }
    }

    pub(super) fn status(status: StatusCode, body: &[u8]) -> Self {
        let own = format!("the API answered with the status {}", status.as_u16());
        let said = said(body).filter(|_| status.is_client_error());
        let message = said.map_or_else(|| own.clone(), |said| format!("{own}: {said}"));
        Self { kind: Kind::Status(status), message }
    }

    pub(super) fn answer(why: String) -> Self {
        Self { kind: Kind::Answer, message: format!("the answer of the API can't be read: {why}") }
    }

    /// Returns the error for a model. Its details name the host and whether there is a key, and never the key.
    pub(super) fn into_error(self, upstream: &Upstream) -> ToolError {
        let host = upstream.base.host_str().unwrap_or_default().to_owned();
        let host = upstream.base.port().map_or(host.clone(), |port| format!("{host}:{port}"));
        let mut details = json!({ "apiHost": host, "hasApiKey": upstream.has_key() });
        let error = match self.kind {
            Kind::Network { kind, is_retryable } => {
                details["errorType"] = kind.into();
                details["errorMessage"] = self.message.as_str().into();
                let code = if kind == "timeout" { "timeout" } else { "network" };
                let error = ToolError::new(code, format!("Network error: {}", self.message))
                    .hint("try again later, or start the server with --fallback");
                if is_retryable { error.retryable() } else { error }
            }
            Kind::Status(status) => {
                details["statusCode"] = status.as_u16().into();
                match status.as_u16() {
                    500.. => ToolError::failed(self.message).retryable(),
                    404 => ToolError::not_found(self.message),
                    401 | 403 => ToolError::new("unauthorized", self.message)
                        .hint("start the server with --upstream-key-file and a valid key"),
                    400.. => ToolError::invalid_input(self.message),
                    // Neither an answer nor an error, such as a redirect.
                    _ => ToolError::new("upstream", self.message),
                }
            }
            Kind::Answer => ToolError::new("upstream", self.message),
        };
        error.details(details)
    }
}

/// Returns the message of the API, if it may be shown. A message that is the JSON of an object is unwrapped.
fn said(body: &[u8]) -> Option<String> {
    let mut value: Value = serde_json::from_slice(body).ok()?;
    for _ in 0..3 {
        let inner = value.get("message").or_else(|| value.get("error")).cloned().unwrap_or(value);
        let text = inner.as_str().map(str::to_owned);
        value = match text.as_deref().map(serde_json::from_str::<Value>) {
            Some(Ok(Value::Object(object))) => Value::Object(object),
            _ if inner.is_object() => inner,
            _ => {
                let text: String = text?.chars().filter(|it| !it.is_control()).take(MAX_MESSAGE).collect();
                let lower = text.to_lowercase();
                return (!text.trim().is_empty() && !INSIDE.iter().any(|it| lower.contains(it)))
                    .then_some(text);
            }
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_unwrapped_and_those_about_the_inside_are_not_shown() {
        for (body, expected) in [
            (r#"{"error":"limit is too large"}"#, Some("limit is too large")),
            (r#"{"message":"{\"message\":\"limit is too large\"}"}"#, Some("limit is too large")),
            (r#"{"error":{"message":"limit is too large"}}"#, Some("limit is too large")),
            (r#"{"error":"relation patterns does not exist"}"#, None),
            (r#"{"error":"SELECT * FROM patterns"}"#, None),
            (r#"{"error":"bad API key sk-1"}"#, None),
            ("<html>", None),
            ("{}", None),
        ] {
            assert_eq!(said(body.as_bytes()).as_deref(), expected, "{body}");
        }
    }
}
