//! How requests to a server prove who sends them.

use std::pin::Pin;

use http::{HeaderMap, HeaderValue};
use reqwest::Url;

use crate::error::Result;

/// A future without a name.
type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Who gives proofs, and gets new ones.
pub(crate) trait Authorize: Send + Sync {
    /// Returns the value of `Authorization` for a request to `resource` now.
    fn header<'a>(&'a self, resource: &'a Url) -> BoxFuture<'a, Result<Option<HeaderValue>>>;

    /// Takes note that the server has answered 401 or 403 to a request with the header `sent`. `Ok` means that it is worth
    /// to try again.
    fn challenged<'a>(
        &'a self,
        resource: &'a Url,
        status: u16,
        headers: &'a HeaderMap,
        sent: Option<&'a HeaderValue>,
    ) -> BoxFuture<'a, Result<()>>;
}
