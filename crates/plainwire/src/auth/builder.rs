//! A client of OAuth that is being described.
//!
//! In: who the program is, how a person signs in, where tokens are kept. Out: an [`OAuth`], once all of it fits together.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use super::OAuth;
use super::assertion::SigningKey;
use super::fault::{Failure, quoted};
use super::guard::Permission;
use super::redirect::Redirect;
use super::scope::Scopes;
use super::secret::Secret;
use super::store::{MemoryStore, TokenStore};
use crate::error::Result;

/// A client of OAuth that is being described.
#[derive(Clone, Debug)]
pub struct OAuthBuilder {
    config: Config,
    client_id: Option<String>,
    client_secret: Option<Secret>,
    issuer: Option<String>,
    metadata_url: Option<String>,
    private_key: Option<(Secret, Option<String>)>,
}

/// What all servers of one [`OAuth`] have in common.
#[derive(Clone, Debug)]
pub(super) struct Config {
    /// What persons are shown as the name of the program.
    pub(super) name: String,
    /// The client that was registered beforehand.
    pub(super) client: Option<Given>,
    /// The URL of the client's metadata document, to the letter.
    pub(super) metadata_url: Option<String>,
    pub(super) key: Option<SigningKey>,
    pub(super) grant: Grant,
    pub(super) redirect: Option<Redirect>,
    /// What to ask for, in place of what a server names.
    pub(super) scopes: Scopes,
    pub(super) store: Arc<dyn TokenStore>,
    pub(super) login_timeout: Duration,
    pub(super) private: Permission,
}

/// A client that somebody has registered beforehand.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) id: String,
    pub(super) secret: Option<Secret>,
    pub(super) issuer: Option<String>,
}

/// On whose behalf tokens are asked for.
///
/// Workload identities and tokens of an enterprise's identity provider will be two more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grant {
    /// A person's, who signs in.
    AuthorizationCode,
    /// The client's own.
    ClientCredentials,
}

impl OAuthBuilder {
    pub(super) fn new(name: String) -> Self {
        let config = Config {
            name,
            client: None,
            metadata_url: None,
            key: None,
            grant: Grant::AuthorizationCode,
            redirect: None,
            scopes: Scopes::default(),
            store: Arc::new(MemoryStore::default()),
            login_timeout: LOGIN,
            private: Permission::Withheld,
        };
        Self {
            config,
            client_id: None,
            client_secret: None,
            issuer: None,
            metadata_url: None,
            private_key: None,
        }
    }

    /// Sets the id of a client that was registered beforehand. It goes before all other ways to be known.
    #[must_use]
    pub fn client_id(mut self, id: impl Into<String>) -> Self {
        self.client_id = Some(id.into());
        self
    }

    /// Sets the secret of [`client_id`](Self::client_id).
    #[must_use]
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.client_secret = Some(Secret::new(secret));
        self
    }

    /// Sets the issuer at which [`client_id`](Self::client_id) is registered, to the letter: it is shown to no other.
    ///
    /// Without it, it is the first one that each server names, and a server that names another one later is refused.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Sets the URL of a document that describes this client (a Client ID Metadata Document): `https`, with a path. It is the
    /// client's id wherever such documents are taken.
    #[must_use]
    pub fn client_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.metadata_url = Some(url.into());
        self
    }

    /// Sets the private key by which the client proves itself (`private_key_jwt`): PKCS#8 in PEM of RSA, P-256, P-384 or
    /// Ed25519. `key_id` is the `kid` of its public half, if servers have more than one.
    #[must_use]
    pub fn private_key_pem(mut self, pem: impl Into<String>, key_id: Option<&str>) -> Self {
        self.private_key = Some((Secret::new(pem), key_id.map(ToOwned::to_owned)));
        self
    }

    /// Asks for tokens on the program's own behalf (`client_credentials`): nobody signs in. It takes a
    /// [`client_id`](Self::client_id) with a secret or a private key.
    #[must_use]
    pub fn client_credentials(mut self) -> Self {
        self.config.grant = Grant::ClientCredentials;
        self
    }

    /// Sets how a person signs in: `follow` gets the authorization URL and returns the URL of the redirect that it ended in,
    /// with its query; or why there is none, in words for the user.
    #[must_use]
    pub fn redirect<F, D>(mut self, redirect_uri: &str, follow: F) -> Self
    where
        F: Fn(Url) -> D + Send + Sync + 'static,
        D: Future<Output = Result<Url, String>> + Send + 'static,
    {
        self.config.redirect = Some(Redirect::follow(redirect_uri, follow));
        self
    }

    /// Has a person sign in with a browser on this machine: `open` gets the authorization URL and opens it, or shows it. The
    /// browser comes back to a listener on a free port of 127.0.0.1, which answers once and is gone.
    ///
    /// The URL is `https`, except for servers on this machine; it is a server's text all the same, so `open` must not pass it through a
    /// shell.
    #[must_use]
    pub fn loopback<F, D>(mut self, open: F) -> Self
    where
        F: Fn(Url) -> D + Send + Sync + 'static,
        D: Future<Output = Result<(), String>> + Send + 'static,
    {
        self.config.redirect = Some(Redirect::loopback(open));
        self
    }

    /// Adds a scope to those that a sign-in asks for, in place of what the server names. A scope that the server misses later is asked
    /// for together with these. What is no scope of RFC 6749 §3.3, as one with a blank, is left out.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        let more = Scopes::from_iter([scope.into()]);
        self.config.scopes = self.config.scopes.union(&more);
        self
    }

    /// Sets where tokens are kept. By default they are forgotten with the program.
    #[must_use]
    pub fn store(mut self, store: impl TokenStore) -> Self {
        self.config.store = Arc::new(store);
        self
    }

    /// Sets how long a person may take to sign in: 5 min by default, in which most people find their password.
    #[must_use]
    pub fn login_timeout(mut self, timeout: Duration) -> Self {
        self.config.login_timeout = timeout;
        self
    }

    /// Lets servers name authorization servers in private networks. For networks where everybody may ask everybody: a server
    /// could have this program send requests to others in it.
    #[must_use]
    pub fn dangerous_allow_private_addresses(mut self) -> Self {
        self.config.private = Permission::Granted;
        self
    }

    /// Makes the client.
    ///
    /// # Errors
    /// [`Error::Auth`](crate::Error::Auth) with [`AuthFault::Settings`](super::AuthFault::Settings): a secret or issuer without
    /// a client id, client credentials without anything to prove them, a key that is none, a metadata URL that can't be one.
    pub fn build(self) -> Result<OAuth> {
        self.checked().map(OAuth::new).map_err(Failure::into_error)
    }

    fn checked(mut self) -> Result<Config, Failure> {
        self.config.client = self.given()?;
        self.config.metadata_url = self.metadata_url.as_deref().map(metadata_url).transpose()?;
        if let Some((pem, id)) = self.private_key {
            self.config.key = Some(SigningKey::from_pem(pem.reveal(), id)?);
        }
        let has_secret = self.config.client.as_ref().is_some_and(|it| it.secret.is_some());
        let named = self.config.client.is_some() || self.config.metadata_url.is_some();
        if self.config.grant == Grant::ClientCredentials
            && !(has_secret || named && self.config.key.is_some())
        {
            let message = "expected client credentials to have a client id with a secret or a private key";
            return Err(Failure::settings(message));
        }
        Ok(self.config)
    }

    fn given(&mut self) -> Result<Option<Given>, Failure> {
        let (secret, issuer) = (self.client_secret.take(), self.issuer.take());
        match self.client_id.take() {
            Some(id) => Ok(Some(Given { id, secret, issuer })),
            None if secret.is_none() && issuer.is_none() => Ok(None),
            None => Err(Failure::settings(
                "expected a client id beside a client secret or an issuer, but found none",
            )),
        }
    }
}

/// Spec: 2026-07-28 client registration "For MCP Clients", and the draft it refers to, §3: a path, and one that nobody reads in two
/// ways.
fn metadata_url(text: &str) -> Result<String, Failure> {
    let fits = |url: &Url| {
        let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        // What the parser changes is not what the document has to repeat.
        url.scheme() == "https" && plain && url.path() != "/" && url.as_str() == text
    };
    match Url::parse(text) {
        Ok(url) if fits(&url) => Ok(text.to_owned()),
        _ => Err(Failure::settings(format!(
            "expected the client's metadata to have an https URL with a path, in its plain form, but found {}",
            quoted(text)
        ))),
    }
}

/// How long a person may take to sign in.
const LOGIN: Duration = Duration::from_secs(300);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(builder: OAuthBuilder, expected: &str) {
        let message = builder.build().expect_err("an error").to_string();
        assert!(message.contains(expected), "{message}");
    }

    #[test]
    fn says_what_does_not_fit_together() {
        let new = || OAuth::builder("test");
        refused(new().client_secret("x"), "expected a client id");
        refused(new().issuer("https://as.example"), "expected a client id");
        refused(new().client_credentials().client_id("x"), "expected client credentials to have");
        refused(new().client_id("x").private_key_pem("x", None), "expected a private key in PEM");
        for url in [
            "http://a.example/c",
            "https://a.example",
            "https://a.example/",
            "https://a.example/c#x",
            "https://u@a.example/c",
            "https://a.example/b/../c",
            "https://A.example/c",
            "c",
        ] {
            refused(new().client_metadata_url(url), "expected the client's metadata");
        }
        assert!(new().client_metadata_url("https://a.example/c.json").build().is_ok());
    }

    #[test]
    fn shows_no_secret() {
        let builder =
            OAuth::builder("test").client_id("id").client_secret("s3cret").private_key_pem("k3y", None);
        let shown = format!("{builder:?}");
        assert!(shown.contains("\"id\"") && !shown.contains("s3cret") && !shown.contains("k3y"), "{shown}");
    }
}
