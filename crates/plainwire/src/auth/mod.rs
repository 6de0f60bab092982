//! Tokens for servers that ask for them: a client of OAuth 2.1 as the protocol wants it.
//!
//! In: a server's URL, its refusals, and a way for a person to sign in. Out: headers for its requests. It finds the authorization
//! server, registers, has somebody sign in, keeps and renews tokens. It opens no browser and prints nothing: these are functions of the
//! program. Nothing here knows what is asked of a server; the transport does.
//!
//! ```no_run
//! use plainwire::auth::{FileStore, OAuth};
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
//! Not here yet, with a place for each: proofs of possession (DPoP) are headers of [`Authorize::headers`] and answers to
//! [`Refused::headers`]; workload identities and enterprise-managed authorization are grants beside the two of the builder.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use http::HeaderMap;

use crate::error::Result;

mod assertion;
mod authorize;
mod builder;
mod challenge;
mod discovery;
mod fault;
mod fetch;
mod guard;
mod loopback;
mod metadata;
mod redirect;
mod refresh;
mod registration;
mod revocation;
mod scope;
mod secret;
mod session;
mod signed_in;
mod store;
mod token;

pub use crate::client::http::{Authorize, Authorizing, Outgoing, Refused};
pub use crate::transport::http_client::Url;
use builder::Config;
pub use builder::OAuthBuilder;
pub use fault::AuthFault;
use fault::Failure;
use session::Session;
pub use signed_in::{LoggedOut, Renewal, SignedIn};
#[cfg(feature = "keychain")]
pub use store::KeychainStore;
pub use store::{FileStore, Held, MemoryStore, StoreKey, TokenFuture, TokenStore};

/// A client of OAuth, for as many servers as the program has. Its clones are the same client.
///
/// Calls may come in parallel: however many of them find a token expired, it is renewed once, also when other processes share the
/// store.
#[derive(Clone)]
pub struct OAuth {
    config: Arc<Config>,
    /// By the canonical URL of the server. Grows with the servers that the program names.
    sessions: Arc<Mutex<BTreeMap<String, Arc<Session>>>>,
}

impl OAuth {
    /// Begins a client; `name` is what people are shown when they sign in.
    pub fn builder(name: impl Into<String>) -> OAuthBuilder {
        OAuthBuilder::new(name.into())
    }

    fn new(config: Config) -> Self {
        Self { config: Arc::new(config), sessions: Arc::default() }
    }

    /// Signs in at `server` now, without waiting for it to refuse a request; with tokens that are good it does nothing.
    ///
    /// # Errors
    /// [`Error::Auth`](crate::Error::Auth).
    pub async fn login(&self, server: &Url) -> Result<()> {
        self.session(server).map_err(Failure::into_error)?.login().await.map_err(Failure::into_error)
    }

    /// Forgets the tokens for `server`, and tells its authorization server if that takes revocations (RFC 7009). The registration
    /// there stays, for the next login.
    ///
    /// # Errors
    /// [`Error::Auth`](crate::Error::Auth) if the store fails. An authorization server that can't be told is none: see
    /// [`LoggedOut::Unrevoked`].
    pub async fn logout(&self, server: &Url) -> Result<LoggedOut> {
        self.session(server).map_err(Failure::into_error)?.logout().await.map_err(Failure::into_error)
    }

    /// Returns how things stand with `server`; `None` if nobody is signed in there. Asks the store the first time, and nobody else:
    /// the tokens may have been revoked meanwhile.
    ///
    /// # Errors
    /// [`Error::Auth`](crate::Error::Auth) if the store fails, or if `server` can't be trusted with tokens.
    pub async fn signed_in(&self, server: &Url) -> Result<Option<SignedIn>> {
        self.session(server).map_err(Failure::into_error)?.signed_in().await.map_err(Failure::into_error)
    }

    fn session(&self, server: &Url) -> Result<Arc<Session>, Failure> {
        let resource = discovery::canonical(server);
        // Nothing in here panics half-way.
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
                let found = fault::quoted(&guard::origin(request.url));
                let message =
                    format!("expected a request to the origin of the server, but found one to {found}");
                return Err(Failure::server(message).into_error());
            }
            match self.session(request.server) {
                Ok(session) => session.headers().await.map_err(Failure::into_error),
                // A server that can't be trusted with tokens gets none. It may want none: only its refusal makes this an error.
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
