//! One attempt: a request goes out, and for downloads follows redirects, until there is an answer to read.
//!
//! In: a request that is ready, and its authorization. Out: the answer that `receive` reads, or the error of
//! the network. Authorization and extra headers go to the origin of the site only; a redirect that has left
//! it never gets them back.

use std::error::Error as _;

use plainwire::client::http::address_guard::{AddressGuard, Blocked};
use plainwire::proto::json::visible;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue, LOCATION};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use url::Url;

use super::answer::Answer;
use super::client;
use super::credentials::Authorization;
use super::path::place;
use super::prepare::{Outgoing, Purpose};
use super::request::{Effect, Method};
use super::site::Site;
use super::upstream::{Kind, Upstream};

/// The largest number of redirects of a download. A file of Cloud has one.
const MAX_REDIRECTS: usize = 5;

/// Where a request is now.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub(super) url: Url,
    /// The number of redirects so far.
    pub(super) redirects: usize,
    /// Whether a redirect has left the origin of the site.
    has_left: bool,
}

impl Position {
    pub(super) fn has_left(&self) -> bool {
        self.has_left
    }
}

impl Site {
    /// Sends a request once.
    pub(super) async fn exchange(
        &self,
        out: &Outgoing,
        authorization: &Authorization,
    ) -> Result<Answer, Upstream> {
        let mut at = Position { url: out.url.clone(), redirects: 0, has_left: false };
        loop {
            let request = self.request(out, &at, authorization).await?;
            let response = request.send().await.map_err(|error| unsent(out, &error))?;
            if !is_redirect(response.status()) {
                return self.receive(out, &at, response, authorization).await;
            }
            at = self.follow(out, &at, &response)?;
        }
    }

    async fn request(
        &self,
        out: &Outgoing,
        at: &Position,
        authorization: &Authorization,
    ) -> Result<RequestBuilder, Upstream> {
        if at.has_left {
            return Ok(self.files(out).await?.get(at.url.clone()).header(ACCEPT, "*/*"));
        }
        let method = match out.subject.method {
            Method::Delete => reqwest::Method::DELETE,
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Put => reqwest::Method::PUT,
        };
        let mut headers = self.user.headers.clone();
        headers.extend(out.headers.clone());
        if let Some(value) = &authorization.value {
            let unusable = |_| {
                out.error(Kind::Unusable).because("the credentials have characters that no header can have")
            };
            let mut value = HeaderValue::from_str(value.reveal()).map_err(unusable)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let request = self.shared.client.request(method, at.url.clone()).headers(headers);
        Ok(match &out.body {
            Some(body) => request.body(body.clone()),
            None => request,
        })
    }

    async fn files(&self, out: &Outgoing) -> Result<&Client, Upstream> {
        let made = || async { client::for_files(&self.shared.settings) };
        let unusable = |it| out.error(Kind::Unusable).because(format!("{it}"));
        self.shared.files.get_or_try_init(made).await.map_err(unusable)
    }

    /// Returns where a redirect leads, if it may be followed.
    fn follow(&self, out: &Outgoing, at: &Position, response: &Response) -> Result<Position, Upstream> {
        let refused =
            |why: String| Err(out.error(Kind::Redirect).with_status(response.status().as_u16()).because(why));
        let location = response.headers().get(LOCATION).and_then(|it| it.to_str().ok());
        let Some(next) = location.and_then(|it| at.url.join(it).ok()) else {
            return refused("it does not say where to".to_owned());
        };
        let shown = place(&next);
        if out.purpose == Purpose::Api {
            return refused(format!("to {shown}"));
        }
        if at.redirects == MAX_REDIRECTS {
            return refused(format!("expected at most {MAX_REDIRECTS} redirects, but found more"));
        }
        if is_login(&next) {
            return Err(out.error(Kind::Html).because(format!("it wants a login at {shown}")));
        }
        let has_left = at.has_left || next.origin() != self.base().origin();
        if has_left {
            if next.scheme() != "https" && self.base().scheme() == "https" {
                return refused(format!("from https to {shown}"));
            }
            let guard = AddressGuard::for_pages(self.shared.settings.private_downloads);
            if let Err(blocked) = guard.check(&next) {
                return refused(blocked.to_string());
            }
        }
        Ok(Position { url: next, redirects: at.redirects + 1, has_left })
    }
}

/// Returns whether a status sends to another address. Not each one that begins with 3 does, but none of them
/// has an answer.
fn is_redirect(status: StatusCode) -> bool {
    status.is_redirection()
}

/// Returns whether an address is that of a page for logins, to which Data Center sends who may not see a
/// file.
fn is_login(url: &Url) -> bool {
    url.path_segments()
        .and_then(Iterator::last)
        .is_some_and(|it| matches!(it, "login.jsp" | "login.action" | "login"))
}

/// Returns the error of a request without an answer.
fn unsent(out: &Outgoing, error: &reqwest::Error) -> Upstream {
    let cause = Cause::of(error);
    let kind = match () {
        () if cause.is_blocked => Kind::Redirect,
        () if cause.is_tls => Kind::Tls,
        () if error.is_builder() => Kind::Unusable,
        // Without a connection, nothing was sent.
        () if error.is_connect() => Kind::Network,
        () if out.subject.effect == Effect::Write => Kind::OutcomeUnknown,
        () => Kind::Network,
    };
    out.error(kind).because(cause.text)
}

/// The innermost cause of a failure of the network.
pub(super) struct Cause {
    pub(super) text: String,
    is_blocked: bool,
    is_tls: bool,
}

impl Cause {
    pub(super) fn of(error: &reqwest::Error) -> Self {
        // The text of the outermost error has the address, with its query.
        let mut found = Self { text: "it failed".to_owned(), is_blocked: false, is_tls: false };
        let mut next = error.source();
        while let Some(cause) = next {
            found.text = visible(&cause.to_string(), 200);
            found.is_blocked |= cause.is::<Blocked>();
            found.is_tls |= cause.is::<rustls::Error>();
            // An error of `std::io` does not name its inner error as its source.
            let inner = cause.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
            next = inner.map(|it| it as &(dyn std::error::Error + 'static)).or_else(|| cause.source());
        }
        found
    }
}
