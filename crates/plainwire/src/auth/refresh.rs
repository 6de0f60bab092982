//! Renewing tokens that others renew too: other processes share the store, and a refresh token is good for one use.
//!
//! In: tokens that were good. Out: tokens that are, of our own or of whoever was first. One refresh at a time per server and
//! authorization server, by the lock of the store; what is kept is read again once the lock is held.

use std::io;
use std::sync::Arc;

use super::builder::Config;
use super::fault::Failure;
use super::fetch::Web;
use super::metadata::AuthServer;
use super::registration;
use super::store::StoreKey;
use super::token::{TokenEndpoint, TokenFault, Tokens};

/// A refresh, with all that it takes: it outlives the call that began it.
#[derive(Debug)]
pub(super) struct Refresh {
    pub(super) config: Arc<Config>,
    pub(super) web: Web,
    pub(super) server: Arc<AuthServer>,
    /// The value of `resource`.
    pub(super) resource: String,
    /// Where the tokens are kept.
    pub(super) key: StoreKey,
    /// The tokens that are not good any more.
    pub(super) stale: Arc<Tokens>,
    /// Unix time in seconds.
    pub(super) now: u64,
}

/// How a refresh ended.
pub(super) enum Refreshed {
    /// These are good.
    Tokens(Arc<Tokens>),
    /// There is nothing to refresh with any more: somebody has to sign in.
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
        let client = registration::given(&self.config, &self.server)?.unwrap_or_else(|| kept.client.clone());
        // Tokens of another client are of no use to this one.
        if client.id != kept.client.id || !client.is_good(self.now) {
            return Ok(Refreshed::Gone);
        }
        let endpoint = TokenEndpoint {
            web: &self.web,
            server: &self.server,
            client: &client,
            key: self.config.key.as_ref(),
            resource: &self.resource,
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

/// Whether `kept` are tokens that somebody else has got since `stale` were.
pub(super) fn is_newer(kept: &Tokens, stale: &Tokens, now: u64) -> bool {
    kept.access != stale.access && !kept.is_about_to_end(now)
}

/// Reads tokens. A text that is none is as good as nothing: the next login replaces it.
pub(super) async fn load(config: &Config, key: &StoreKey) -> io::Result<Option<Tokens>> {
    Ok(config.store.load(key).await?.and_then(|text| serde_json::from_str(&text).ok()))
}

pub(super) async fn save(config: &Config, key: &StoreKey, tokens: &Tokens) -> io::Result<()> {
    let text = serde_json::to_string(tokens).map_err(io::Error::other)?;
    config.store.save(key, &text).await
}
