//! One server and its tokens: what to do when a request is about to be sent, and when one was refused.
//!
//! In: requests and refusals, many at a time. Out: headers, or the news that a request is worth another try. Whoever changes tokens
//! holds `flight`, so that of many calls one renews and the others take what it got, a failure included.
//!
//! States: nothing known → tokens (a login, or the store) → tokens that end (a refresh) → nothing known (logout, a grant that is gone,
//! another authorization server).

use std::collections::BTreeMap;
use std::future::Future;
use std::mem::{Discriminant, discriminant};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use url::Url;

use super::builder::{Config, Grant};
use super::challenge::Challenge;
use super::fault::{Failure, quoted};
use super::fetch::Web;
use super::guard::Guard;
use super::metadata::AuthServer;
use super::refresh::{self, Refreshed};
use super::revocation;
use super::scope::Scopes;
use super::signed_in::{LoggedOut, SignedIn};
use super::store::StoreKey;
use super::token::Tokens;
use crate::client::http::{Refused, shown};

mod changing;
mod finding;
mod login;

/// One server.
#[derive(Debug)]
pub(super) struct Session {
    config: Arc<Config>,
    server: Url,
    /// The canonical URL of the server, by which its tokens are kept.
    name: String,
    guard: Guard,
    web: OnceLock<Web>,
    /// Never held while anything is waited for.
    state: Mutex<State>,
    /// Held by who is about to change tokens. A refresh whose caller has left goes on by itself, and keeps what it gets; the next
    /// caller takes it from here.
    flight: tokio::sync::Mutex<Flight>,
}

#[derive(Debug, Default)]
struct State {
    /// Whether the store was asked.
    has_loaded: bool,
    held: Option<Arc<Holding>>,
    found: Option<Arc<Found>>,
    /// Where the server said last that its metadata is.
    metadata_url: Option<String>,
    /// How many flights have failed, and which kind the last one was and why it did.
    failures: (u64, Option<(Discriminant<Purpose>, Failure)>),
    /// How often each set of scopes was asked for because of a refusal.
    step_ups: BTreeMap<String, u32>,
}

/// Tokens, and the issuer that they are of.
#[derive(Debug)]
struct Holding {
    issuer: String,
    tokens: Arc<Tokens>,
}

/// What discovery has found.
#[derive(Debug)]
struct Found {
    resource: String,
    scopes: Option<Scopes>,
    server: Arc<AuthServer>,
}

/// Which issuer a server belongs to, as it is kept.
#[derive(Serialize, Deserialize)]
struct Belongs {
    issuer: String,
    metadata_url: Option<String>,
}

#[derive(Default)]
struct Flight {
    refresh: Option<Refreshing>,
}

struct Refreshing {
    issuer: String,
    work: Pin<Box<dyn Future<Output = Result<Refreshed, Failure>> + Send>>,
}

impl Session {
    pub(super) fn new(config: Arc<Config>, server: &Url, name: String) -> Result<Self, Failure> {
        let guard = Guard::new(server, config.private)?;
        let (server, web) = (server.clone(), OnceLock::new());
        Ok(Self {
            config,
            server,
            name,
            guard,
            web,
            state: Mutex::default(),
            flight: tokio::sync::Mutex::default(),
        })
    }

    /// Returns the headers of a request that is sent now.
    pub(super) async fn headers(&self) -> Result<HeaderMap, Failure> {
        self.load().await?;
        let Some(held) = self.held() else { return Ok(HeaderMap::new()) };
        let now = now();
        if !held.tokens.is_about_to_end(now) {
            return bearer(&held.tokens);
        }
        if self.config.grant == Grant::ClientCredentials || held.tokens.refresh.is_some() {
            let is_old = |it: &Holding| it.tokens.access == held.tokens.access;
            match self.fly(is_old, Purpose::Renew).await {
                // It is good for some seconds yet.
                Err(_) if !held.tokens.has_ended(now) => return bearer(&held.tokens),
                done => done?,
            }
        }
        // Without a token the server says what it wants.
        self.held()
            .filter(|it| !it.tokens.has_ended(now))
            .map_or(Ok(HeaderMap::new()), |it| bearer(&it.tokens))
    }

    /// Finds out whether a request that was refused is worth another try, and gets a token if so.
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
                self.fly(|it| it.is_sent(sent), Purpose::Replace { challenge, attempt: refused.attempt })
                    .await
            }
            StatusCode::FORBIDDEN if challenge.error.as_deref() == Some("insufficient_scope") => {
                let covers = |held: &Holding| {
                    let scope = challenge.scope.as_ref();
                    held.is_sent(sent) || !scope.is_some_and(|it| held.tokens.scopes().includes(it))
                };
                self.fly(covers, Purpose::StepUp(challenge.clone())).await
            }
            status => Err(Failure::denied(format!("{} answers {status}", self.shown()))),
        }
    }

    pub(super) async fn login(&self) -> Result<(), Failure> {
        self.load().await?;
        let does = |it: &Holding| {
            !it.tokens.is_about_to_end(now()) && it.tokens.all_scopes().includes(&self.config.scopes)
        };
        if self.held().is_some_and(|it| does(&it)) {
            return Ok(());
        }
        // A refresh would bring the old scopes.
        let has_scopes = self.held().is_none_or(|it| it.tokens.all_scopes().includes(&self.config.scopes));
        let attempt = if has_scopes { 0 } else { MAX_ATTEMPTS };
        let purpose = Purpose::Replace { challenge: Challenge::default(), attempt };
        self.fly(|it| !does(it), purpose).await
    }

    pub(super) async fn signed_in(&self) -> Result<Option<SignedIn>, Failure> {
        self.load().await?;
        Ok(self.held().map(|it| SignedIn::of(&it.issuer, &it.tokens)))
    }

    pub(super) async fn logout(&self) -> Result<LoggedOut, Failure> {
        self.load().await?;
        let mut flight = self.flight.lock().await;
        // What a refresh would bring is not wanted any more; but it must not come back later.
        let _ = self.land(&mut flight).await;
        let held = self.state().held.take();
        let Some(held) = held else {
            self.config.store.remove(&StoreKey::server(&self.name)).await?;
            return Ok(LoggedOut::Nothing);
        };
        let key = self.tokens_key(&held.issuer);
        // Another process that renews them would bring them back; what it has kept is what there is to revoke.
        let _held = self.config.store.lock(&key).await?;
        let kept =
            refresh::load(&self.config, &key).await?.map_or_else(|| Arc::clone(&held.tokens), Arc::new);
        self.config.store.remove(&key).await?;
        self.config.store.remove(&StoreKey::server(&self.name)).await?;
        let told = self.revoke(&held.issuer, &kept).await;
        self.state().found = None;
        Ok(told.unwrap_or_else(|failure| LoggedOut::Unrevoked(failure.message)))
    }

    /// Tells the authorization server, if it is still the one that the tokens are of.
    async fn revoke(&self, issuer: &str, tokens: &Tokens) -> Result<LoggedOut, Failure> {
        let found = self.found(&Challenge::default()).await?;
        let endpoint = found.server.revocation_endpoint.as_ref().filter(|_| found.server.issuer == issuer);
        let Some(endpoint) = endpoint else { return Ok(LoggedOut::Forgotten) };
        let web = self.web()?;
        revocation::revoke(&self.endpoint(&web, &found, &tokens.client), endpoint, tokens).await?;
        Ok(LoggedOut::Revoked)
    }

    /// Changes tokens, one call at a time. `is_stale` tells tokens that don't do from those that another call has got meanwhile.
    async fn fly(&self, is_stale: impl Fn(&Holding) -> bool, purpose: Purpose) -> Result<(), Failure> {
        let ticket = self.state().failures.0;
        let mut flight = self.flight.lock().await;
        // Its end is told by what is held then.
        let _ = self.land(&mut flight).await;
        if self.held().is_some_and(|it| !is_stale(&it)) {
            return Ok(());
        }
        let kind = discriminant(&purpose);
        if let (failed, Some((failed_kind, failure))) = &self.state().failures
            && *failed != ticket
            && *failed_kind == kind
        {
            // Who waited for a flight that failed does not fly after it: fifty calls would make fifty of them.
            return Err(failure.clone());
        }
        let done = match purpose {
            Purpose::Renew => self.renew(&mut flight).await,
            Purpose::Replace { challenge, attempt } => self.replace(&mut flight, &challenge, attempt).await,
            Purpose::StepUp(challenge) => self.step_up(&challenge).await,
        };
        if let Err(failure) = &done {
            let mut state = self.state();
            state.failures = (state.failures.0 + 1, Some((kind, failure.clone())));
        }
        done
    }

    /// The server as messages name it: the values of its query may be secret.
    fn shown(&self) -> String {
        quoted(&shown(&self.name))
    }

    fn tokens_key(&self, issuer: &str) -> StoreKey {
        StoreKey::tokens(issuer, &self.name)
    }

    fn web(&self) -> Result<Web, Failure> {
        if let Some(web) = self.web.get() {
            return Ok(web.clone());
        }
        let web = Web::new(self.guard.clone())?;
        Ok(self.web.get_or_init(|| web).clone())
    }

    fn held(&self) -> Option<Arc<Holding>> {
        self.state().held.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why tokens are changed.
enum Purpose {
    /// They are about to end.
    Renew,
    /// The server does not take them, or there are none.
    Replace { challenge: Challenge, attempt: u32 },
    /// They are good for too little.
    StepUp(Challenge),
}

impl Holding {
    /// Whether `sent` is the header of these tokens. A request without one was sent before there were any.
    fn is_sent(&self, sent: Option<&HeaderValue>) -> bool {
        sent.is_some_and(|it| {
            it.as_bytes().strip_prefix(BEARER.as_bytes()) == Some(self.tokens.access.reveal().as_bytes())
        })
    }
}

impl std::fmt::Debug for Flight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Flight").field("refreshes", &self.refresh.is_some()).finish()
    }
}

fn bearer(tokens: &Tokens) -> Result<HeaderMap, Failure> {
    let value = HeaderValue::from_str(&format!("{BEARER}{}", tokens.access.reveal()));
    let mut value =
        value.map_err(|_| Failure::server("expected a token that fits a header, but found another"))?;
    value.set_sensitive(true);
    Ok(HeaderMap::from_iter([(AUTHORIZATION, value)]))
}

/// Unix time in seconds.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

const BEARER: &str = "Bearer ";
/// Spec: 2026-07-28 authorization "Step-Up Authorization Flow": no more than a few times. One for a token that has ended, one for a
/// grant that is gone, one for a scope that was missing.
const MAX_ATTEMPTS: u32 = 3;
