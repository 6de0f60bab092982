//! Links that a site names: the next page, a file.
//!
//! In: a text of an answer. Out: a request to the same origin, below the base. A site, or whoever wrote an
//! answer in its place, can send the credentials nowhere else.

use std::sync::Arc;

use plainwire::proto::json::visible;
use url::Url;

use super::path::{is_below, place};
use super::prepare::Subject;
use super::request::{Effect, Method, Path, Request};
use super::site::Site;
use super::upstream::{Kind, Upstream};

impl Site {
    /// Makes a request that reads a link of the site: an address of the site, such as the `content` of an
    /// attachment, or a path such as `/rest/api/content?start=25`, with or without the context path. Behind
    /// the gateway, an address of the site for people becomes one of the gateway.
    ///
    /// # Errors
    /// `Redirect` for a link to another origin or out of the base, `Unusable` for a text that is no link.
    pub fn link(&self, link: &str) -> Result<Request, Upstream> {
        let unusable = || {
            let why = format!("expected a link, but found {:?}", visible(link, 80));
            self.link_error(Kind::Unusable, why)
        };
        let url = self.base().join(link).map_err(|_| unusable())?;
        // Only a path without a host can lack the context path.
        let path = match link.starts_with('/') && url.origin() == self.base().origin() {
            true => Some(rooted(self.base(), url.path())),
            false => below(self.base(), self.base(), &url).or_else(|| below(self.web(), self.base(), &url)),
        };
        let path = path.filter(|_| url.username().is_empty() && url.password().is_none());
        let Some(path) = path else {
            let why = format!("expected a link below {}, but found {}", place(self.base()), place(&url));
            return Err(self.link_error(Kind::Redirect, why));
        };
        let path = Path::Link { path, query: url.query().map(str::to_owned) };
        Ok(Request { effect: Effect::Read, ..Request::at(Method::Get, path) })
    }

    /// Returns an error about a text that came from an answer or a model, before anything was sent.
    pub(super) fn link_error(&self, kind: Kind, why: String) -> Upstream {
        let path = place(self.base());
        let facts = self.facts();
        let subject = Subject { effect: Effect::Read, facts, method: Method::Get, path, scope: None };
        Upstream::new(kind, &Arc::new(subject)).because(why)
    }
}

/// Returns a path below the base: as it is, or with the context path that it lacks.
fn rooted(base: &Url, path: &str) -> String {
    match is_below(base.path(), path) {
        true => path.to_owned(),
        false => format!("{}{path}", base.path().trim_end_matches('/')),
    }
}

/// Returns the path at `to` that is at `url` below `from`, if it is.
fn below(from: &Url, to: &Url, url: &Url) -> Option<String> {
    if url.origin() != from.origin() || !is_below(from.path(), url.path()) {
        return None;
    }
    let rest = &url.path()[from.path().trim_end_matches('/').len()..];
    Some(format!("{}{rest}", to.path().trim_end_matches('/')))
}
