//! The authorization code flow, with PKCE and `state`.
//!
//! In: an authorization server, the client, scopes, and the redirect by which the user signs in. Out: tokens.
//! The verifier and the `state` exist only within one call of `run`.

use oauth2::basic::BasicClient;
use oauth2::{AuthUrl, ClientId, CsrfToken, PkceCodeChallenge, RedirectUrl, Scope};
use url::Url;

use super::fault::{Failure, quoted};
use super::metadata::{AuthServer, Known, S256};
use super::redirect::PreparedRedirect;
use super::scope::Scopes;
use super::secret::Secret;
use super::token::{TokenEndpoint, TokenFault, Tokens};

/// Lets the user sign in at the authorization server, and exchanges the code for tokens.
pub(super) async fn run(
    endpoint: &TokenEndpoint<'_>,
    redirect: PreparedRedirect,
    scopes: Option<Scopes>,
) -> Result<Tokens, TokenFault> {
    let server = endpoint.server;
    check_pkce(server)?;
    let to = server.authorization_endpoint.clone();
    let to = to.ok_or_else(|| Failure::server("expected the metadata to have an authorization endpoint"))?;
    let redirect_uri = RedirectUrl::new(redirect.redirect_uri().to_owned())
        .map_err(|_| Failure::settings("expected the redirect URI to be a URL"))?;
    let requests = BasicClient::new(ClientId::new(endpoint.client.id.clone()))
        .set_auth_uri(AuthUrl::from_url(to))
        .set_redirect_uri(redirect_uri.clone());
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let mut request = requests
        .authorize_url(CsrfToken::new_random)
        .set_pkce_challenge(challenge)
        .add_scopes(scopes.iter().flat_map(Scopes::iter).map(|it| Scope::new(it.to_owned())));
    if let Some(resource) = endpoint.resource {
        request = request.add_extra_param("resource", resource);
    }
    for (name, value) in &server.parameters {
        request = request.add_extra_param(name, value);
    }
    let (url, state) = request.url();
    let end = redirect.run(url, state.secret()).await?;
    let code = code(&end, redirect_uri.url(), state.secret(), server)?;
    endpoint.redeem(&code, verifier, &redirect_uri, scopes).await
}

/// Checks that the authorization server supports PKCE with `S256`.
///
/// Spec: 2025-11-25 and 2026-07-28 "Authorization Code Protection": metadata without
/// `code_challenge_methods_supported` means no PKCE, and then the login must not proceed.
fn check_pkce(server: &AuthServer) -> Result<(), Failure> {
    let methods = server.challenge_methods.as_deref().unwrap_or_default();
    if methods.iter().any(|it| it == S256) {
        return Ok(());
    }
    Err(Failure::server(format!(
        "expected the authorization server {} to support PKCE with {S256}, but found {}",
        quoted(&server.issuer),
        quoted(&methods.join(" "))
    )))
}

/// Checks `end`, the URL of the redirect, and returns the code in it. The address, `state` and `iss` are
/// checked first. The URL may come from another server or login, so nothing else in it is used or shown
/// until these checks have passed.
fn code(end: &Url, redirect_uri: &Url, state: &str, server: &AuthServer) -> Result<Secret, Failure> {
    // Origins can't be compared: URLs with a private-use scheme of an app have none.
    let place = |url: &Url| {
        let host = url.host_str().map(ToOwned::to_owned);
        (url.scheme().to_owned(), host, url.port_or_known_default(), url.path().to_owned())
    };
    if place(end) != place(redirect_uri) {
        return Err(Failure::server("expected to end at the redirect URI, but found another URL"));
    }
    let parameter = |name: &str| {
        let mut values = end.query_pairs().filter(|(it, _)| it == name).map(|(_, value)| value.into_owned());
        let first = values.next();
        // Spec: RFC 6749 §3.1: no parameter may appear twice.
        if values.next().is_some() {
            return Err(Failure::server(format!("expected one `{name}` in the redirect, but found more")));
        }
        Ok(first)
    };
    if parameter("state")?.as_deref() != Some(state) {
        return Err(Failure::server(
            "expected the redirect to have the `state` of this login, but found another",
        ));
    }
    check_issuer(parameter("iss")?.as_deref(), server)?;
    if let Some(error) = parameter("error")? {
        let why = parameter("error_description")?.unwrap_or_default();
        let issuer = quoted(&server.issuer);
        return Err(Failure::denied(format!(
            "{issuer} refused the login: {} {}",
            quoted(&error),
            quoted(&why)
        )));
    }
    let code = parameter("code")?.filter(|it| !it.is_empty());
    code.map(Secret::new)
        .ok_or_else(|| Failure::server("expected the redirect to have a `code`, but found none"))
}

/// Checks the `iss` of a redirect.
///
/// Spec: 2026-07-28 authorization "Authorization Response Validation", which is RFC 9207 §2.4: `iss` is
/// compared as text, even if the metadata does not announce this parameter.
fn check_issuer(found: Option<&str>, server: &AuthServer) -> Result<(), Failure> {
    match found {
        // Nobody has said by which text this server names itself.
        _ if server.known == Known::FromSettings => Ok(()),
        Some(found) if found == server.issuer => Ok(()),
        None if !server.sends_issuer => Ok(()),
        Some(_) => Err(Failure::server(format!(
            "expected an answer of {}, but found `iss` of another server",
            quoted(&server.issuer)
        ))),
        None => Err(Failure::server(format!(
            "expected an answer of {} with `iss`, which its metadata announces, but found none",
            quoted(&server.issuer)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(sends_issuer: &str) -> AuthServer {
        let text = format!(
            r#"{{"issuer": "https://as.example", "token_endpoint": "https://as.example/token",
                "authorization_response_iss_parameter_supported": {sends_issuer}}}"#
        );
        serde_json::from_str(&text).expect("metadata")
    }

    #[track_caller]
    fn check(sends_issuer: &str, end: &str) -> Result<String, String> {
        let (end, home) = (Url::parse(end), Url::parse("http://127.0.0.1:1/callback"));
        let found = code(&end.expect("a URL"), &home.expect("a URL"), "s1", &server(sends_issuer));
        found.map(|it| it.reveal().to_owned()).map_err(|it| it.message)
    }

    const GOOD: &str = "http://127.0.0.1:1/callback?code=c&state=s1";

    #[test]
    fn takes_a_code_with_the_right_state() {
        assert_eq!(check("false", GOOD), Ok("c".to_owned()));
        for end in [
            "http://127.0.0.1:1/callback?code=c",
            "http://127.0.0.1:1/callback?code=c&state=s2",
            "http://127.0.0.1:1/callback?code=c&state=s1&state=s1",
            "http://127.0.0.1:1/callback?code=c&code=d&state=s1",
            "http://127.0.0.1:1/callback?code=&state=s1",
            "http://127.0.0.1:1/callback?state=s1",
            "http://127.0.0.1:2/callback?code=c&state=s1",
            "http://127.0.0.1:1/other?code=c&state=s1",
            "http://evil.example:1/callback?code=c&state=s1",
            "https://127.0.0.1:1/callback?code=c&state=s1",
        ] {
            assert!(check("false", end).is_err(), "{end}");
        }
    }

    #[test]
    fn the_issuer_is_compared_to_the_letter() {
        let with = |iss: &str| format!("{GOOD}&iss={iss}");
        for announced in ["true", "false"] {
            assert_eq!(check(announced, &with("https%3A%2F%2Fas.example")), Ok("c".to_owned()));
            for other in [
                "https://as.example/",
                "https://AS.example",
                "HTTPS://as.example",
                "https://as.example:443",
                "https://%2561s.example",
                "https://evil.example",
                "",
            ] {
                assert!(check(announced, &with(other)).is_err(), "{announced} {other}");
            }
        }
        assert!(check("true", GOOD).is_err());
        assert!(check("true", &format!("{}&iss=https://evil.example", with("https://as.example"))).is_err());
    }

    #[test]
    fn an_error_is_shown_only_if_it_comes_from_the_right_server() {
        let end = "http://127.0.0.1:1/callback?error=access_denied&error_description=Call+555&state=s1";
        let shown = check("false", end).expect_err("an error");
        assert!(shown.contains("access_denied") && shown.contains("Call 555"), "{shown}");
        for hidden in [check("true", end), check("false", &format!("{end}&iss=https://evil.example"))] {
            let hidden = hidden.expect_err("an error");
            assert!(!hidden.contains("denied") && !hidden.contains("555"), "{hidden}");
        }
        let foreign = check("false", &end.replace("s1", "s2")).expect_err("an error");
        assert!(!foreign.contains("555"), "{foreign}");
    }
}
