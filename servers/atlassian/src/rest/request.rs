//! A request to a site, before the site adds its base, its credentials and its headers.
//!
//! In: the segments of a path, a query, a body. Out: [`Request`], which can be sent any number of times.

use std::fmt;

use bytes::Bytes;
use serde::Serialize;

use super::form::Form;
use super::secret::Secret;

/// A request to a site.
///
/// ```
/// use plainwire_atlassian::rest::Request;
///
/// let key = "ABC-1";
/// let request = Request::get(["rest", "api", "3", "issue", key]).query("fields", "summary");
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    pub(super) method: Method,
    pub(super) path: Path,
    pub(super) query: Vec<(String, String)>,
    pub(super) body: Body,
    pub(super) headers: Vec<(String, Secret)>,
    pub(super) effect: Effect,
    /// The largest answer, in bytes, if it is less than that of the settings.
    pub(super) max_bytes: Option<usize>,
}

/// A method of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `DELETE`.
    Delete,
    /// `GET`.
    Get,
    /// `POST`.
    Post,
    /// `PUT`.
    Put,
}

/// The effect of a request, which decides whether it may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The request changes nothing, so that it may be sent any number of times.
    Read,
    /// The request changes something. It is sent again only if the site surely did not act on it.
    Write,
}

/// The path of a request.
#[derive(Clone, Debug)]
pub(super) enum Path {
    /// Segments below the base, not yet quoted.
    Segments(Vec<String>),
    /// A path that the site named, with its query. It is checked, and below the base.
    Link { path: String, query: Option<String> },
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(super) enum Body {
    Empty,
    Form(Form),
    Json(Bytes),
    /// A value that can't be written as JSON, with the reason.
    Unwritable(String),
}

impl Request {
    /// Makes a request that reads the path with these segments, such as `["rest", "api", "3", "issue", key]`.
    pub fn get<S: Into<String>>(path: impl IntoIterator<Item = S>) -> Self {
        Self { effect: Effect::Read, ..Self::new(Method::Get, path) }
    }

    /// Makes a request that posts to a path.
    pub fn post<S: Into<String>>(path: impl IntoIterator<Item = S>) -> Self {
        Self::new(Method::Post, path)
    }

    /// Makes a request that puts to a path.
    pub fn put<S: Into<String>>(path: impl IntoIterator<Item = S>) -> Self {
        Self::new(Method::Put, path)
    }

    /// Makes a request that deletes what is at a path.
    pub fn delete<S: Into<String>>(path: impl IntoIterator<Item = S>) -> Self {
        Self::new(Method::Delete, path)
    }

    fn new<S: Into<String>>(method: Method, path: impl IntoIterator<Item = S>) -> Self {
        let path = Path::Segments(path.into_iter().map(Into::into).collect());
        Self::at(method, path)
    }

    pub(super) fn at(method: Method, path: Path) -> Self {
        Self {
            method,
            path,
            query: Vec::new(),
            body: Body::Empty,
            headers: Vec::new(),
            effect: Effect::Write,
            max_bytes: None,
        }
    }

    /// Adds a pair to the query. A name may come several times.
    #[must_use]
    pub fn query(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.query.push((name.into(), value.into()));
        self
    }

    /// Adds a pair to the query, if there is a value.
    #[must_use]
    pub fn maybe_query(self, name: impl Into<String>, value: Option<impl Into<String>>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// Sets the body, as JSON. A value that can't be written as JSON is an error when the request is sent.
    #[must_use]
    pub fn json(mut self, body: &impl Serialize) -> Self {
        self.body = match serde_json::to_vec(body) {
            Ok(bytes) => Body::Json(bytes.into()),
            Err(error) => Body::Unwritable(error.to_string()),
        };
        self
    }

    /// Sets the body, as a form. The request gets `X-Atlassian-Token: no-check`, without which the products
    /// refuse forms.
    #[must_use]
    pub fn form(mut self, form: Form) -> Self {
        self.body = Body::Form(form);
        self.header("X-Atlassian-Token", "no-check")
    }

    /// Adds a header. Its value is never logged.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), Secret::new(value)));
        self
    }

    /// Declares that the request changes nothing although it is no `GET`, such as a search by `POST`.
    #[must_use]
    pub fn reads(mut self) -> Self {
        self.effect = Effect::Read;
        self
    }

    /// Limits the answer, in bytes. The limit of the settings stays the largest one.
    #[must_use]
    pub fn max_bytes(mut self, most: usize) -> Self {
        self.max_bytes = Some(most);
        self
    }

    /// Replaces segments of the path: those for which `replace` returns another one.
    #[must_use]
    pub fn with_segments(mut self, replace: impl Fn(&str) -> Option<String>) -> Self {
        if let Path::Segments(all) = &mut self.path {
            for segment in all {
                if let Some(other) = replace(segment) {
                    *segment = other;
                }
            }
        }
        self
    }

    /// Returns the method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Returns whether the request changes something.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// Sets a pair of the query, in place of all pairs of its name.
    pub(super) fn set_query(&mut self, name: &str, value: String) {
        self.query.retain(|it| it.0 != name);
        self.query.push((name.to_owned(), value));
    }
}

impl Method {
    /// Returns the name, such as `GET`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delete => "DELETE",
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
