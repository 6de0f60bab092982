//! How a person gets to the authorization server and back.
//!
//! In: an authorization URL. Out: the URL that the browser was redirected to in the end. Nothing is opened here: that is the
//! program's own function, which knows where the person sits.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use url::Url;

use super::fault::{AuthFault, Failure};
use super::loopback::Loopback;

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The function of a program that takes a person through it.
type Follow = Arc<dyn Fn(Url) -> Boxed<Result<Url, String>> + Send + Sync>;
/// The function of a program that opens a URL.
type Open = Arc<dyn Fn(Url) -> Boxed<Result<(), String>> + Send + Sync>;

/// A way to the authorization server and back.
#[derive(Clone)]
pub(super) enum Redirect {
    /// The program does it all.
    Follow { redirect_uri: String, follow: Follow },
    /// The program opens the URL, and the browser comes back to a listener of ours.
    Loopback { open: Open },
}

/// A way that is open: where it ends is known.
pub(super) enum Way {
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
        Self::Loopback { open: Arc::new(move |url| Box::pin(open(url))) }
    }

    /// Opens the way. `earlier` are the addresses that were registered once: a port that is still free saves a registration.
    pub(super) async fn prepare(&self, earlier: &[String]) -> Result<Way, Failure> {
        match self {
            Self::Follow { redirect_uri, follow } => {
                Ok(Way::Follow { redirect_uri: redirect_uri.clone(), follow: Arc::clone(follow) })
            }
            Self::Loopback { open } => {
                Ok(Way::Loopback { listener: Loopback::bind(earlier).await?, open: Arc::clone(open) })
            }
        }
    }
}

impl Way {
    pub(super) fn redirect_uri(&self) -> &str {
        match self {
            Self::Follow { redirect_uri, .. } => redirect_uri,
            Self::Loopback { listener, .. } => listener.redirect_uri(),
        }
    }

    /// Goes it, and returns the URL at its end. `state` tells our redirect from others that reach the listener.
    pub(super) async fn go(self, url: Url, state: &str) -> Result<Url, Failure> {
        let failed =
            |why: String| Failure::new(AuthFault::LoginNeeded, format!("nobody could sign in: {why}"));
        match self {
            Self::Follow { follow, .. } => follow(url).await.map_err(failed),
            Self::Loopback { listener, open } => {
                // The listener listens already; what comes while the browser is being opened waits.
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
            Self::Loopback { .. } => f.write_str("Loopback"),
        }
    }
}
