//! An authorization server that publishes no metadata, and whose endpoints the program knows.
//!
//! In: the program's settings. Out: what discovery finds at other servers.

use plainwire::client::http::address_guard::is_local;
use url::Url;

use super::fault::{Failure, origin, quoted};
use super::metadata::{AuthServer, Known, S256};

/// The endpoints of an authorization server that publishes no metadata.
///
/// No requests for metadata are sent then, and the parameters that such a server need not know are left out:
/// `resource` of all requests, and the check of `iss`, since nobody says what it should be. PKCE stays: a server
/// without it ignores its parameters (RFC 6749 §3.1). The secret of a client goes into the body of token requests
/// (`client_secret_post`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoints {
    /// The page on which the user signs in. Its origin is the name of the authorization server in messages and in
    /// the store.
    pub authorization: Url,
    /// The address of token requests.
    pub token: Url,
    /// Further parameters of the sign-in page, such as `audience`.
    pub parameters: Vec<(String, String)>,
    /// The scopes of the server, as metadata would list them. With `offline_access` among them, each login
    /// requests that scope.
    pub scopes: Vec<String>,
}

impl Endpoints {
    /// Refuses endpoints that are not `https`, except on this machine: the page is opened in a browser, and secrets are sent
    /// to the other one.
    pub(super) fn check(&self) -> Result<(), Failure> {
        for (name, url) in [("authorization", &self.authorization), ("token", &self.token)] {
            let is_here = url.scheme() == "http" && url.host().is_some_and(|it| is_local(&it));
            if url.scheme() != "https" && !is_here {
                let found = quoted(&format!("{}:", url.scheme()));
                return Err(Failure::settings(format!(
                    "expected the {name} endpoint to be `https`, but found {found}"
                )));
            }
        }
        Ok(())
    }

    /// Returns the name of the authorization server.
    pub(super) fn issuer(&self) -> String {
        origin(&self.authorization)
    }

    /// Returns the server as if its metadata had been read.
    pub(super) fn server(&self) -> AuthServer {
        AuthServer {
            issuer: self.issuer(),
            authorization_endpoint: Some(self.authorization.clone()),
            token_endpoint: self.token.clone(),
            registration_endpoint: None,
            revocation_endpoint: None,
            scopes: Some(self.scopes.clone()),
            auth_methods: Some(vec!["client_secret_post".to_owned()]),
            signing_algorithms: None,
            challenge_methods: Some(vec![S256.to_owned()]),
            takes_metadata_documents: false,
            sends_issuer: false,
            parameters: self.parameters.clone(),
            known: Known::FromSettings,
        }
    }
}
