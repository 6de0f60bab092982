//! Discovery for a session: finds the authorization server of its MCP server, and reads stored tokens.
//!
//! In: the server's URL, its challenges, the store. Out: the authorization server, and the stored tokens.

use std::sync::Arc;

use super::{Discovered, HeldTokens, ServerRecord, Session};
use crate::builder::Grant;
use crate::challenge::Challenge;
use crate::fault::Failure;
use crate::store::StoreKey;
use crate::{discovery, metadata, refresh};

impl Session {
    /// Returns the result of the newest discovery, or runs discovery if there was none.
    pub(super) async fn discovered(&self, challenge: &Challenge) -> Result<Arc<Discovered>, Failure> {
        let known = self.state().discovered.clone();
        match known {
            Some(found) => Ok(found),
            None => self.discover(challenge).await,
        }
    }

    /// Finds the authorization server of the session's MCP server. If that server names several, chooses one. Returns
    /// the one of the settings at once.
    pub(super) async fn discover(&self, challenge: &Challenge) -> Result<Arc<Discovered>, Failure> {
        if let Some(endpoints) = &self.config.endpoints {
            let server = Arc::new(endpoints.server());
            let found = Arc::new(Discovered { resource: None, scopes: None, server });
            self.state().discovered = Some(Arc::clone(&found));
            return Ok(found);
        }
        let web = self.web()?;
        let named = challenge.resource_metadata.clone().or_else(|| self.state().metadata_url.clone());
        let protected =
            discovery::find(&web, &self.server, named.as_deref(), self.config.metadata_of).await?;
        let found = match protected {
            None => {
                let server = Arc::new(metadata::find_at(&web, &self.server).await?);
                Discovered { resource: Some(self.name.clone()), scopes: None, server }
            }
            Some(it) => {
                let server = Arc::new(metadata::find(&web, self.prefer(&it.issuers)).await?);
                Discovered { resource: Some(it.resource), scopes: it.scopes, server }
            }
        };
        let found = Arc::new(found);
        let mut state = self.state();
        state.metadata_url = named;
        state.discovered = Some(Arc::clone(&found));
        Ok(found)
    }

    /// Chooses an issuer: the one where the program is registered, else the one of the held tokens, else the
    /// first.
    fn prefer<'i>(&self, issuers: &'i [String]) -> &'i str {
        let registered = self.config.client.as_ref().and_then(|it| it.issuer.clone());
        let known = registered.or_else(|| self.held().map(|it| it.issuer.clone()));
        let known = issuers.iter().find(|it| Some(*it) == known.as_ref());
        known.or(issuers.first()).map_or("", String::as_str)
    }

    /// Loads the stored tokens of this session from the store. Does nothing after the first time.
    pub(super) async fn load(&self) -> Result<(), Failure> {
        if self.state().has_loaded {
            return Ok(());
        }
        let record = self.server_record().await?;
        let tokens = match &record {
            None => None,
            Some(it) => refresh::load(&self.config, &self.tokens_key(&it.issuer)).await?,
        };
        let mut state = self.state();
        // Another call may have loaded them first, and even have changed them since.
        if !std::mem::replace(&mut state.has_loaded, true)
            && let Some(ServerRecord { issuer, metadata_url }) = record
        {
            state.metadata_url = metadata_url;
            state.held = tokens.map(|it| Arc::new(HeldTokens { issuer, tokens: Arc::new(it) }));
        }
        Ok(())
    }

    /// Loads the stored record of the session's MCP server, which names its authorization server.
    pub(super) async fn server_record(&self) -> Result<Option<ServerRecord>, Failure> {
        let text = self.config.store.load(&StoreKey::server(&self.name)).await?;
        Ok(text.and_then(|it| serde_json::from_str(&it).ok()))
    }

    /// Returns the scopes that the authorization server lists; they decide about `offline_access`. `None` for
    /// client credentials: `offline_access` is for access while the user is absent, and here there is no user.
    pub(super) fn offered<'f>(&self, found: &'f Discovered) -> Option<&'f [String]> {
        found.server.scopes.as_deref().filter(|_| self.config.grant == Grant::AuthorizationCode)
    }
}
