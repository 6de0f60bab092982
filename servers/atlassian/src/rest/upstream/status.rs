//! The kind of an answer that is no success: by its status, then by its headers.
//!
//! In: a status, headers, and the beginning of a body. Out: the [`Upstream`] that they mean.

use jiff::Timestamp;
use plainwire::proto::json::visible;
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};

use super::super::answer::is_html;
use super::super::prepare::{Outgoing, User};
use super::super::request::Effect;
use super::super::retry;
use super::{Kind, Upstream, said};

/// Returns the error of an answer. `secrets` are the texts that no message may repeat.
pub(in super::super) fn refusal(
    out: &Outgoing,
    status: u16,
    headers: &HeaderMap,
    body: &[u8],
    secrets: &[&str],
) -> Upstream {
    let header = |name: &str| headers.get(name).and_then(|it| it.to_str().ok());
    let kind = if is_captcha(status, headers) { Kind::Captcha } else { kind(status, out.subject.effect) };
    let mut error = out.error(kind).with_status(status);
    let content_type = header(CONTENT_TYPE.as_str());
    if is_html(content_type, body) {
        error = error.answered_html();
    } else {
        error.0.said = said::read(body, content_type, secrets);
    }
    if lacks_scope(&error) {
        // A new token of the same sign-in would be refused as well.
        error.0.kind = Kind::Forbidden;
        error.0.lacks_scope = true;
    }
    if status == 407 {
        error = error.because("the proxy wants a user and a password");
    }
    // Data Center, then Cloud.
    let id = ["x-arequestid", "atl-traceid"].iter().find_map(|it| header(it));
    error.0.request_id = id.map(|it| visible(it, 100));
    if matches!(status, 429 | 503) {
        let asked = header(RETRY_AFTER.as_str());
        error.0.retry_after = retry::wanted(asked, header("x-ratelimit-reset"), Timestamp::now());
    }
    error
}

fn kind(status: u16, effect: Effect) -> Kind {
    match status {
        401 => Kind::Unauthorized,
        402 | 403 => Kind::Forbidden,
        404 => Kind::NotFound,
        407 => Kind::Network,
        408 => Kind::Timeout,
        409 | 412 | 423 => Kind::Conflict,
        410 => Kind::Gone,
        413 => Kind::TooLarge,
        429 => Kind::RateLimited,
        400..=499 => Kind::Invalid,
        // A gateway lost the answer: 524 is Cloudflare's, 555 that of Bitbucket Cloud.
        502 | 504 | 524 | 555 if effect == Effect::Write => Kind::OutcomeUnknown,
        _ => Kind::Server,
    }
}

/// Returns whether the site refused a token for its scopes: the gateway of Cloud says `Unauthorized; scope does not match`, with a status
/// of 401. In Data Center, the word stands in the message too.
fn lacks_scope(error: &Upstream) -> bool {
    let facts = &error.0.subject.facts;
    let has_scopes = facts.is_gateway || facts.user == User::OAuth;
    let is_refused = matches!(error.0.status, Some(401 | 403));
    has_scopes && is_refused && error.messages().iter().any(|it| it.to_ascii_lowercase().contains("scope"))
}

/// Returns whether a login was refused without a look at the password. `AUTHENTICATED_FAILED` is not it: that
/// is a wrong password.
///
/// Source: Atlassian, "Basic auth for REST APIs", section on CAPTCHAs. The second header is what sites were
/// seen to send.
fn is_captcha(status: u16, headers: &HeaderMap) -> bool {
    let has = |name: &str, word: &str| {
        headers.get_all(name).iter().any(|it| it.to_str().is_ok_and(|it| it.contains(word)))
    };
    matches!(status, 401 | 403)
        && (has("x-seraph-loginreason", "AUTHENTICATION_DENIED")
            || has("x-authentication-denied-reason", "CAPTCHA"))
}
