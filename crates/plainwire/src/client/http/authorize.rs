//! The `Authorize` trait: the interface between this transport and OAuth, or any other source of credentials.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use http::{HeaderMap, Method, StatusCode};

use crate::error::Result;

pub use reqwest::Url;

/// The future that a method of [`Authorize`] returns.
pub type Authorizing<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// A source of credentials for requests to a server over HTTP.
///
/// A transport calls [`headers`](Self::headers) before each request, and [`challenged`](Self::challenged)
/// after each answer with status 401 or 403. It may drop the futures before they are ready. An implementation
/// then abandons a login; a refresh may continue, and the next call uses its result.
pub trait Authorize: fmt::Debug + Send + Sync {
    /// Returns the headers for a request. Empty if there are no credentials for the server yet.
    fn headers<'a>(&'a self, request: Outgoing<'a>) -> Authorizing<'a, HeaderMap>;

    /// Handles the refusal of a request. `Ok` means: send the request once more, with the headers that
    /// [`Self::headers`] returns then.
    ///
    /// # Errors
    /// If sending the request again is useless: [`Error::Auth`](crate::Error::Auth), or any other error.
    fn challenged<'a>(&'a self, refused: Refused<'a>) -> Authorizing<'a, ()>;
}

/// A request that is about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// The URL of the server, as the user has given it.
    pub server: &'a Url,
    /// The URL of the request. Tokens may go to the origin of the server only.
    pub url: &'a Url,
    /// The method of the request.
    pub method: &'a Method,
}

/// A request that a server has refused.
#[derive(Clone, Copy, Debug)]
pub struct Refused<'a> {
    /// The URL of the server, as the user has given it.
    pub server: &'a Url,
    /// The status: 401 or 403.
    pub status: StatusCode,
    /// The headers of the answer.
    pub headers: &'a HeaderMap,
    /// The headers that [`Authorize::headers`] returned for the request.
    pub sent: &'a HeaderMap,
    /// The number of earlier refusals of this request.
    pub attempt: u32,
}
