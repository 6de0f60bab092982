//! A request that is ready to be sent: with its address, its headers and the bytes of its body.
//!
//! In: a [`Request`] and its site. Out: [`Outgoing`], which each attempt sends unchanged, and [`Subject`],
//! what an error says about it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use url::Url;

use super::path;
use super::request::{Body, Effect, Method, Path, Request};
use super::scope;
use super::settings::Deployment;
use super::site::{Site, header};
use super::upstream::{Kind, Upstream};

/// A request that is ready to be sent.
pub(super) struct Outgoing {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
    pub(super) purpose: Purpose,
    /// The largest body of the answer, in bytes.
    pub(super) max_bytes: usize,
    /// The time limit of an attempt.
    pub(super) timeout: Duration,
    pub(super) subject: Arc<Subject>,
}

/// Why a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// For an answer of the API, in JSON.
    Api,
    /// For the bytes of a file, of any media type, at the end of redirects.
    Download,
}

/// The request that an error is about. Answers and errors share it with the request.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) effect: Effect,
    pub(super) facts: Facts,
    pub(super) method: Method,
    /// The path, without the query: that could have a secret.
    pub(super) path: String,
    /// The scope that a token needs for the request, if it is known.
    pub(super) scope: Option<&'static str>,
}

/// The facts about a site that decide which hint helps.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) deployment: Deployment,
    /// Whether requests go through the gateway of Cloud.
    pub(super) is_gateway: bool,
    /// The address of the site, for people.
    pub(super) site: String,
    pub(super) user: User,
}

/// The kind of the credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum User {
    Basic,
    Bearer,
    None,
    OAuth,
}

impl Site {
    /// Makes a request ready.
    ///
    /// # Errors
    /// `Unusable` for a segment, a header or a body that can't be sent.
    pub(super) fn prepare(&self, request: Request, purpose: Purpose) -> Result<Outgoing, Upstream> {
        let url = self.address(&request);
        let path = url.as_ref().map_or_else(|_| path::place(self.base()), |it| it.path().to_owned());
        let (effect, method) = (request.effect, request.method);
        let below = path.strip_prefix(self.base().path().trim_end_matches('/')).unwrap_or(&path);
        let scope = scope::needed(self.product(), self.deployment(), method, effect, below);
        let subject = Arc::new(Subject { effect, facts: self.facts(), method, path, scope });
        let unusable = |why: String| Upstream::new(Kind::Unusable, &subject).because(why);
        let mut headers = headers(&request, purpose).map_err(unusable)?;
        let body = body(request.body, &mut headers).map_err(unusable)?;
        let settings = &self.shared.settings;
        let (most, timeout) = match purpose {
            Purpose::Api => (settings.max_json_bytes, settings.timeout),
            Purpose::Download => (settings.max_download_bytes, settings.download_timeout),
        };
        if purpose == Purpose::Download && method != Method::Get {
            return Err(unusable(format!("expected a GET for a download, but found {method}")));
        }
        Ok(Outgoing {
            url: url.map_err(unusable)?,
            headers,
            body,
            purpose,
            max_bytes: request.max_bytes.map_or(most, |it| it.min(most)),
            timeout,
            subject,
        })
    }

    /// Returns the address of a request.
    pub(super) fn prepared_url(&self, request: Request) -> Result<Url, Upstream> {
        self.prepare(request, Purpose::Api).map(|it| it.url)
    }

    fn address(&self, request: &Request) -> Result<Url, String> {
        match &request.path {
            Path::Segments(segments) => path::join(self.base(), segments, &request.query),
            Path::Link { path, query } => {
                let mut url = self.base().clone();
                url.set_path(path);
                let more = path::joined(&request.query);
                let query: Vec<_> = query.iter().chain(&more).map(String::as_str).collect();
                url.set_query(Some(query.join("&")).filter(|it| !it.is_empty()).as_deref());
                path::limited(url)
            }
        }
    }
}

impl Outgoing {
    /// Begins an error about this request.
    pub(super) fn error(&self, kind: Kind) -> Upstream {
        Upstream::new(kind, &self.subject)
    }
}

fn headers(request: &Request, purpose: Purpose) -> Result<HeaderMap, String> {
    let accepted = if purpose == Purpose::Api { "application/json" } else { "*/*" };
    let mut map = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accepted))]);
    for (name, value) in &request.headers {
        let (name, mut value) = header(name, value.reveal())?;
        value.set_sensitive(true);
        map.insert(name, value);
    }
    Ok(map)
}

/// Returns the bytes of a body, and adds its `Content-Type`.
fn body(body: Body, headers: &mut HeaderMap) -> Result<Option<Bytes>, String> {
    let (bytes, content_type) = match body {
        Body::Empty => return Ok(None),
        Body::Form(form) => form.written(),
        Body::Json(bytes) => (bytes, "application/json".to_owned()),
        Body::Unwritable(why) => return Err(format!("expected a body that is JSON: {why}")),
    };
    let content_type = HeaderValue::from_str(&content_type).map_err(|error| error.to_string())?;
    headers.insert(CONTENT_TYPE, content_type);
    Ok(Some(bytes))
}
