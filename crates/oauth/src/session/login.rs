//! Obtains tokens without a refresh token: a user signs in, or the program authenticates itself.
//!
//! In: an authorization server and the scopes to request. Out: tokens, which are held and stored. Other
//! processes that share the store wait meanwhile, and then take the same tokens.

use std::sync::Arc;

use plainwire::client::http::AuthFault;
use tokio::time::timeout;

use super::{Discovered, HeldTokens, ServerRecord, Session, now};
use crate::authorize;
use crate::builder::Grant;
use crate::fault::{Failure, quoted};
use crate::fetch::GuardedHttp;
use crate::redirect::Redirect;
use crate::refresh::{self, is_newer};
use crate::registration::{self, Client};
use crate::scope::Scopes;
use crate::store::StoreKey;
use crate::token::{TokenEndpoint, TokenFault, Tokens};

impl Session {
    /// Obtains tokens with `scopes`, to replace the tokens `stale`, and stores them. If another process has
    /// stored such tokens meanwhile, takes those.
    pub(super) async fn obtain(
        &self,
        found: &Discovered,
        scopes: Option<Scopes>,
        stale: Option<Arc<Tokens>>,
    ) -> Result<(), Failure> {
        let issuer = &found.server.issuer;
        let before = self.server_record().await?;
        if let (Some(before), Some(given)) = (&before, &self.config.client)
            && given.issuer.is_none()
            && before.issuer != *issuer
        {
            // Spec: 2026-07-28 client registration "Authorization Server Binding".
            return Err(registration::wrong_issuer(&given.id, &before.issuer, issuer));
        }
        let key = self.tokens_key(issuer);
        let _held = self.config.store.lock(&key).await?;
        let wanted = scopes.clone().unwrap_or_default();
        let kept = refresh::load(&self.config, &key).await?.filter(|kept| {
            let is_new = match &stale {
                Some(stale) => is_newer(kept, stale, now()),
                None => self.holds_no_tokens() && !kept.is_about_to_end(now()),
            };
            is_new && kept.all_scopes().includes(&wanted)
        });
        let tokens = match kept {
            Some(tokens) => tokens,
            None => self.get(found, scopes).await?,
        };
        refresh::save(&self.config, &key, &tokens).await?;
        let metadata_url = self.state().metadata_url.clone();
        let record = ServerRecord { issuer: issuer.clone(), metadata_url };
        let text = serde_json::to_string(&record).map_err(std::io::Error::other)?;
        self.config.store.save(&StoreKey::server(&self.name), &text).await?;
        if let Some(before) = before.filter(|it| it.issuer != *issuer) {
            // The server has moved to another authorization server: it no longer accepts the tokens of the
            // old one.
            self.config.store.remove(&self.tokens_key(&before.issuer)).await?;
        }
        self.state().held = Some(Arc::new(HeldTokens { issuer: issuer.clone(), tokens: Arc::new(tokens) }));
        Ok(())
    }

    /// Returns whether this session holds no tokens. Then any tokens in the store are new to it: they are
    /// from another process.
    fn holds_no_tokens(&self) -> bool {
        self.held().is_none()
    }

    /// Gets tokens from the authorization server, by the grant that the program has set.
    async fn get(&self, found: &Discovered, scopes: Option<Scopes>) -> Result<Tokens, Failure> {
        let web = self.web()?;
        match self.config.grant {
            Grant::ClientCredentials => {
                let client = registration::configured(&self.config, &found.server)?;
                let client = client.ok_or_else(|| {
                    Failure::settings(
                        "expected a client id that the authorization server knows, but found none",
                    )
                })?;
                let done = self.endpoint(&web, found, &client).client_credentials(scopes).await;
                done.map_err(|fault| login_failure(fault, &found.server.issuer))
            }
            Grant::AuthorizationCode => {
                let redirect = self.config.redirect.as_ref().ok_or_else(|| {
                    // The message names the scopes for users who sign in with another program.
                    let scopes =
                        scopes.as_ref().map(|it| format!(" for the scopes {}", quoted(&it.to_string())));
                    let (server, scopes) = (self.shown(), scopes.unwrap_or_default());
                    Failure::new(AuthFault::LoginNeeded, format!("{server} requires a login{scopes}"))
                })?;
                self.sign_in(&web, found, scopes, redirect).await
            }
        }
    }

    /// Lets the user sign in. Registers the client first if that is necessary.
    async fn sign_in(
        &self,
        web: &GuardedHttp,
        found: &Discovered,
        scopes: Option<Scopes>,
        redirect: &Redirect,
    ) -> Result<Tokens, Failure> {
        let (config, server) = (&self.config, &found.server);
        let earlier = registration::stored(config, &server.issuer).await?;
        let earlier = earlier.map(|it| it.redirect_uris).unwrap_or_default();
        let prepared = redirect.prepare(&earlier).await?;
        let client = match registration::known(config, server, prepared.redirect_uri(), now()).await? {
            Some(client) => client,
            None => registration::register(config, web, server, prepared.redirect_uri()).await?,
        };
        let endpoint = self.endpoint(web, found, &client);
        let done = match timeout(config.login_timeout, authorize::run(&endpoint, prepared, scopes)).await {
            Ok(done) => done.map_err(|fault| login_failure(fault, &server.issuer)),
            Err(_) => {
                let patience = config.login_timeout;
                let message =
                    format!("the login at {} was not finished within {patience:?}", quoted(&server.issuer));
                Err(Failure::new(AuthFault::LoginNeeded, message))
            }
        };
        if done.is_err() {
            // An authorization server that has forgotten the client shows an error page and does not redirect
            // the browser. The program can't tell that from any other failure, so the next login registers
            // anew.
            registration::forget(config, &server.issuer).await?;
        }
        done
    }

    pub(super) fn endpoint<'e>(
        &'e self,
        web: &'e GuardedHttp,
        found: &'e Discovered,
        client: &'e Client,
    ) -> TokenEndpoint<'e> {
        let (server, resource) = (&*found.server, found.resource.as_deref());
        TokenEndpoint { web, server, client, key: self.config.key.as_ref(), resource, now: now() }
    }
}

/// Converts the fault of a token request during a login to a failure with a message.
fn login_failure(fault: TokenFault, issuer: &str) -> Failure {
    let issuer = quoted(issuer);
    match fault {
        TokenFault::Client => {
            Failure::denied(format!("{issuer} does not know this client, or rejects its authentication"))
        }
        TokenFault::Grant => Failure::denied(format!("{issuer} rejects the code of this login")),
        TokenFault::Other(failure) => failure,
    }
}
