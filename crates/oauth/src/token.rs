//! Requests to the token endpoint, and their answers.
//!
//! In: a code, a refresh token, or only the client's credentials. Out: [`Tokens`]. `oauth2` writes the
//! requests; each of them has `resource` (RFC 8707). Only `Bearer` tokens are accepted.

use std::time::Duration;

use oauth2::basic::{
    BasicClient, BasicErrorResponse, BasicErrorResponseType, BasicTokenResponse, BasicTokenType,
};
use oauth2::{
    AuthType, AuthorizationCode, ClientId, ClientSecret, EndpointNotSet, EndpointSet, PkceCodeVerifier,
    RedirectUrl, RefreshToken, RequestTokenError, Scope, TokenResponse, TokenUrl,
};
use serde::{Deserialize, Serialize};

use super::assertion::SigningKey;
use super::fault::{Failure, quoted};
use super::fetch::GuardedHttp;
use super::metadata::AuthServer;
use super::registration::{AuthMethod, Client};
use super::scope::Scopes;
use super::secret::Secret;

/// The tokens of a login, as they are stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tokens {
    pub(super) access: Secret,
    pub(super) refresh: Option<Secret>,
    /// The Unix time in seconds at which the access token expires; `None` if that is not known.
    pub(super) expires: Option<u64>,
    /// The lifetime of the access token in seconds; `None` if the answer did not state it.
    lifetime: Option<u64>,
    /// The scopes that the login requested; `None` if it named none.
    pub(super) requested: Option<Scopes>,
    /// The scopes that the authorization server granted; `None` if its answer did not name them.
    granted: Option<Scopes>,
    /// The client that the tokens were issued to. A copy, not its id: a later login may have registered
    /// another client.
    pub(super) client: Client,
}

/// The reason why a token request has brought no tokens.
#[derive(Debug)]
pub(super) enum TokenFault {
    /// The authorization server does not know the client, or no longer accepts it.
    Client,
    /// The authorization server does not accept the code or refresh token.
    Grant,
    Other(Failure),
}

/// A token endpoint, and the client that sends requests to it.
#[derive(Debug)]
pub(super) struct TokenEndpoint<'e> {
    pub(super) web: &'e GuardedHttp,
    pub(super) server: &'e AuthServer,
    pub(super) client: &'e Client,
    /// The private key for `private_key_jwt`; `None` if the program has set none.
    pub(super) key: Option<&'e SigningKey>,
    /// The value of the parameter `resource` of token requests (RFC 8707); `None` leaves it out.
    pub(super) resource: Option<&'e str>,
    /// The current Unix time, in seconds.
    pub(super) now: u64,
}

type Requests = BasicClient<EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;
type Parameters = Vec<(&'static str, String)>;
type Answered<T> = Result<BasicTokenResponse, RequestTokenError<T, BasicErrorResponse>>;

impl TokenEndpoint<'_> {
    /// Exchanges an authorization code for tokens.
    pub(super) async fn redeem(
        &self,
        code: &Secret,
        verifier: PkceCodeVerifier,
        redirect_uri: &RedirectUrl,
        requested: Option<Scopes>,
    ) -> Result<Tokens, TokenFault> {
        let (requests, extra) = self.requests()?;
        let requests = requests.set_redirect_uri(redirect_uri.clone());
        let code = code.reveal();
        let mut request =
            requests.exchange_code(AuthorizationCode::new(code.to_owned())).set_pkce_verifier(verifier);
        for (name, value) in extra {
            request = request.add_extra_param(name, value);
        }
        let answer = request.request_async(self.web).await;
        self.tokens(answer, requested, &[code])
    }

    /// Exchanges the refresh token of `old` for tokens. If the answer has no new refresh token, the old one
    /// stays in use.
    pub(super) async fn refresh(&self, old: &Tokens) -> Result<Tokens, TokenFault> {
        let secret = old.refresh.as_ref().ok_or(TokenFault::Grant)?;
        let (requests, extra) = self.requests()?;
        let refresh = RefreshToken::new(secret.reveal().to_owned());
        let mut request = requests.exchange_refresh_token(&refresh);
        for (name, value) in extra {
            request = request.add_extra_param(name, value);
        }
        let answer = request.request_async(self.web).await;
        let mut tokens = self.tokens(answer, old.requested.clone(), &[secret.reveal()])?;
        tokens.refresh = tokens.refresh.or_else(|| old.refresh.clone());
        tokens.granted = tokens.granted.or_else(|| old.granted.clone());
        Ok(tokens)
    }

    /// Requests a token for the client itself (`client_credentials`), without a user.
    pub(super) async fn client_credentials(&self, scopes: Option<Scopes>) -> Result<Tokens, TokenFault> {
        let (requests, extra) = self.requests()?;
        let mut request = requests.exchange_client_credentials();
        for scope in scopes.iter().flat_map(Scopes::iter) {
            request = request.add_scope(Scope::new(scope.to_owned()));
        }
        for (name, value) in extra {
            request = request.add_extra_param(name, value);
        }
        let answer = request.request_async(self.web).await;
        self.tokens(answer, scopes, &[])
    }

    /// Returns a builder for requests of this client, and the parameters to add to each request.
    fn requests(&self) -> Result<(Requests, Parameters), TokenFault> {
        let url = TokenUrl::from_url(self.server.token_endpoint.clone());
        let requests = BasicClient::new(ClientId::new(self.client.id.clone())).set_token_uri(url);
        let secret = || self.client.secret.as_ref().map(|it| ClientSecret::new(it.reveal().to_owned()));
        let mut extra: Parameters = self.resource.iter().map(|it| ("resource", (*it).to_owned())).collect();
        let (requests, secret) = match self.client.method {
            AuthMethod::Basic => (requests.set_auth_type(AuthType::BasicAuth), secret()),
            AuthMethod::Post => (requests.set_auth_type(AuthType::RequestBody), secret()),
            AuthMethod::None => (requests.set_auth_type(AuthType::RequestBody), None),
            AuthMethod::PrivateKeyJwt => {
                extra.extend(self.assertion().map_err(TokenFault::Other)?);
                (requests.set_auth_type(AuthType::RequestBody), None)
            }
        };
        Ok((secret.into_iter().fold(requests, Requests::set_client_secret), extra))
    }

    /// Returns the parameters with the client's signed assertion.
    ///
    /// Spec: RFC 7523 §2.2, with the issuer as audience.
    pub(super) fn assertion(&self) -> Result<[(&'static str, String); 2], Failure> {
        let key =
            self.key.ok_or_else(|| Failure::settings("expected a private key for `private_key_jwt`"))?;
        let supported = self.server.signing_algorithms.as_deref();
        if supported.is_some_and(|it| !it.iter().any(|name| name == key.algorithm())) {
            return Err(Failure::settings(format!(
                "expected the authorization server to take {}, the algorithm of the private key, but found {}",
                key.algorithm(),
                quoted(&supported.unwrap_or_default().join(" "))
            )));
        }
        let assertion = key.assertion(&self.client.id, &self.server.issuer, self.now)?;
        let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer".to_owned();
        Ok([("client_assertion_type", kind), ("client_assertion", assertion)])
    }

    /// Returns the tokens in an answer. `sent` are the secrets in the request, which an error must not
    /// repeat.
    fn tokens(
        &self,
        answer: Answered<Failure>,
        requested: Option<Scopes>,
        sent: &[&str],
    ) -> Result<Tokens, TokenFault> {
        let answer = answer.map_err(|error| self.fault(error, sent))?;
        if *answer.token_type() != BasicTokenType::Bearer {
            return Err(TokenFault::Other(Failure::server(format!(
                "expected a token of type Bearer from {}, but found another type",
                quoted(&self.server.issuer)
            ))));
        }
        let lifetime = answer.expires_in().as_ref().map(Duration::as_secs);
        let granted = answer.scopes().map(|it| it.iter().map(|scope| scope.to_string()).collect::<Scopes>());
        Ok(Tokens {
            access: Secret::new(answer.access_token().secret().as_str()),
            refresh: answer.refresh_token().map(|it| Secret::new(it.secret().as_str())),
            expires: lifetime.map(|it| self.now.saturating_add(it)),
            lifetime,
            requested,
            granted: granted.filter(|it| !it.is_empty()),
            client: self.client.clone(),
        })
    }

    /// Classifies the error of a token request. The message quotes the server's text, unless that text
    /// repeats a secret that was sent.
    fn fault(&self, error: RequestTokenError<Failure, BasicErrorResponse>, sent: &[&str]) -> TokenFault {
        let issuer = quoted(&self.server.issuer);
        let answer = match error {
            RequestTokenError::Request(failure) => return TokenFault::Other(failure),
            RequestTokenError::ServerResponse(answer) => answer,
            RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
                let message = format!("expected a token from {issuer}, but found another answer");
                return TokenFault::Other(Failure::server(message));
            }
        };
        match answer.error() {
            BasicErrorResponseType::InvalidGrant => TokenFault::Grant,
            BasicErrorResponseType::InvalidClient | BasicErrorResponseType::UnauthorizedClient => {
                TokenFault::Client
            }
            error => {
                let why = format!("{error} {}", answer.error_description().map_or("", String::as_str));
                let own = self.client.secret.as_ref().map(Secret::reveal);
                let tells = sent.iter().copied().chain(own).any(|it| why.contains(it));
                let why = if tells { quoted("(it repeats a secret)") } else { quoted(why.trim_end()) };
                TokenFault::Other(Failure::denied(format!("{issuer} refused the token request: {why}")))
            }
        }
    }
}

impl Tokens {
    /// Returns the scopes of the access token: those that were granted, else those that were requested.
    pub(super) fn scopes(&self) -> Scopes {
        self.granted.as_ref().or(self.requested.as_ref()).cloned().unwrap_or_default()
    }

    /// Returns the scopes that were requested or granted, to include them in the next request.
    pub(super) fn all_scopes(&self) -> Scopes {
        self.requested.clone().unwrap_or_default().union(&self.scopes())
    }

    /// Returns whether the access token has expired at the Unix time `now`.
    pub(super) fn has_ended(&self, now: u64) -> bool {
        self.expires.is_some_and(|at| at <= now)
    }

    /// Returns whether the access token may expire while a request is under way: within 30 s, or within a
    /// quarter of its lifetime if that is shorter.
    pub(super) fn is_about_to_end(&self, now: u64) -> bool {
        let margin = self.lifetime.map_or(MARGIN, |it| MARGIN.min(it / 4));
        self.expires.is_some_and(|at| at <= now.saturating_add(margin))
    }
}

impl From<Failure> for TokenFault {
    fn from(failure: Failure) -> Self {
        Self::Other(failure)
    }
}

/// Seconds before its expiry at which a token is renewed. More than a request takes, and more than clocks
/// differ.
const MARGIN: u64 = 30;

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns tokens that expire at the Unix time 10,000, after the given lifetime in seconds.
    fn tokens(lifetime: &str) -> Tokens {
        let text = format!(
            r#"{{"access": "a", "expires": 10000, "lifetime": {lifetime},
                "client": {{"id": "c", "method": "none"}}}}"#
        );
        serde_json::from_str(&text).expect("tokens")
    }

    #[test]
    fn a_token_is_renewed_30_s_before_it_expires_or_in_the_last_quarter_of_its_lifetime() {
        for (lifetime, margin) in [("3600", 30), ("null", 30), ("120", 30), ("119", 29), ("60", 15), ("0", 0)]
        {
            let tokens = tokens(lifetime);
            assert!(!tokens.is_about_to_end(10_000 - margin - 1), "{lifetime}");
            assert!(tokens.is_about_to_end(10_000 - margin), "{lifetime}");
        }
        let endless = Tokens { expires: None, ..tokens("null") };
        assert!(!endless.is_about_to_end(u64::MAX));
    }
}
