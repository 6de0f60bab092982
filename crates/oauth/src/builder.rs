//! The builder of an OAuth client.
//!
//! In: the program's identity, the way a user signs in, the store for tokens. Out: an [`OAuth`], if the
//! settings fit together.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use plainwire::Result;
use plainwire::client::http::address_guard::Permission;
use rustls::pki_types::CertificateDer;
use url::Url;

use super::OAuth;
use super::assertion::SigningKey;
use super::discovery::MetadataOf;
use super::endpoints::Endpoints;
use super::fault::{Failure, quoted};
use super::fetch::certificates;
use super::redirect::Redirect;
use super::scope::Scopes;
use super::secret::Secret;
use super::store::{MemoryStore, TokenStore};

/// The builder of an [`OAuth`] client.
#[derive(Clone, Debug)]
pub struct OAuthBuilder {
    config: Config,
    client_id: Option<String>,
    client_secret: Option<Secret>,
    issuer: Option<String>,
    metadata_url: Option<String>,
    /// The private key in PEM, and its `kid`.
    private_key: Option<(Secret, Option<String>)>,
    /// Certificates in PEM.
    authorities: Option<Vec<u8>>,
}

/// Settings that all servers of one [`OAuth`] share.
#[derive(Clone, Debug)]
pub(super) struct Config {
    /// The name of the program, as users see it when they sign in.
    pub(super) name: String,
    /// The client that was registered beforehand; `None` if the program has set none.
    pub(super) client: Option<PreregisteredClient>,
    /// The URL of the client's metadata document, exactly as the program gave it.
    pub(super) metadata_url: Option<String>,
    /// The private key that the client authenticates with; `None` if the program has set none.
    pub(super) key: Option<SigningKey>,
    pub(super) grant: Grant,
    /// The way in which a user signs in; `None` if the program has set none.
    pub(super) redirect: Option<Redirect>,
    /// Scopes to request instead of those that a server names. If empty, the scopes that the server names are
    /// requested.
    pub(super) scopes: Scopes,
    pub(super) store: Arc<dyn TokenStore>,
    pub(super) login_timeout: Duration,
    /// The endpoints of an authorization server without metadata; `None` if they are to be found.
    pub(super) endpoints: Option<Endpoints>,
    /// Certificates that are trusted in addition to those of the system.
    pub(super) authorities: Vec<CertificateDer<'static>>,
    /// The servers that the metadata of a server may be about.
    pub(super) metadata_of: MetadataOf,
    /// Whether authorization servers may be in private networks.
    pub(super) private: Permission,
}

/// A client that was registered at an authorization server beforehand.
#[derive(Clone, Debug)]
pub(super) struct PreregisteredClient {
    pub(super) id: String,
    pub(super) secret: Option<Secret>,
    pub(super) issuer: Option<String>,
}

/// The OAuth grant that tokens are requested with.
///
/// Workload identities and tokens of an enterprise's identity provider will be two more grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grant {
    /// A user signs in (`authorization_code`).
    AuthorizationCode,
    /// The program authenticates itself, without a user (`client_credentials`).
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
            login_timeout: LOGIN_TIMEOUT,
            endpoints: None,
            authorities: Vec::new(),
            metadata_of: MetadataOf::Origin,
            private: Permission::Withheld,
        };
        Self {
            config,
            client_id: None,
            client_secret: None,
            issuer: None,
            metadata_url: None,
            private_key: None,
            authorities: None,
        }
    }

    /// Sets the id of a client that was registered beforehand. It has precedence over a metadata document and
    /// over dynamic registration.
    #[must_use]
    pub fn client_id(mut self, id: impl Into<String>) -> Self {
        self.client_id = Some(id.into());
        self
    }

    /// Sets the secret of the client that [`client_id`](Self::client_id) names.
    #[must_use]
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.client_secret = Some(Secret::new(secret));
        self
    }

    /// Sets the issuer at which [`client_id`](Self::client_id) is registered, exactly as the issuer's metadata
    /// writes it. The id is sent to no other authorization server.
    ///
    /// Without this setting, the id belongs to the issuer that a server names first. If the server names
    /// another issuer later, logins there fail.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Sets the URL of a document that describes this client (a Client ID Metadata Document): `https`, with a
    /// path. The URL is the client's id at authorization servers that accept such documents.
    #[must_use]
    pub fn client_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.metadata_url = Some(url.into());
        self
    }

    /// Sets the private key that the client authenticates with (`private_key_jwt`): PKCS#8 in PEM of RSA,
    /// P-256, P-384 or Ed25519; PKCS#1 for RSA too. `key_id` is the `kid` of the public key, for
    /// authorization servers that know several keys of this client.
    #[must_use]
    pub fn private_key_pem(mut self, pem: impl Into<String>, key_id: Option<&str>) -> Self {
        self.private_key = Some((Secret::new(pem), key_id.map(ToOwned::to_owned)));
        self
    }

    /// Requests tokens for the program itself (`client_credentials`), without a user. Needs a
    /// [`client_id`](Self::client_id) with a secret or a private key.
    #[must_use]
    pub fn client_credentials(mut self) -> Self {
        self.config.grant = Grant::ClientCredentials;
        self
    }

    /// Sets the redirect URI, and the function through which a user signs in. `follow` gets the authorization
    /// URL and returns the URL that the browser was redirected to, with its query; or the reason why there is
    /// none, in words for the user.
    #[must_use]
    pub fn redirect<F, D>(mut self, redirect_uri: &str, follow: F) -> Self
    where
        F: Fn(Url) -> D + Send + Sync + 'static,
        D: Future<Output = Result<Url, String>> + Send + 'static,
    {
        self.config.redirect = Some(Redirect::follow(redirect_uri, follow));
        self
    }

    /// Lets the user sign in with a browser on this machine: `open` gets the authorization URL and opens it,
    /// or shows it. The browser returns to a listener on a free port of 127.0.0.1. The listener ends after
    /// the redirect of this login.
    ///
    /// The authorization URL is `https`, except for servers on this machine. Parts of it come from a server,
    /// so `open` must not pass it through a shell.
    #[must_use]
    pub fn loopback<F, D>(mut self, open: F) -> Self
    where
        F: Fn(Url) -> D + Send + Sync + 'static,
        D: Future<Output = Result<(), String>> + Send + 'static,
    {
        self.config.redirect = Some(Redirect::loopback(open));
        self
    }

    /// Lets the user sign in as with [`loopback`](Self::loopback), but has the browser return to `redirect_uri`, as
    /// authorization servers demand that compare redirect URIs with those of a registration. Its form is
    /// `http://localhost:8080/callback`: plain HTTP, this machine, a port, a path.
    ///
    /// For `localhost`, the listener has the port at 127.0.0.1 and, where the system has it, at `::1`: a browser may
    /// take either. A login fails if another program has one of them.
    #[must_use]
    pub fn loopback_at<F, D>(mut self, redirect_uri: impl Into<String>, open: F) -> Self
    where
        F: Fn(Url) -> D + Send + Sync + 'static,
        D: Future<Output = Result<(), String>> + Send + 'static,
    {
        self.config.redirect = Some(Redirect::loopback_at(redirect_uri.into(), open));
        self
    }

    /// Sets the endpoints of an authorization server that publishes no metadata. All servers of this client then belong
    /// to it.
    #[must_use]
    pub fn endpoints(mut self, endpoints: Endpoints) -> Self {
        self.config.endpoints = Some(endpoints);
        self
    }

    /// Adds a scope to request at a login. The added scopes replace those that the server names. If the server
    /// asks for a further scope later, that scope is requested together with the added scopes. A text that is
    /// no scope of RFC 6749 §3.3, such as one with a blank, is ignored.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        let more = Scopes::from_iter([scope.into()]);
        self.config.scopes = self.config.scopes.union(&more);
        self
    }

    /// Sets the store for tokens. The default is a [`MemoryStore`], whose contents are
    /// lost when the program ends.
    #[must_use]
    pub fn store(mut self, store: impl TokenStore) -> Self {
        self.config.store = Arc::new(store);
        self
    }

    /// Sets the time limit for a login. The default is 5 min, in which most users find their password.
    #[must_use]
    pub fn login_timeout(mut self, timeout: Duration) -> Self {
        self.config.login_timeout = timeout;
        self
    }

    /// Accepts metadata of a server (RFC 9728) only if its `resource` is the URL of this very server. Without
    /// this setting, `resource` may also be a URL of the same origin that the server's path lies below, as other
    /// MCP clients permit. If several parties share a host, one of their servers can then get a token for the
    /// whole host.
    #[must_use]
    pub fn strict_metadata(mut self) -> Self {
        self.config.metadata_of = MetadataOf::Server;
        self
    }

    /// Trusts these certificates, in PEM, in addition to those of the system: the authority of a company, for example.
    #[must_use]
    pub fn ca_certificates_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.authorities = Some(pem.into());
        self
    }

    /// Permits authorization servers in private networks. Use it only in networks whose machines may all send
    /// requests to each other: a server could make this program send requests to other machines there.
    #[must_use]
    pub fn dangerous_allow_private_addresses(mut self) -> Self {
        self.config.private = Permission::Granted;
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    /// [`Error::Auth`](plainwire::Error::Auth) with [`AuthFault::Settings`](super::AuthFault::Settings): a
    /// secret or issuer without a client id, client credentials without a secret or key, an unusable private
    /// key or certificate, a metadata URL that is not `https` with a path, an endpoint that is not `https`, a redirect URI that
    /// is not absolute or has a fragment, or one that no listener can have.
    pub fn build(self) -> Result<OAuth> {
        self.checked().map(OAuth::new).map_err(Failure::into_error)
    }

    fn checked(mut self) -> Result<Config, Failure> {
        self.config.client = self.preregistered()?;
        self.config.redirect.as_ref().map_or(Ok(()), Redirect::check)?;
        self.config.endpoints.as_ref().map_or(Ok(()), Endpoints::check)?;
        self.config.metadata_url = self.metadata_url.as_deref().map(metadata_url).transpose()?;
        if let Some(pem) = &self.authorities {
            self.config.authorities = certificates(pem)?;
        }
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

    fn preregistered(&mut self) -> Result<Option<PreregisteredClient>, Failure> {
        let (secret, issuer) = (self.client_secret.take(), self.issuer.take());
        let issuer = issuer.or_else(|| {
            self.config.endpoints.as_ref().filter(|_| self.client_id.is_some()).map(Endpoints::issuer)
        });
        match self.client_id.take() {
            Some(id) => Ok(Some(PreregisteredClient { id, secret, issuer })),
            None if secret.is_none() && issuer.is_none() => Ok(None),
            None => Err(Failure::settings(
                "expected a client id beside a client secret or an issuer, but found none",
            )),
        }
    }
}

/// Checks the URL of a client metadata document.
///
/// Spec: 2026-07-28 client registration "For MCP Clients", and §3 of the draft that it refers to: a URL with
/// a path, in a form that all parsers read alike.
fn metadata_url(text: &str) -> Result<String, Failure> {
    let fits = |url: &Url| {
        let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        // The document repeats its URL as text, so the parser must not have changed the text.
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

/// Default time limit for a login. 5 min: most users find their password in that time.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(300);

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
        refused(new().ca_certificates_pem("x"), "expected certificates in PEM");
        let endpoints = |authorization: &str, token: &str| Endpoints {
            authorization: authorization.parse().expect("a URL"),
            token: token.parse().expect("a URL"),
            parameters: Vec::new(),
            scopes: Vec::new(),
        };
        for (authorization, token) in [
            ("http://as.example/authorize", "https://as.example/token"),
            ("https://as.example/authorize", "http://as.example/token"),
            ("file:///etc/passwd", "https://as.example/token"),
        ] {
            refused(new().endpoints(endpoints(authorization, token)), "to be `https`, but found");
        }
        let local = endpoints("http://localhost:1/authorize", "http://127.0.0.1:1/token");
        assert!(new().endpoints(local).build().is_ok());
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
        let at = |uri: &str| new().loopback_at(uri, |_| async { Ok(()) });
        for uri in [
            "https://localhost:8080/callback",
            "http://example.com:8080/callback",
            "http://localhost:8080/callback?a=b",
            "http://localhost:8080/callback#a",
            "http://ada@localhost:8080/callback",
            "http://localhost:0/callback",
            "callback",
        ] {
            refused(at(uri), "expected a redirect URI such as `http://localhost:8080/callback`, but found");
        }
        for uri in [
            "http://localhost:8080/callback",
            "http://127.0.0.1:1/",
            "http://[::1]:9/a/b",
            "http://localhost/c",
        ] {
            assert!(at(uri).build().is_ok(), "{uri}");
        }
        let by_hand = |uri: &str| new().redirect(uri, |url| async { Ok(url) });
        for uri in ["callback", "https://app.example.com/c#a"] {
            refused(
                by_hand(uri),
                "expected a redirect URI such as `https://app.example.com/callback`, but found",
            );
        }
        for uri in ["https://app.example.com/c?a=b", "com.example.app:/callback"] {
            assert!(by_hand(uri).build().is_ok(), "{uri}");
        }
    }

    #[test]
    fn shows_no_secret() {
        let builder =
            OAuth::builder("test").client_id("id").client_secret("s3cret").private_key_pem("k3y", None);
        let shown = format!("{builder:?}");
        assert!(shown.contains("\"id\"") && !shown.contains("s3cret") && !shown.contains("k3y"), "{shown}");
    }
}
