//! What is known of a server: found on the network, or kept from an earlier run.
//!
//! In: the server's URL and its challenges; the store. Out: its authorization server, and the tokens that were kept.

use std::sync::Arc;

use super::{Belongs, Found, Holding, Session};
use crate::auth::builder::Grant;
use crate::auth::challenge::Challenge;
use crate::auth::fault::Failure;
use crate::auth::store::StoreKey;
use crate::auth::{discovery, metadata, refresh};

impl Session {
    /// What was found before, or else is found now.
    pub(super) async fn found(&self, challenge: &Challenge) -> Result<Arc<Found>, Failure> {
        let known = self.state().found.clone();
        match known {
            Some(found) => Ok(found),
            None => self.discover(challenge).await,
        }
    }

    /// Finds the authorization server of the server, or one that the program knows among many.
    pub(super) async fn discover(&self, challenge: &Challenge) -> Result<Arc<Found>, Failure> {
        let web = self.web()?;
        let named = challenge.resource_metadata.clone().or_else(|| self.state().metadata_url.clone());
        let protected = discovery::find(&web, &self.server, named.as_deref()).await?;
        let found = match protected {
            None => {
                let server = Arc::new(metadata::find_at(&web, &self.server).await?);
                Found { resource: self.name.clone(), scopes: None, server }
            }
            Some(it) => {
                let server = Arc::new(metadata::find(&web, self.prefer(&it.issuers)).await?);
                Found { resource: it.resource, scopes: it.scopes, server }
            }
        };
        let found = Arc::new(found);
        let mut state = self.state();
        state.metadata_url = named;
        state.found = Some(Arc::clone(&found));
        Ok(found)
    }

    /// Chooses an issuer: where the program is registered, else where it has tokens, else the first.
    fn prefer<'i>(&self, issuers: &'i [String]) -> &'i str {
        let registered = self.config.client.as_ref().and_then(|it| it.issuer.clone());
        let known = registered.or_else(|| self.held().map(|it| it.issuer.clone()));
        let known = issuers.iter().find(|it| Some(*it) == known.as_ref());
        known.or(issuers.first()).map_or("", String::as_str)
    }

    /// Takes what the store has, once.
    pub(super) async fn load(&self) -> Result<(), Failure> {
        if self.state().has_loaded {
            return Ok(());
        }
        let belongs = self.belongs().await?;
        let tokens = match &belongs {
            None => None,
            Some(it) => refresh::load(&self.config, &self.tokens_key(&it.issuer)).await?,
        };
        let mut state = self.state();
        // Another call may have been faster, and even have changed it.
        if !std::mem::replace(&mut state.has_loaded, true)
            && let Some(Belongs { issuer, metadata_url }) = belongs
        {
            state.metadata_url = metadata_url;
            state.held = tokens.map(|it| Arc::new(Holding { issuer, tokens: Arc::new(it) }));
        }
        Ok(())
    }

    /// What is kept of the server's authorization server.
    pub(super) async fn belongs(&self) -> Result<Option<Belongs>, Failure> {
        let text = self.config.store.load(&StoreKey::server(&self.name)).await?;
        Ok(text.and_then(|it| serde_json::from_str(&it).ok()))
    }

    /// `scopes_supported`, as far as a person's absence is concerned: programs are never absent.
    pub(super) fn offered<'f>(&self, found: &'f Found) -> Option<&'f [String]> {
        found.server.scopes.as_deref().filter(|_| self.config.grant == Grant::AuthorizationCode)
    }
}
