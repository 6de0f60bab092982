//! Refreshes tokens that other processes may refresh too: they share the store, and many refresh tokens work
//! only once.
//!
//! In: stale tokens. Out: good tokens, from a refresh here or in another process. The lock of the store
//! permits one refresh at a time per server and authorization server. The stored tokens are read again after
//! the lock is taken, because another process may have replaced them.

use std::io;
use std::sync::Arc;

use super::builder::Config;
use super::fault::Failure;
use super::fetch::GuardedHttp;
use super::metadata::AuthServer;
use super::registration;
use super::store::StoreKey;
use super::token::{TokenEndpoint, TokenFault, Tokens};

/// The work of one refresh, with its data. It owns the data because it may outlive the call that started it.
#[derive(Debug)]
pub(super) struct Refresh {
    pub(super) config: Arc<Config>,
    pub(super) web: GuardedHttp,
    pub(super) server: Arc<AuthServer>,
    /// The value of the parameter `resource` of the token request (RFC 8707); `None` leaves it out.
    pub(super) resource: Option<String>,
    /// The store key of the tokens.
    pub(super) key: StoreKey,
    /// The tokens to replace by the refresh.
    pub(super) stale: Arc<Tokens>,
    /// The Unix time at which the refresh was started, in seconds.
    pub(super) now: u64,
}

/// The result of a refresh.
pub(super) enum Refreshed {
    /// Tokens that are not about to expire: from this refresh, or from another process.
    Tokens(Arc<Tokens>),
    /// No usable refresh token is left: it is missing, no longer accepted, or of another client. A login is
    /// needed.
    Gone,
}

impl Refresh {
    pub(super) async fn run(self) -> Result<Refreshed, Failure> {
        let store = &self.config.store;
        let _held = store.lock(&self.key).await?;
        let Some(kept) = load(&self.config, &self.key).await? else { return Ok(Refreshed::Gone) };
        if is_newer(&kept, &self.stale, self.now) {
            return Ok(Refreshed::Tokens(Arc::new(kept)));
        }
        let client =
            registration::configured(&self.config, &self.server)?.unwrap_or_else(|| kept.client.clone());
        // Only the client that the tokens were issued to can refresh them.
        if client.id != kept.client.id || !client.is_good(self.now) {
            return Ok(Refreshed::Gone);
        }
        let endpoint = TokenEndpoint {
            web: &self.web,
            server: &self.server,
            client: &client,
            key: self.config.key.as_ref(),
            resource: self.resource.as_deref(),
            now: self.now,
        };
        match endpoint.refresh(&kept).await {
            Ok(tokens) => {
                save(&self.config, &self.key, &tokens).await?;
                Ok(Refreshed::Tokens(Arc::new(tokens)))
            }
            Err(TokenFault::Other(failure)) => Err(failure),
            Err(fault @ (TokenFault::Grant | TokenFault::Client)) => {
                if matches!(fault, TokenFault::Client) {
                    registration::forget(&self.config, &self.server.issuer).await?;
                }
                store.remove(&self.key).await?;
                Ok(Refreshed::Gone)
            }
        }
    }
}

/// Returns whether `kept`, the tokens in the store, differ from `stale` and are not about to expire: then
/// another process has obtained them.
pub(super) fn is_newer(kept: &Tokens, stale: &Tokens, now: u64) -> bool {
    kept.access != stale.access && !kept.is_about_to_end(now)
}

/// Loads stored tokens. A text that can't be parsed counts as missing: the next login replaces it.
pub(super) async fn load(config: &Config, key: &StoreKey) -> io::Result<Option<Tokens>> {
    Ok(config.store.load(key).await?.and_then(|text| serde_json::from_str(&text).ok()))
}

pub(super) async fn save(config: &Config, key: &StoreKey, tokens: &Tokens) -> io::Result<()> {
    let text = serde_json::to_string(tokens).map_err(io::Error::other)?;
    config.store.save(key, &text).await
}
