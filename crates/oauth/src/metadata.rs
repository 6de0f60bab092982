//! Metadata of an authorization server: its endpoints and abilities (RFC 8414, OpenID Connect Discovery).
//!
//! In: an issuer, or the URL of a server of 2025-03-26, which is its own authorization server. Out: metadata
//! whose `issuer` was checked, with endpoints that the address guard permits (the endpoint for revocation is
//! checked when it is used); or, for a server of 2025-03-26 without metadata, its default endpoints.

use serde::Deserialize;
use url::Url;

use super::fault::{Failure, origin, quoted};
use super::fetch::GuardedHttp;

/// The metadata of an authorization server.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct AuthServer {
    /// The identity of the authorization server. Compared exactly, as text: credentials and answers belong to
    /// this issuer only.
    pub(super) issuer: String,
    pub(super) authorization_endpoint: Option<Url>,
    pub(super) token_endpoint: Url,
    pub(super) registration_endpoint: Option<Url>,
    /// The endpoint that revokes tokens. The address guard checks it only when it is used, so that a bad
    /// endpoint prevents no login.
    pub(super) revocation_endpoint: Option<Url>,
    #[serde(rename = "scopes_supported")]
    pub(super) scopes: Option<Vec<String>>,
    #[serde(rename = "token_endpoint_auth_methods_supported")]
    pub(super) auth_methods: Option<Vec<String>>,
    #[serde(rename = "token_endpoint_auth_signing_alg_values_supported")]
    pub(super) signing_algorithms: Option<Vec<String>>,
    #[serde(rename = "code_challenge_methods_supported")]
    pub(super) challenge_methods: Option<Vec<String>>,
    #[serde(rename = "client_id_metadata_document_supported", default)]
    pub(super) takes_metadata_documents: bool,
    #[serde(rename = "authorization_response_iss_parameter_supported", default)]
    pub(super) sends_issuer: bool,
    /// Further parameters of the authorization endpoint. Metadata has none.
    #[serde(skip)]
    pub(super) parameters: Vec<(String, String)>,
    #[serde(skip)]
    pub(super) known: Known,
}

/// The source of the facts about an authorization server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Known {
    /// Metadata, or the rules of 2025-03-26 for servers without it.
    #[default]
    FromDiscovery,
    /// The settings of the program.
    FromSettings,
}

/// Finds the metadata of `issuer`.
///
/// # Errors
/// If there is no metadata, if it is about another issuer, or if the address guard refuses an endpoint.
pub(super) async fn find(web: &GuardedHttp, issuer: &str) -> Result<AuthServer, Failure> {
    let url = Url::parse(issuer).ok().filter(|it| it.query().is_none() && it.fragment().is_none());
    let url = url.ok_or_else(|| {
        Failure::server(format!("expected an issuer to be a URL without query, but found {}", quoted(issuer)))
    })?;
    for place in metadata_urls(&url) {
        if let Some(found) = web.document::<AuthServer>(&place).await? {
            return checked(web, found, |it| it == issuer, issuer);
        }
    }
    Err(Failure::server(format!(
        "expected metadata of the authorization server {}, but found none",
        quoted(issuer)
    )))
}

/// Finds the metadata of a server of 2025-03-26, which is its own authorization server. If there is none at
/// the root of the server, returns metadata with the default endpoints.
///
/// Spec: 2025-03-26 authorization "Authorization Base URL" and "Fallbacks for Servers without Metadata
/// Discovery".
pub(super) async fn find_at(web: &GuardedHttp, server: &Url) -> Result<AuthServer, Failure> {
    let base = origin(server);
    let at = |path: &str| {
        server.join(path).map_err(|_| Failure::settings("expected the URL of a server to have a host"))
    };
    if let Some(found) = web.document(&at("/.well-known/oauth-authorization-server")?).await? {
        // The base URL is derived, not a text that the server wrote: a slash at its end makes no difference.
        return checked(web, found, |it| it.strip_suffix('/').unwrap_or(it) == base, &base);
    }
    Ok(AuthServer {
        authorization_endpoint: Some(at("/authorize")?),
        token_endpoint: at("/token")?,
        registration_endpoint: Some(at("/register")?),
        revocation_endpoint: None,
        scopes: None,
        auth_methods: None,
        signing_algorithms: None,
        // Spec: 2025-03-26 "Implementation Requirements": PKCE is required of all servers, with or without
        // metadata.
        challenge_methods: Some(vec![S256.to_owned()]),
        takes_metadata_documents: false,
        sends_issuer: false,
        parameters: Vec::new(),
        known: Known::FromDiscovery,
        issuer: base,
    })
}

fn checked(
    web: &GuardedHttp,
    found: AuthServer,
    is_expected: impl Fn(&str) -> bool,
    expected: &str,
) -> Result<AuthServer, Failure> {
    // Spec: RFC 8414 §3.3: the issuers must be identical, so they are compared as text.
    if !is_expected(&found.issuer) {
        return Err(Failure::server(format!(
            "expected metadata of the issuer {}, but found that of {}",
            quoted(expected),
            quoted(&found.issuer)
        )));
    }
    let endpoints = [found.authorization_endpoint.as_ref(), found.registration_endpoint.as_ref()];
    endpoints.into_iter().flatten().chain([&found.token_endpoint]).try_for_each(|it| web.check(it))?;
    Ok(found)
}

/// Returns the URLs where the metadata of an issuer may be, in the order in which to try them.
fn metadata_urls(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let mut paths = vec![
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        paths.push(format!("{path}/.well-known/openid-configuration"));
    }
    let at = |place: String| {
        // Not `join`: it would read a path that begins with two slashes as another host.
        let mut url = issuer.clone();
        url.set_path(&place);
        url
    };
    paths.into_iter().map(at).collect()
}

/// The only method of PKCE that hides the verifier.
pub(super) const S256: &str = "S256";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(issuer: &str, expected: &[&str]) {
        let found = metadata_urls(&Url::parse(issuer).expect("a URL"));
        assert_eq!(found.iter().map(Url::as_str).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn looks_in_three_places_for_an_issuer_with_a_path_and_in_two_without() {
        check(
            "https://a.example/tenant1",
            &[
                "https://a.example/.well-known/oauth-authorization-server/tenant1",
                "https://a.example/.well-known/openid-configuration/tenant1",
                "https://a.example/tenant1/.well-known/openid-configuration",
            ],
        );
        let root = [
            "https://a.example/.well-known/oauth-authorization-server",
            "https://a.example/.well-known/openid-configuration",
        ];
        check("https://a.example", &root);
        check("https://a.example/", &root);
    }

    #[test]
    fn a_path_that_looks_like_a_host_stays_a_path() {
        for place in metadata_urls(&Url::parse("https://a.example//evil.example/x").expect("a URL")) {
            assert_eq!(place.host_str(), Some("a.example"), "{place}");
        }
    }
}
