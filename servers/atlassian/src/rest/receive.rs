//! Reads the answer of a site: its status first, then its body within limits.
//!
//! In: a response that is no redirect. Out: an [`Answer`], or the error that the status, the headers and the
//! body mean. An answer of success is refused if it is a page for people, or if the site ignored the
//! credentials.

use bytes::Bytes;
use reqwest::Response;
use reqwest::header::HeaderMap;

use super::answer::{Answer, is_html};
use super::credentials::Authorization;
use super::exchange::{Cause, Position};
use super::path::place;
use super::prepare::{Outgoing, Purpose};
use super::request::Effect;
use super::site::Site;
use super::upstream::{Kind, Upstream, refusal};

/// The part of an error's body that is read, in bytes: more than any message that is shown.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// The shortest text that is hidden as a secret. A shorter one is in too many words.
const MIN_SECRET: usize = 6;

impl Site {
    /// Reads a response.
    pub(super) async fn receive(
        &self,
        out: &Outgoing,
        at: &Position,
        mut response: Response,
        authorization: &Authorization,
    ) -> Result<Answer, Upstream> {
        let status = response.status().as_u16();
        if !response.status().is_success() {
            let body = beginning(&mut response).await;
            let secrets = self.secrets(authorization);
            let mut error = refusal(out, status, response.headers(), &body, &secrets);
            if at.has_left() {
                error = error.elsewhere(&place(&at.url));
            } else if self.is_ignored(response.headers()) && is_explained(&error) {
                error = error.ignored();
            }
            return Err(error);
        }
        if !at.has_left() && self.is_ignored(response.headers()) {
            return Err(out.error(Kind::Unauthorized).with_status(status).ignored());
        }
        let body = whole(out, &mut response).await?;
        let answer = Answer::new(&out.subject, status, response.headers().clone(), body);
        let is_login = out.purpose == Purpose::Api || (at.redirects > 0 && !at.has_left());
        if is_login && is_html(answer.header("content-type"), answer.bytes()) {
            return Err(out.error(Kind::Html).with_status(status).answered_html());
        }
        Ok(answer)
    }

    /// Returns whether the site took a request with credentials for one of nobody, as Data Center does when
    /// its settings or a proxy drop them.
    fn is_ignored(&self, headers: &HeaderMap) -> bool {
        let name = headers.get("x-ausername").and_then(|it| it.to_str().ok());
        self.user.credentials.are_given() && name.is_some_and(|it| it.eq_ignore_ascii_case("anonymous"))
    }

    /// Returns the texts that no message may repeat, in case the site does.
    fn secrets<'a>(&'a self, authorization: &'a Authorization) -> Vec<&'a str> {
        let values = self.user.headers.values().filter_map(|it| it.to_str().ok());
        let sent = authorization.value.as_ref().and_then(|it| it.reveal().split_once(' ')).map(|it| it.1);
        let mut secrets: Vec<_> =
            self.user.credentials.secrets().into_iter().chain(values).chain(sent).collect();
        secrets.retain(|it| it.len() >= MIN_SECRET);
        secrets
    }
}

/// Returns whether a refusal may be one of a visitor without a name. A login that failed is one, too, but
/// says so itself.
fn is_explained(error: &Upstream) -> bool {
    matches!(error.kind(), Kind::Conflict | Kind::Forbidden | Kind::Gone | Kind::Invalid | Kind::NotFound)
}

/// Returns the beginning of a body, or as much of it as arrives.
async fn beginning(response: &mut Response) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        body.extend_from_slice(&piece[..piece.len().min(MAX_ERROR_BYTES - body.len())]);
        if body.len() == MAX_ERROR_BYTES {
            break;
        }
    }
    body
}

/// Reads a whole body of success.
async fn whole(out: &Outgoing, response: &mut Response) -> Result<Bytes, Upstream> {
    let status = response.status().as_u16();
    let failed = |kind, why: String| {
        // The site has made the change, and only its answer is missing.
        let kind = if out.subject.effect == Effect::Write { Kind::OutcomeUnknown } else { kind };
        out.error(kind).with_status(status).because(why)
    };
    let large =
        || failed(Kind::TooLarge, format!("expected at most {} bytes, but found more", out.max_bytes));
    if response.content_length().is_some_and(|it| it > out.max_bytes as u64) {
        return Err(large());
    }
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(piece)) if body.len() + piece.len() > out.max_bytes => return Err(large()),
            Ok(Some(piece)) => body.extend_from_slice(&piece),
            Ok(None) => return Ok(body.into()),
            Err(error) => return Err(failed(Kind::Cut, Cause::of(&error).text)),
        }
    }
}
