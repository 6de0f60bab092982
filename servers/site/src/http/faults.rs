//! Faults on demand: the next requests to a path fail in the way that was asked for.
//!
//! In: `POST /_plainwire/faults` with `{"path": "/rest/api/3/issue", "method": "PUT", "kind": "rate-limit", "times": 1, "after": false}`. Out: for a
//! request that matches, a response that no healthy site gives. With `after`, the request is carried out first, and only its answer is
//! lost: so tests tell a lost answer from a lost request. `GET` lists those that wait, `DELETE` forgets them.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use futures_util::stream;
use serde::{Deserialize, Serialize};

/// The largest number of faults that wait.
const MAX_FAULTS: usize = 100;

/// The largest body that sets faults, in bytes.
const MAX_BODY: usize = 64 << 10;

/// The time between the bytes of a slow answer.
const DRIP: Duration = Duration::from_millis(100);

/// A way to fail.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// 429 with `Retry-After: 1`.
    RateLimit,
    /// 429 without `Retry-After`.
    RateLimitBare,
    /// 429 with `Retry-After: 0`, as gateways send.
    RateLimitZero,
    /// 500
    Broken,
    /// 503 with `Retry-After: 1`
    Unavailable,
    /// 409
    Conflict,
    /// 413
    TooLarge,
    /// A page to log in, with the status 200.
    LoginPage,
    /// 401 with the header of a login that needs a CAPTCHA.
    Captcha,
    /// A body that ends before the end that its length promised.
    CutOff,
    /// A body that comes byte by byte.
    SlowDrip,
    /// A connection that is closed before an answer.
    Reset,
    /// A redirect to an address of a private network.
    PrivateRedirect,
    /// A body without an end.
    Endless,
}

/// A fault that waits for requests.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    /// A part of the path.
    path: String,
    method: Option<String>,
    kind: Kind,
    #[serde(default = "once")]
    times: u32,
    /// Requests that go through before.
    #[serde(default)]
    skip: u32,
    /// Whether the request is carried out before it fails.
    #[serde(default)]
    after: bool,
}

fn once() -> u32 {
    1
}

/// The faults of a site.
#[derive(Debug, Default)]
pub(crate) struct Faults(Mutex<Vec<Fault>>);

/// The path that sets faults.
pub(crate) const PATH: &str = "/_plainwire/faults";

impl Faults {
    /// Answers a request that sets faults, or that meets one. Gives back all others.
    pub(crate) async fn handle(&self, request: Request) -> Result<Response, Request> {
        if request.uri().path() == PATH {
            return Ok(self.set(request).await);
        }
        match self.take(request.method(), request.uri().path()) {
            Some(fault) if !fault.after => Ok(respond(fault.kind)),
            _ => Err(request),
        }
    }

    /// Returns the fault that comes after a request was carried out.
    pub(crate) fn after(&self, method: &Method, path: &str) -> Option<Response> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|it| it.after && it.matches(method, path))?;
        if let Some(fault) = all.get_mut(at).filter(|it| it.skip > 0) {
            fault.skip -= 1;
            return None;
        }
        let kind = all.get(at)?.kind;
        spend(&mut all, at);
        Some(respond(kind))
    }

    fn take(&self, method: &Method, path: &str) -> Option<Fault> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|it| !it.after && it.matches(method, path))?;
        if let Some(fault) = all.get_mut(at).filter(|it| it.skip > 0) {
            fault.skip -= 1;
            return None;
        }
        let fault = all.get(at).cloned();
        spend(&mut all, at);
        fault
    }

    async fn set(&self, request: Request) -> Response {
        if request.method() == Method::DELETE {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
            return plain(StatusCode::NO_CONTENT, "");
        }
        if request.method() == Method::GET {
            let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            return plain(StatusCode::OK, &serde_json::to_string(&*all).unwrap_or_default());
        }
        if request.method() != Method::POST {
            return plain(StatusCode::METHOD_NOT_ALLOWED, "expected GET, POST or DELETE");
        }
        let Ok(bytes) = axum::body::to_bytes(request.into_body(), MAX_BODY).await else {
            return plain(StatusCode::PAYLOAD_TOO_LARGE, "expected at most 64 KiB");
        };
        match serde_json::from_slice::<Fault>(&bytes) {
            Ok(fault) => {
                let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                if all.len() == MAX_FAULTS {
                    return plain(StatusCode::CONFLICT, "expected at most 100 faults at a time");
                }
                all.push(fault);
                plain(StatusCode::NO_CONTENT, "")
            }
            Err(error) => plain(StatusCode::BAD_REQUEST, &error.to_string()),
        }
    }
}

impl Fault {
    fn matches(&self, method: &Method, path: &str) -> bool {
        let method = self.method.as_deref().is_none_or(|it| it.eq_ignore_ascii_case(method.as_str()));
        method && path.contains(&self.path)
    }
}

fn spend(all: &mut Vec<Fault>, at: usize) {
    if let Some(fault) = all.get_mut(at) {
        fault.times = fault.times.saturating_sub(1);
        if fault.times == 0 {
            all.remove(at);
        }
    }
}

fn respond(kind: Kind) -> Response {
    let json = "{\"errorMessages\":[\"This fault was asked for.\"],\"errors\":{}}";
    let with = |status: u16, retry: Option<&'static str>| {
        let mut response = plain(StatusCode::from_u16(status).unwrap_or_default(), json);
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/json;charset=UTF-8"));
        if let Some(seconds) = retry {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static(seconds));
        }
        response
    };
    let page = "<!DOCTYPE html><html><head><title>Log in</title></head><body><form action=\"/login\"></form></body></html>";
    match kind {
        Kind::RateLimit => with(429, Some("1")),
        Kind::RateLimitBare => with(429, None),
        Kind::RateLimitZero => with(429, Some("0")),
        Kind::Broken => with(500, None),
        Kind::Unavailable => with(503, Some("1")),
        Kind::Conflict => with(409, None),
        Kind::TooLarge => with(413, None),
        Kind::LoginPage => {
            let mut response = plain(StatusCode::OK, page);
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html;charset=UTF-8"));
            response
        }
        Kind::Captcha => {
            let mut response = with(401, None);
            let reason = HeaderValue::from_static("AUTHENTICATION_DENIED");
            response.headers_mut().insert("x-seraph-loginreason", reason);
            response
        }
        Kind::CutOff => {
            let cut = stream::iter([
                Ok(Bytes::from_static(b"{\"expand\":\"")),
                Err(std::io::Error::other("cut off")),
            ]);
            let mut response = Response::new(Body::from_stream(cut));
            response
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static("application/json;charset=UTF-8"));
            response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from_static("4096"));
            response
        }
        Kind::SlowDrip => {
            let drip = stream::unfold(0_u32, |n| async move {
                tokio::time::sleep(DRIP).await;
                Some((Ok::<_, std::io::Error>(Bytes::from_static(b" ")), n + 1))
            });
            let mut response = Response::new(Body::from_stream(drip));
            response
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static("application/json;charset=UTF-8"));
            response
        }
        Kind::Reset => {
            let reset = stream::iter([Err::<Bytes, _>(std::io::Error::other("reset"))]);
            Response::new(Body::from_stream(reset))
        }
        Kind::PrivateRedirect => {
            let mut response = plain(StatusCode::FOUND, "");
            response
                .headers_mut()
                .insert(LOCATION, HeaderValue::from_static("http://169.254.169.254/latest/meta-data/"));
            response
        }
        Kind::Endless => {
            let block = Bytes::from(vec![b'a'; 64 << 10]);
            let endless = stream::repeat_with(move || Ok::<_, std::io::Error>(block.clone()));
            let mut response = Response::new(Body::from_stream(endless));
            response
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static("application/json;charset=UTF-8"));
            response
        }
    }
}

fn plain(status: StatusCode, text: &str) -> Response {
    let mut response = Response::new(Body::from(text.to_owned()));
    *response.status_mut() = status;
    response
}
