//! An OAuth 2.1 client, as MCP specifies it: obtains, stores and renews tokens for servers that require them.
//!
//! In: a server's URL, its refusals, and a way for the user to sign in. Out: headers for requests to the
//! server. The client finds the authorization server, registers there, lets the user sign in, and stores and
//! renews tokens. It opens no browser and prints nothing: the program provides functions for that. It never
//! sees the contents of requests; the transport sends them.
//!
//! ```no_run
//! use plainwire_oauth::{FileStore, OAuth};
//!
//! # fn open(url: &str) -> Result<(), String> { Ok(()) }
//! # fn main() -> plainwire::Result<()> {
//! let oauth = OAuth::builder("My host")
//!     .store(FileStore::new("/home/ada/.config/my-host/tokens"))
//!     .loopback(|url| async move { open(url.as_str()) })
//!     .build()?;
//! # Ok(())
//! # }
//! ```
//!
//! Not supported yet: proofs of possession (DPoP), which would be headers from [`Authorize::headers`] and
//! reactions to [`Refused::headers`]; workload identities and enterprise-managed authorization, which would
//! be further grants in the builder.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use http::HeaderMap;
use plainwire::Result;

mod assertion;
mod authorize;
mod builder;
mod challenge;
mod discovery;
mod endpoints;
mod fault;
mod fetch;
mod loopback;
mod metadata;
mod redirect;
mod refresh;
mod registration;
mod revocation;
mod runtime;
mod scope;
mod secret;
mod session;
mod signed_in;
mod store;
mod token;

use builder::Config;
pub use builder::OAuthBuilder;
pub use endpoints::Endpoints;
use fault::Failure;
pub use plainwire::client::http::{AuthFault, Authorize, Authorizing, Outgoing, Refused, Url};
use session::Session;
pub use signed_in::{LoggedOut, Renewal, SignedIn};
#[cfg(feature = "keychain")]
pub use store::KeychainStore;
pub use store::{FileStore, Held, MemoryStore, StoreKey, TokenFuture, TokenStore};

/// An OAuth client for any number of servers. Clones share their state.
///
/// Calls may run in parallel: however many of them find a token expired, it is renewed once, even if other
/// processes share the store.
#[derive(Clone)]
pub struct OAuth {
    config: Arc<Config>,
    /// The sessions, each with the tokens of one MCP server, by the canonical URL of that server. Grows with
    /// the servers that the program names.
    sessions: Arc<Mutex<BTreeMap<String, Arc<Session>>>>,
}

impl OAuth {
    /// Returns a builder for a client. Users see `name` when they sign in.
    pub fn builder(name: impl Into<String>) -> OAuthBuilder {
        OAuthBuilder::new(name.into())
    }

    fn new(config: Config) -> Self {
        Self { config: Arc::new(config), sessions: Arc::default() }
    }

    /// Signs in at `server` now, without waiting until it refuses a request. Does nothing if there are tokens
    /// that have the scopes of the builder and are not about to expire.
    ///
    /// # Errors
    /// [`Error::Auth`](plainwire::Error::Auth).
    pub async fn login(&self, server: &Url) -> Result<()> {
        self.session(server).map_err(Failure::into_error)?.login().await.map_err(Failure::into_error)
    }

    /// Deletes the tokens for `server`. Also revokes them if the authorization server accepts revocations
    /// (RFC 7009). The client registration there stays, for the next login.
    ///
    /// # Errors
    /// [`Error::Auth`](plainwire::Error::Auth) if the store fails. A failed revocation is no error: the
    /// result is [`LoggedOut::Unrevoked`].
    pub async fn logout(&self, server: &Url) -> Result<LoggedOut> {
        self.session(server).map_err(Failure::into_error)?.logout().await.map_err(Failure::into_error)
    }

    /// Returns the state of the login at `server`; `None` if there are no tokens for it. Reads the store the
    /// first time and sends no requests, so the tokens may have been revoked meanwhile.
    ///
    /// # Errors
    /// [`Error::Auth`](plainwire::Error::Auth) if the store fails, or if the URL `server` is neither
    /// `https` nor on this machine.
    pub async fn signed_in(&self, server: &Url) -> Result<Option<SignedIn>> {
        self.session(server).map_err(Failure::into_error)?.signed_in().await.map_err(Failure::into_error)
    }

    fn session(&self, server: &Url) -> Result<Arc<Session>, Failure> {
        let resource = discovery::canonical(server);
        // The code under this lock leaves no partial change behind, so a poisoned lock is still good.
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = sessions.get(&resource) {
            return Ok(Arc::clone(session));
        }
        let session = Arc::new(Session::new(Arc::clone(&self.config), server, resource.clone())?);
        sessions.insert(resource, Arc::clone(&session));
        Ok(session)
    }
}

impl Authorize for OAuth {
    fn headers<'a>(&'a self, request: Outgoing<'a>) -> Authorizing<'a, HeaderMap> {
        Box::pin(async move {
            if request.url.origin() != request.server.origin() {
                let found = fault::quoted(&fault::origin(request.url));
                let message =
                    format!("expected a request to the origin of the server, but found one to {found}");
                return Err(Failure::server(message).into_error());
            }
            match self.session(request.server) {
                Ok(session) => session.headers().await.map_err(Failure::into_error),
                // A server that can't be trusted with tokens gets none. It may not need any: only its refusal
                // makes this an error.
                Err(_) => Ok(HeaderMap::new()),
            }
        })
    }

    fn challenged<'a>(&'a self, refused: Refused<'a>) -> Authorizing<'a, ()> {
        Box::pin(async move {
            let session = self.session(refused.server).map_err(Failure::into_error)?;
            session.challenged(refused).await.map_err(Failure::into_error)
        })
    }
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth").field("config", &self.config).finish_non_exhaustive()
    }
}
