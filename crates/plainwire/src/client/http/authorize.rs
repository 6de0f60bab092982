//! How requests to a server prove on whose behalf they are sent: the seam between this transport and OAuth, or anything else.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use http::{HeaderMap, Method, StatusCode};

use crate::error::Result;

pub use reqwest::Url;

/// What an [`Authorize`] does, done later.
pub type Authorizing<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// How requests to a server over HTTP prove on whose behalf they are sent.
///
/// A transport asks [`headers`](Self::headers) before each request, and [`challenged`](Self::challenged) after each answer with
/// status 401 or 403. Futures may be dropped: a login is given up then, a refresh goes on with the next call.
pub trait Authorize: fmt::Debug + Send + Sync {
    /// Returns the headers that a request gets, none if nothing is known of the server yet.
    fn headers<'a>(&'a self, request: Outgoing<'a>) -> Authorizing<'a, HeaderMap>;

    /// Takes note that a request was refused. `Ok`: send it once more, with the headers that there are then.
    ///
    /// # Errors
    /// If sending it again is of no use: `Error::Auth` of the feature `oauth`, or any other.
    fn challenged<'a>(&'a self, refused: Refused<'a>) -> Authorizing<'a, ()>;
}

/// A request that is about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// The URL of the server, as the user has given it.
    pub server: &'a Url,
    /// Where the request goes. Tokens go to the origin of the server only.
    pub url: &'a Url,
    /// Its method.
    pub method: &'a Method,
}

/// A request that a server has refused.
#[derive(Clone, Copy, Debug)]
pub struct Refused<'a> {
    /// The URL of the server, as the user has given it.
    pub server: &'a Url,
    /// 401 or 403.
    pub status: StatusCode,
    /// The headers of the answer.
    pub headers: &'a HeaderMap,
    /// What [`Authorize::headers`] had returned for the request.
    pub sent: &'a HeaderMap,
    /// How often this same request was refused before.
    pub attempt: u32,
}
