//! The tap: each request that the site answered, with its answer, for tests and for a look at what goes over the wire.
//!
//! In: requests and responses. Out: calls of a function. Credentials are not among what it sees.

use std::fmt;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;

use super::Asked;

/// A function that sees each exchange.
#[derive(Clone)]
pub struct Tap(Arc<dyn Fn(&Exchange<'_>) + Send + Sync>);

impl Tap {
    /// Makes a tap of a function.
    pub fn new(see: impl Fn(&Exchange<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(see))
    }

    /// Shows an exchange to the function: for a tap that passes on what it sees.
    pub fn see(&self, exchange: &Exchange<'_>) {
        (self.0)(exchange);
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tap")
    }
}

/// A request and its answer.
#[derive(Clone, Debug)]
pub struct Exchange<'a> {
    /// The method of the request.
    pub method: &'a str,
    /// The path and the query of the request, as they were sent.
    pub target: &'a str,
    /// The media type of the request's body.
    pub request_type: Option<&'a str>,
    /// The body of the request.
    pub request: &'a [u8],
    /// The status of the answer.
    pub status: u16,
    /// The media type of the answer's body.
    pub response_type: Option<&'a str>,
    /// The body of the answer.
    pub response: &'a [u8],
}

/// A request, kept until its answer is there.
pub(super) struct Seen {
    method: String,
    target: String,
    media_type: Option<String>,
    body: Bytes,
}

impl Seen {
    pub(super) fn of(asked: &Asked) -> Self {
        let query = if asked.query.is_empty() { String::new() } else { format!("?{}", asked.query) };
        Self {
            method: asked.method.to_string(),
            target: format!("{}{query}", asked.path),
            media_type: asked.header(CONTENT_TYPE).map(ToOwned::to_owned),
            body: asked.body.clone(),
        }
    }

    /// Shows the exchange to the tap, and gives back the answer.
    pub(super) async fn show(self, tap: &Tap, response: Response) -> Response {
        let (parts, body) = response.into_parts();
        // Bodies of this site are in memory already.
        let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
        tap.see(&Exchange {
            method: &self.method,
            target: &self.target,
            request_type: self.media_type.as_deref(),
            request: &self.body,
            status: parts.status.as_u16(),
            response_type: parts.headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()),
            response: &bytes,
        });
        Response::from_parts(parts, Body::from(bytes))
    }
}
