//! One MCP server and its tokens: decides what to do before a request is sent, and after one was refused.
//!
//! In: requests and refusals, many at a time. Out: headers, or permission to send a request again. A call
//! that changes the tokens holds the lock `changing`. So if many calls need new tokens, one of them gets the
//! tokens, and the others take its result, even if it is a failure.
//!
//! Transitions: no tokens → tokens, by a login or from the store; tokens → expiring tokens, with time;
//! expiring tokens → tokens, by a refresh; tokens → other tokens, after a refusal; any → no tokens, after a
//! logout, an ended grant, or a move to another authorization server.

use std::collections::BTreeMap;
use std::future::Future;
use std::mem::{Discriminant, discriminant};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, StatusCode};
use plainwire::client::http::address_guard::{AddressGuard, is_local};
use plainwire::client::http::{Refused, shown};
use serde::{Deserialize, Serialize};
use url::Url;

use super::builder::{Config, Grant};
use super::challenge::Challenge;
use super::fault::{Failure, origin, quoted};
use super::fetch::GuardedHttp;
use super::metadata::AuthServer;
use super::refresh::{self, Refreshed};
use super::revocation;
use super::scope::Scopes;
use super::signed_in::{LoggedOut, SignedIn};
use super::store::StoreKey;
use super::token::Tokens;

mod changing;
mod finding;
mod login;

/// The tokens for one MCP server, and the data that is needed to get them.
#[derive(Debug)]
pub(super) struct Session {
    config: Arc<Config>,
    server: Url,
    /// The canonical URL of the MCP server. Its tokens are stored under this name.
    name: String,
    guard: Arc<AddressGuard>,
    /// The HTTP client, created at the first use.
    web: OnceLock<GuardedHttp>,
    /// The state that all calls share. Never locked across an `.await`.
    state: Mutex<SessionState>,
    /// Locked by the call that changes tokens. If the future of that call is dropped, its refresh continues
    /// in a task of its own and stores the tokens; the next call takes the result from here.
    changing: tokio::sync::Mutex<TokenChange>,
}

/// The state of a session that all its calls share.
#[derive(Debug, Default)]
struct SessionState {
    /// Whether the tokens in the store have been loaded.
    has_loaded: bool,
    /// The tokens for requests to the MCP server; `None` without a login.
    held: Option<Arc<HeldTokens>>,
    /// The result of the newest discovery; `None` before the first.
    discovered: Option<Arc<Discovered>>,
    /// The URL of the MCP server's metadata, as the server last named it; `None` if it has named none.
    metadata_url: Option<String>,
    /// The number of token changes that have failed. For the newest failed change, also the kind of its
    /// [`Purpose`], and the failure.
    failures: (u64, Option<(Discriminant<Purpose>, Failure)>),
    /// The number of logins because of refusals, by the scopes that the refusal required.
    step_ups: BTreeMap<String, u32>,
}

/// Tokens, and the issuer that has issued them.
#[derive(Debug)]
struct HeldTokens {
    issuer: String,
    tokens: Arc<Tokens>,
}

/// The result of discovery: facts from an MCP server's metadata, and its authorization server.
#[derive(Debug)]
struct Discovered {
    /// The value of the parameter `resource` of token requests (RFC 8707); `None` leaves it out.
    resource: Option<String>,
    /// The `scopes_supported` of the MCP server; `None` if it lists none.
    scopes: Option<Scopes>,
    server: Arc<AuthServer>,
}

/// The stored record of an MCP server: its issuer, and the URL of its metadata.
#[derive(Serialize, Deserialize)]
struct ServerRecord {
    issuer: String,
    metadata_url: Option<String>,
}

/// The right to change the tokens of a session: the contents of the lock `changing`.
#[derive(Default)]
struct TokenChange {
    /// The refresh whose result has not been taken yet; `None` if there is none.
    refresh: Option<RunningRefresh>,
}

/// A refresh in a task of its own, and the issuer of the tokens that it refreshes.
struct RunningRefresh {
    issuer: String,
    /// The future that waits for the task's result.
    work: Pin<Box<dyn Future<Output = Result<Refreshed, Failure>> + Send>>,
}

impl Session {
    pub(super) fn new(config: Arc<Config>, server: &Url, name: String) -> Result<Self, Failure> {
        if server.scheme() != "https" && !server.host().is_some_and(|host| is_local(&host)) {
            let found = quoted(&origin(server));
            return Err(Failure::settings(format!(
                "expected a server that needs tokens to have an https URL, but found {found}"
            )));
        }
        // The user chose the endpoints of the settings, as they chose the server.
        let home = config.endpoints.as_ref().map_or(server, |it| &it.token);
        let guard =
            AddressGuard::new(home, config.private).map_err(|it| Failure::settings(it.to_string()))?;
        let guard = Arc::new(guard);
        let (server, web) = (server.clone(), OnceLock::new());
        Ok(Self {
            config,
            server,
            name,
            guard,
            web,
            state: Mutex::default(),
            changing: tokio::sync::Mutex::default(),
        })
    }

    /// Returns the headers with the access token for a request that is about to be sent; none without good
    /// tokens. Renews tokens that are about to expire.
    pub(super) async fn headers(&self) -> Result<HeaderMap, Failure> {
        self.load().await?;
        let Some(held) = self.held() else { return Ok(HeaderMap::new()) };
        let now = now();
        if !held.tokens.is_about_to_end(now) {
            return bearer(&held.tokens);
        }
        if self.config.grant == Grant::ClientCredentials || held.tokens.refresh.is_some() {
            let is_old = |it: &HeldTokens| it.tokens.access == held.tokens.access;
            match self.change_tokens(is_old, Purpose::Renew).await {
                // The old token is still good for some seconds.
                Err(_) if !held.tokens.has_ended(now) => return bearer(&held.tokens),
                done => done?,
            }
        }
        // Without good tokens, the request is sent without a header: if the server refuses it, the refusal
        // says what the server requires.
        self.held()
            .filter(|it| !it.tokens.has_ended(now))
            .map_or(Ok(HeaderMap::new()), |it| bearer(&it.tokens))
    }

    /// Gets another token after a refusal. Returns an error if sending the request again can't help.
    pub(super) async fn challenged(&self, refused: Refused<'_>) -> Result<(), Failure> {
        let challenge = Challenge::of(refused.headers);
        if refused.attempt >= MAX_ATTEMPTS {
            return Err(Failure::denied(format!(
                "{} still answers {} after {} attempts",
                self.shown(),
                refused.status,
                refused.attempt
            )));
        }
        self.load().await?;
        let sent = refused.sent.get(AUTHORIZATION);
        match refused.status {
            StatusCode::UNAUTHORIZED => {
                let now = now();
                self.change_tokens(
                    |it| it.is_refused(sent, now),
                    Purpose::Replace { challenge, attempt: refused.attempt },
                )
                .await
            }
            StatusCode::FORBIDDEN if challenge.error.as_deref() == Some("insufficient_scope") => {
                let covers = |held: &HeldTokens| {
                    let scope = challenge.scope.as_ref();
                    held.is_sent(sent) || !scope.is_some_and(|it| held.tokens.scopes().includes(it))
                };
                self.change_tokens(covers, Purpose::StepUp(challenge.clone())).await
            }
            status => Err(Failure::denied(format!("{} answers {status}", self.shown()))),
        }
    }

    pub(super) async fn login(&self) -> Result<(), Failure> {
        self.load().await?;
        let does = |it: &HeldTokens| {
            !it.tokens.is_about_to_end(now()) && it.tokens.all_scopes().includes(&self.config.scopes)
        };
        if self.held().is_some_and(|it| does(&it)) {
            return Ok(());
        }
        // A refresh would yield the old scopes, so the highest attempt number skips it.
        let has_scopes = self.held().is_none_or(|it| it.tokens.all_scopes().includes(&self.config.scopes));
        let attempt = if has_scopes { 0 } else { MAX_ATTEMPTS };
        let purpose = Purpose::Replace { challenge: Challenge::default(), attempt };
        self.change_tokens(|it| !does(it), purpose).await
    }

    pub(super) async fn signed_in(&self) -> Result<Option<SignedIn>, Failure> {
        self.load().await?;
        Ok(self.held().map(|it| SignedIn::of(&it.issuer, &it.tokens)))
    }

    pub(super) async fn logout(&self) -> Result<LoggedOut, Failure> {
        self.load().await?;
        let mut change = self.changing.lock().await;
        // Lets a running refresh end first, so that it does not store tokens after the logout. Its result is
        // not needed.
        let _ = self.finish_refresh(&mut change).await;
        let held = self.state().held.take();
        let Some(held) = held else {
            self.config.store.remove(&StoreKey::server(&self.name)).await?;
            return Ok(LoggedOut::Nothing);
        };
        let key = self.tokens_key(&held.issuer);
        // Under the lock: another process that is renewing the tokens would store them again after the
        // logout. It may also have stored newer tokens: then these are revoked.
        let _held = self.config.store.lock(&key).await?;
        let kept =
            refresh::load(&self.config, &key).await?.map_or_else(|| Arc::clone(&held.tokens), Arc::new);
        self.config.store.remove(&key).await?;
        self.config.store.remove(&StoreKey::server(&self.name)).await?;
        let told = self.revoke(&held.issuer, &kept).await;
        self.state().discovered = None;
        Ok(told.unwrap_or_else(|failure| LoggedOut::Unrevoked(failure.message)))
    }

    /// Revokes tokens, if the MCP server still belongs to the authorization server that issued them, and if that
    /// authorization server has a revocation endpoint. Otherwise returns [`LoggedOut::Forgotten`].
    async fn revoke(&self, issuer: &str, tokens: &Tokens) -> Result<LoggedOut, Failure> {
        let found = self.discovered(&Challenge::default()).await?;
        let endpoint = found.server.revocation_endpoint.as_ref().filter(|_| found.server.issuer == issuer);
        let Some(endpoint) = endpoint else { return Ok(LoggedOut::Forgotten) };
        let web = self.web()?;
        revocation::revoke(&self.endpoint(&web, &found, &tokens.client), endpoint, tokens).await?;
        Ok(LoggedOut::Revoked)
    }

    /// Changes the tokens for `purpose`, one call at a time. `is_stale` returns whether given tokens have to
    /// be replaced; it returns `false` for tokens that another call has obtained meanwhile, and then nothing
    /// is changed.
    async fn change_tokens(
        &self,
        is_stale: impl Fn(&HeldTokens) -> bool,
        purpose: Purpose,
    ) -> Result<(), Failure> {
        let ticket = self.state().failures.0;
        let mut change = self.changing.lock().await;
        // The outcome shows in `held`, which is checked next.
        let _ = self.finish_refresh(&mut change).await;
        if self.held().is_some_and(|it| !is_stale(&it)) {
            return Ok(());
        }
        let kind = discriminant(&purpose);
        if let (failed, Some((failed_kind, failure))) = &self.state().failures
            && *failed != ticket
            && *failed_kind == kind
        {
            // This call waited while another one failed. It returns that failure instead of trying again:
            // fifty waiting calls would make fifty attempts.
            return Err(failure.clone());
        }
        let done = match purpose {
            Purpose::Renew => self.renew(&mut change).await,
            Purpose::Replace { challenge, attempt } => self.replace(&mut change, &challenge, attempt).await,
            Purpose::StepUp(challenge) => self.step_up(&challenge).await,
        };
        if let Err(failure) = &done {
            let mut state = self.state();
            state.failures = (state.failures.0 + 1, Some((kind, failure.clone())));
        }
        done
    }

    /// Returns the URL of the MCP server as messages show it: without the values of its query, which may be
    /// secret.
    fn shown(&self) -> String {
        quoted(&shown(&self.name))
    }

    fn tokens_key(&self, issuer: &str) -> StoreKey {
        StoreKey::tokens(issuer, &self.name)
    }

    fn web(&self) -> Result<GuardedHttp, Failure> {
        if let Some(web) = self.web.get() {
            return Ok(web.clone());
        }
        let web = GuardedHttp::new(Arc::clone(&self.guard), &self.config.authorities)?;
        Ok(self.web.get_or_init(|| web).clone())
    }

    fn held(&self) -> Option<Arc<HeldTokens>> {
        self.state().held.clone()
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        // The code under this lock leaves no partial change behind, so a poisoned lock is still good.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reason for a token change.
enum Purpose {
    /// The tokens are about to expire.
    Renew,
    /// The server refuses the tokens, or there are none.
    Replace { challenge: Challenge, attempt: u32 },
    /// The tokens lack a scope that the server requires.
    StepUp(Challenge),
}

impl HeldTokens {
    /// Returns whether the refusal of a request with the header `sent` is one of these tokens. A request without the
    /// header was sent before there were tokens, or after these had ended at `now`.
    fn is_refused(&self, sent: Option<&HeaderValue>, now: u64) -> bool {
        self.is_sent(sent) || (sent.is_none() && self.tokens.has_ended(now))
    }

    /// Returns whether `sent` is the header of these tokens. Returns `false` for a request without the
    /// header.
    fn is_sent(&self, sent: Option<&HeaderValue>) -> bool {
        sent.is_some_and(|it| {
            it.as_bytes().strip_prefix(BEARER.as_bytes()) == Some(self.tokens.access.reveal().as_bytes())
        })
    }
}

impl std::fmt::Debug for TokenChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenChange").field("refreshes", &self.refresh.is_some()).finish()
    }
}

/// Returns the `Authorization` header with the access token.
fn bearer(tokens: &Tokens) -> Result<HeaderMap, Failure> {
    let value = HeaderValue::from_str(&format!("{BEARER}{}", tokens.access.reveal()));
    let mut value = value
        .map_err(|_| Failure::server("expected a token that fits a header, but found one that does not"))?;
    value.set_sensitive(true);
    Ok(HeaderMap::from_iter([(AUTHORIZATION, value)]))
}

/// Returns the Unix time in seconds.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

const BEARER: &str = "Bearer ";
/// Most attempts for one request, and most logins for one set of scopes. Three: one for a token that has
/// expired, one for a grant that has ended, one for a missing scope.
///
/// Spec: 2026-07-28 authorization "Step-Up Authorization Flow": no more than a few times.
const MAX_ATTEMPTS: u32 = 3;
