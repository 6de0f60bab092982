//! The user's way through the authorization page: to the authorization server, and back by a redirect.
//!
//! In: an authorization URL. Out: the URL that the browser was redirected to. This module opens no browser:
//! the program's function does, because only the program knows where its user is.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use plainwire::client::http::AuthFault;
use url::Url;

use super::fault::{Failure, quoted};
use super::loopback::Loopback;

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The program's function that opens the authorization URL and returns the URL of the redirect.
type Follow = Arc<dyn Fn(Url) -> Boxed<Result<Url, String>> + Send + Sync>;
/// The program's function that opens the authorization URL in a browser, or shows it.
type Open = Arc<dyn Fn(Url) -> Boxed<Result<(), String>> + Send + Sync>;

/// The user's way to the authorization server and back, as set by the program.
#[derive(Clone)]
pub(super) enum Redirect {
    /// The program opens the authorization URL, and returns the URL of the redirect.
    Follow { redirect_uri: String, follow: Follow },
    /// The program opens the authorization URL, and the browser returns to a listener of this crate: at the redirect
    /// URI `at`, or at any free port.
    Loopback { at: Option<String>, open: Open },
}

/// A [`Redirect`] for one login, whose redirect URI is known. Its loopback listener, if it has one, is
/// already listening.
pub(super) enum PreparedRedirect {
    Follow { redirect_uri: String, follow: Follow },
    Loopback { listener: Loopback, open: Open },
}

impl Redirect {
    pub(super) fn follow<F, D>(redirect_uri: &str, follow: F) -> Self
    where
        F: Fn(Url) -> D + Send + Sync + 'static,
        D: Future<Output = Result<Url, String>> + Send + 'static,
    {
        let follow: Follow = Arc::new(move |url| Box::pin(follow(url)));
        Self::Follow { redirect_uri: redirect_uri.to_owned(), follow }
    }

    pub(super) fn loopback<F, D>(open: F) -> Self
    where
        F: Fn(Url) -> D + Send + Sync + 'static,
        D: Future<Output = Result<(), String>> + Send + 'static,
    {
        Self::Loopback { at: None, open: Arc::new(move |url| Box::pin(open(url))) }
    }

    pub(super) fn loopback_at<F, D>(redirect_uri: String, open: F) -> Self
    where
        F: Fn(Url) -> D + Send + Sync + 'static,
        D: Future<Output = Result<(), String>> + Send + 'static,
    {
        Self::Loopback { at: Some(redirect_uri), open: Arc::new(move |url| Box::pin(open(url))) }
    }

    /// Checks that the redirect URI is one, and that a listener of this crate can have its own.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Loopback { at: Some(uri), .. } => Loopback::place(uri).map(|_| ()),
            Self::Loopback { at: None, .. } => Ok(()),
            // RFC 6749, 3.1.2: it is absolute, and has no fragment.
            Self::Follow { redirect_uri, .. } => match Url::parse(redirect_uri) {
                Ok(url) if url.fragment().is_none() => Ok(()),
                _ => Err(Failure::settings(format!(
                    "expected a redirect URI such as `https://app.example.com/callback`, but found {}",
                    quoted(redirect_uri)
                ))),
            },
        }
    }

    /// Prepares for a login. `earlier` are the redirect URIs of an earlier registration: if a port among them
    /// is still free, no new registration is needed.
    pub(super) async fn prepare(&self, earlier: &[String]) -> Result<PreparedRedirect, Failure> {
        match self {
            Self::Follow { redirect_uri, follow } => Ok(PreparedRedirect::Follow {
                redirect_uri: redirect_uri.clone(),
                follow: Arc::clone(follow),
            }),
            Self::Loopback { at, open } => Ok(PreparedRedirect::Loopback {
                listener: match at {
                    None => Loopback::bind(earlier).await?,
                    Some(uri) => Loopback::bind_at(uri).await?,
                },
                open: Arc::clone(open),
            }),
        }
    }
}

impl PreparedRedirect {
    pub(super) fn redirect_uri(&self) -> &str {
        match self {
            Self::Follow { redirect_uri, .. } => redirect_uri,
            Self::Loopback { listener, .. } => listener.redirect_uri(),
        }
    }

    /// Sends the user to `url`, and returns the URL of the redirect. The loopback listener accepts only a
    /// redirect with this `state`.
    pub(super) async fn run(self, url: Url, state: &str) -> Result<Url, Failure> {
        let failed = |why: String| Failure::new(AuthFault::LoginNeeded, format!("the login failed: {why}"));
        match self {
            Self::Follow { follow, .. } => follow(url).await.map_err(failed),
            Self::Loopback { listener, open } => {
                // The listener is already listening: connections that arrive while the browser opens are
                // queued.
                open(url).await.map_err(failed)?;
                listener.wait(state).await
            }
        }
    }
}

impl fmt::Debug for Redirect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Follow { redirect_uri, .. } => f.debug_tuple("Follow").field(redirect_uri).finish(),
            Self::Loopback { at, .. } => f.debug_tuple("Loopback").field(at).finish(),
        }
    }
}
