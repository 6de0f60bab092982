//! The client's identity at an authorization server: its id, and how it authenticates at the token endpoint.
//!
//! In: the metadata of an authorization server, the program's settings, stored registrations. Out: a
//! [`Client`], by the first way that works, in the order of the specification: registered beforehand, a
//! metadata document (CIMD), dynamic registration (DCR). An id or secret that an authorization server has
//! issued is stored under its issuer and never sent to another one.

use std::io;

use http::StatusCode;
use plainwire::client::http::address_guard::is_local;
use serde::{Deserialize, Serialize};
use serde_json::json;
use url::Url;

use super::builder::Config;
use super::fault::{Failure, quoted};
use super::fetch::{GuardedHttp, unexpected};
use super::metadata::AuthServer;
use super::secret::Secret;
use super::store::StoreKey;

/// The OAuth client as one authorization server knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) secret: Option<Secret>,
    pub(super) method: AuthMethod,
    /// The redirect URIs of a dynamic registration. Empty for other clients, whose redirect URIs are not
    /// known here.
    #[serde(default)]
    pub(super) redirect_uris: Vec<String>,
    /// The Unix time in seconds at which the secret expires; `None` if it never does.
    #[serde(default)]
    expires: Option<u64>,
}

/// The method by which a client authenticates at the token endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum AuthMethod {
    #[serde(rename = "client_secret_basic")]
    Basic,
    #[serde(rename = "none")]
    None,
    #[serde(rename = "client_secret_post")]
    Post,
    #[serde(rename = "private_key_jwt")]
    PrivateKeyJwt,
}

/// The answer of an authorization server that has registered a client.
#[derive(Deserialize)]
struct Registered {
    client_id: String,
    client_secret: Option<String>,
    client_secret_expires_at: Option<u64>,
    token_endpoint_auth_method: Option<String>,
    redirect_uris: Option<Vec<String>>,
}

/// The answer of an authorization server that rejects a registration.
#[derive(Deserialize)]
struct Rejected {
    error: String,
    error_description: Option<String>,
}

/// Returns the client from the program's settings: registered beforehand, or described by a metadata document
/// if the authorization server accepts these. `None` if the settings have no such client.
pub(super) fn configured(config: &Config, server: &AuthServer) -> Result<Option<Client>, Failure> {
    if let Some(given) = &config.client {
        if let Some(issuer) = given.issuer.as_ref().filter(|it| **it != server.issuer) {
            return Err(wrong_issuer(&given.id, issuer, &server.issuer));
        }
        let method = choose(server.auth_methods.as_deref(), given.secret.is_some(), config.key.is_some())?;
        return Ok(Some(Client::new(&given.id, given.secret.clone(), method)));
    }
    if let Some(document) = config.metadata_url.as_ref().filter(|_| server.takes_metadata_documents) {
        let method = choose(server.auth_methods.as_deref(), false, config.key.is_some())?;
        return Ok(Some(Client::new(document.as_str(), None, method)));
    }
    Ok(None)
}

/// Returns the client if no registration is needed: from the settings, or a stored one that is registered
/// with `redirect_uri` and has not expired.
pub(super) async fn known(
    config: &Config,
    server: &AuthServer,
    redirect_uri: &str,
    now: u64,
) -> Result<Option<Client>, Failure> {
    if let Some(client) = configured(config, server)? {
        return Ok(Some(client));
    }
    let stored = stored(config, &server.issuer).await?;
    Ok(stored.filter(|it| it.redirect_uris.iter().any(|known| known == redirect_uri) && it.is_good(now)))
}

/// Returns the client that was registered dynamically at `issuer` and stored, even if it has expired.
pub(super) async fn stored(config: &Config, issuer: &str) -> io::Result<Option<Client>> {
    let text = config.store.load(&StoreKey::client(issuer)).await?;
    Ok(text.and_then(|it| serde_json::from_str(&it).ok()))
}

/// Deletes the client that was registered dynamically at `issuer` from the store, so that the next login
/// registers again.
pub(super) async fn forget(config: &Config, issuer: &str) -> io::Result<()> {
    config.store.remove(&StoreKey::client(issuer)).await
}

/// Registers a client dynamically, and stores it.
///
/// # Errors
/// If the authorization server accepts no registrations, or rejects this one: then the program needs a client
/// id in its settings.
pub(super) async fn register(
    config: &Config,
    web: &GuardedHttp,
    server: &AuthServer,
    redirect_uri: &str,
) -> Result<Client, Failure> {
    let Some(endpoint) = &server.registration_endpoint else {
        return Err(Failure::settings(format!(
            "expected a client id for {}, which has no dynamic registration, but found none",
            quoted(&server.issuer)
        )));
    };
    let (wanted, name) = wanted_method(server.auth_methods.as_deref());
    let request = json!({
        "client_name": config.name,
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": name,
        "application_type": application_type(redirect_uri),
    });
    let answer = web.post(endpoint, &request).await?;
    if !matches!(answer.status, StatusCode::OK | StatusCode::CREATED) {
        return Err(match serde_json::from_slice::<Rejected>(&answer.body) {
            Ok(rejected) => rejection(&server.issuer, &rejected),
            Err(_) => unexpected(endpoint, answer.status),
        });
    }
    let registered: Registered = serde_json::from_slice(&answer.body).map_err(|_| {
        Failure::server(format!(
            "expected {} to answer with a client, but found something else",
            quoted(&server.issuer)
        ))
    })?;
    let client = registered.into_client(server, wanted, redirect_uri)?;
    let text = serde_json::to_string(&client).map_err(io::Error::other)?;
    config.store.save(&StoreKey::client(&server.issuer), &text).await?;
    Ok(client)
}

impl Client {
    fn new(id: &str, secret: Option<Secret>, method: AuthMethod) -> Self {
        Self { id: id.to_owned(), secret, method, redirect_uris: Vec::new(), expires: None }
    }

    /// Returns whether the client's secret, if it has one, has not expired at the Unix time `now`.
    pub(super) fn is_good(&self, now: u64) -> bool {
        self.expires.is_none_or(|at| at > now)
    }
}

impl Registered {
    /// Returns the registered client. `wanted` is the authentication method that was requested.
    fn into_client(
        self,
        server: &AuthServer,
        wanted: AuthMethod,
        redirect_uri: &str,
    ) -> Result<Client, Failure> {
        let has_secret = self.client_secret.is_some();
        let method = match self.token_endpoint_auth_method.as_deref() {
            Some("none") => AuthMethod::None,
            Some("client_secret_basic") if has_secret => AuthMethod::Basic,
            Some("client_secret_post") if has_secret => AuthMethod::Post,
            Some(other) => {
                return Err(Failure::server(format!(
                    "expected a registration with `none` or a client secret, but found {}",
                    quoted(other)
                )));
            }
            None if wanted == AuthMethod::None || has_secret => wanted,
            None => choose(server.auth_methods.as_deref(), has_secret, false)?,
        };
        let mut redirect_uris = self.redirect_uris.unwrap_or_default();
        // Some authorization servers answer without redirect URIs, others with changed ones. The requested
        // one is registered in any case.
        redirect_uris.push(redirect_uri.to_owned());
        Ok(Client {
            id: self.client_id,
            secret: self.client_secret.map(Secret::new),
            method,
            redirect_uris,
            // Spec: RFC 7591 §3.2.1: 0 means that the secret never expires.
            expires: self.client_secret_expires_at.filter(|&at| at != 0),
        })
    }
}

/// Chooses an authentication method that the authorization server supports and for which the client has the
/// secret or key. Prefers `private_key_jwt`, then `client_secret_basic`, then `client_secret_post`, then
/// `none`.
///
/// `supported` is the server's list. A server without a list counts as supporting every method; RFC 8414 §2
/// says that it supports `client_secret_basic`. A client with neither a secret nor a key is public and uses
/// the method `none`, even if the server does not list that method: many authorization servers accept such
/// clients nevertheless.
fn choose(supported: Option<&[String]>, has_secret: bool, has_key: bool) -> Result<AuthMethod, Failure> {
    let takes = |name: &str| supported.is_none_or(|it| it.iter().any(|method| method == name));
    let by_order = [
        (has_key, "private_key_jwt", AuthMethod::PrivateKeyJwt),
        (has_secret, "client_secret_basic", AuthMethod::Basic),
        (has_secret, "client_secret_post", AuthMethod::Post),
        (true, "none", AuthMethod::None),
    ];
    let found = by_order.iter().find(|(has, name, _)| *has && takes(name)).map(|(.., method)| *method);
    match found {
        Some(method) => Ok(method),
        None if !has_secret && !has_key => Ok(AuthMethod::None),
        None => Err(Failure::settings(format!(
            "expected the authorization server to support the client's authentication method, but found {}",
            quoted(&supported.unwrap_or_default().join(" "))
        ))),
    }
}

/// Returns the authentication method to request at a registration, and its name. It is `none` where the
/// authorization server supports that: a program on a user's machine can't keep a secret.
fn wanted_method(supported: Option<&[String]>) -> (AuthMethod, &'static str) {
    let takes = |name: &str| supported.is_some_and(|it| it.iter().any(|method| method == name));
    match () {
        () if takes("none") => (AuthMethod::None, "none"),
        () if takes("client_secret_post") && !takes("client_secret_basic") => {
            (AuthMethod::Post, "client_secret_post")
        }
        () => (AuthMethod::Basic, "client_secret_basic"),
    }
}

/// Returns the `application_type` of a registration.
///
/// Spec: 2026-07-28 client registration "Application Type": `native` for programs on the user's machine,
/// `web` for those with a redirect URI on the web.
fn application_type(redirect_uri: &str) -> &'static str {
    let is_web = |url: &Url| url.scheme() == "https" && url.host().is_some_and(|host| !is_local(&host));
    if Url::parse(redirect_uri).is_ok_and(|url| is_web(&url)) { "web" } else { "native" }
}

fn rejection(issuer: &str, rejected: &Rejected) -> Failure {
    let why = rejected.error_description.as_deref().unwrap_or_default();
    Failure::denied(format!(
        "the authorization server {} does not register this client: {} {}",
        quoted(issuer),
        quoted(&rejected.error),
        quoted(why)
    ))
}

/// Returns the error for a client id that is registered at another authorization server than the one found:
/// sending the id there would disclose it.
pub(super) fn wrong_issuer(id: &str, registered: &str, found: &str) -> Failure {
    Failure::settings(format!(
        "expected the client {} to be used at {}, where it is registered, but found that the server now belongs to {}",
        quoted(id),
        quoted(registered),
        quoted(found)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(supported: &[&str], secret: bool, key: bool, expected: Option<AuthMethod>) {
        let supported: Vec<String> = supported.iter().map(ToString::to_string).collect();
        let supported = (!supported.is_empty()).then_some(supported.as_slice());
        assert_eq!(choose(supported, secret, key).ok(), expected, "{supported:?} {secret} {key}");
    }

    #[test]
    fn proves_itself_by_what_the_server_takes_in_order_of_strength() {
        let all = ["none", "client_secret_post", "client_secret_basic", "private_key_jwt"];
        check(&all, true, true, Some(AuthMethod::PrivateKeyJwt));
        check(&all, true, false, Some(AuthMethod::Basic));
        check(&["none", "client_secret_post"], true, false, Some(AuthMethod::Post));
        check(&["none"], true, false, Some(AuthMethod::None));
        check(&[], true, false, Some(AuthMethod::Basic));
        check(&all, false, false, Some(AuthMethod::None));
        check(&["client_secret_basic"], false, false, Some(AuthMethod::None));
        check(&["tls_client_auth"], true, false, None);
        check(&["client_secret_basic"], false, true, None);
    }

    #[test]
    fn is_native_unless_it_is_redirected_to_over_the_web() {
        for (uri, expected) in [
            ("http://127.0.0.1:1234/callback", "native"),
            ("http://localhost/callback", "native"),
            ("com.example.app:/callback", "native"),
            ("https://app.example/callback", "web"),
            ("https://localhost:8443/callback", "native"),
        ] {
            assert_eq!(application_type(uri), expected, "{uri}");
        }
    }
}
