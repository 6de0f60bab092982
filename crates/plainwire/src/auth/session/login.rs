//! Tokens from scratch: somebody signs in, or the program proves itself.
//!
//! In: an authorization server and the scopes to ask for. Out: tokens that are held and kept. Other processes that share the store wait
//! meanwhile, and then take the same tokens.

use std::sync::Arc;

use tokio::time::timeout;

use super::{Belongs, Found, Holding, Session, now};
use crate::auth::authorize;
use crate::auth::builder::Grant;
use crate::auth::fault::{AuthFault, Failure, quoted};
use crate::auth::fetch::Web;
use crate::auth::redirect::Redirect;
use crate::auth::refresh::{self, is_newer};
use crate::auth::registration::{self, Client};
use crate::auth::scope::Scopes;
use crate::auth::store::StoreKey;
use crate::auth::token::{TokenEndpoint, TokenFault, Tokens};

impl Session {
    /// Gets tokens in the place of `stale` ones, with `scopes`.
    pub(super) async fn obtain(
        &self,
        found: &Found,
        scopes: Option<Scopes>,
        stale: Option<Arc<Tokens>>,
    ) -> Result<(), Failure> {
        let issuer = &found.server.issuer;
        let before = self.belongs().await?;
        if let (Some(before), Some(given)) = (&before, &self.config.client)
            && given.issuer.is_none()
            && before.issuer != *issuer
        {
            // Spec: 2026-07-28 client registration "Authorization Server Binding".
            return Err(registration::foreign(&given.id, &before.issuer, issuer));
        }
        let key = self.tokens_key(issuer);
        let _held = self.config.store.lock(&key).await?;
        let wanted = scopes.clone().unwrap_or_default();
        let kept = refresh::load(&self.config, &key).await?.filter(|kept| {
            let is_new = match &stale {
                Some(stale) => is_newer(kept, stale, now()),
                None => self.has_nothing() && !kept.is_about_to_end(now()),
            };
            is_new && kept.all_scopes().includes(&wanted)
        });
        let tokens = match kept {
            Some(tokens) => tokens,
            None => self.get(found, scopes).await?,
        };
        refresh::save(&self.config, &key, &tokens).await?;
        let metadata_url = self.state().metadata_url.clone();
        let belongs = Belongs { issuer: issuer.clone(), metadata_url };
        let text = serde_json::to_string(&belongs).map_err(std::io::Error::other)?;
        self.config.store.save(&StoreKey::server(&self.name), &text).await?;
        if let Some(before) = before.filter(|it| it.issuer != *issuer) {
            // The server has moved: nobody takes these any more.
            self.config.store.remove(&self.tokens_key(&before.issuer)).await?;
        }
        self.state().held = Some(Arc::new(Holding { issuer: issuer.clone(), tokens: Arc::new(tokens) }));
        Ok(())
    }

    /// Whether this session never had tokens, so that those in the store may be news.
    fn has_nothing(&self) -> bool {
        self.held().is_none()
    }

    async fn get(&self, found: &Found, scopes: Option<Scopes>) -> Result<Tokens, Failure> {
        let web = self.web()?;
        match self.config.grant {
            Grant::ClientCredentials => {
                let client = registration::given(&self.config, &found.server)?;
                let client = client.ok_or_else(|| {
                    Failure::settings(
                        "expected a client id that the authorization server knows, but found none",
                    )
                })?;
                let done = self.endpoint(&web, found, &client).client_credentials(scopes).await;
                done.map_err(|fault| spoken(fault, &found.server.issuer))
            }
            Grant::AuthorizationCode => {
                let redirect = self.config.redirect.as_ref().ok_or_else(|| {
                    // Whoever signs in elsewhere, with another program, has to know what for.
                    let scopes =
                        scopes.as_ref().map(|it| format!(" for the scopes {}", quoted(&it.to_string())));
                    let (server, scopes) = (self.shown(), scopes.unwrap_or_default());
                    Failure::new(
                        AuthFault::LoginNeeded,
                        format!("{server} wants somebody to sign in{scopes}"),
                    )
                })?;
                self.sign_in(&web, found, scopes, redirect).await
            }
        }
    }

    async fn sign_in(
        &self,
        web: &Web,
        found: &Found,
        scopes: Option<Scopes>,
        redirect: &Redirect,
    ) -> Result<Tokens, Failure> {
        let (config, server) = (&self.config, &found.server);
        let earlier = registration::kept(config, &server.issuer).await?;
        let earlier = earlier.map(|it| it.redirect_uris).unwrap_or_default();
        let way = redirect.prepare(&earlier).await?;
        let client = match registration::known(config, server, way.redirect_uri(), now()).await? {
            Some(client) => client,
            None => registration::register(config, web, server, way.redirect_uri()).await?,
        };
        let endpoint = self.endpoint(web, found, &client);
        let done = match timeout(config.login_timeout, authorize::run(&endpoint, way, scopes)).await {
            Ok(done) => done.map_err(|fault| spoken(fault, &server.issuer)),
            Err(_) => {
                let patience = config.login_timeout;
                let message = format!("nobody signed in at {} within {patience:?}", quoted(&server.issuer));
                Err(Failure::new(AuthFault::LoginNeeded, message))
            }
        };
        if done.is_err() {
            // An authorization server that has forgotten the client shows a page and redirects nobody: to us that is any failure. The
            // next login registers anew.
            registration::forget(config, &server.issuer).await?;
        }
        done
    }

    pub(super) fn endpoint<'e>(
        &'e self,
        web: &'e Web,
        found: &'e Found,
        client: &'e Client,
    ) -> TokenEndpoint<'e> {
        let (server, resource) = (&*found.server, found.resource.as_str());
        TokenEndpoint { web, server, client, key: self.config.key.as_ref(), resource, now: now() }
    }
}

/// A fault in words.
fn spoken(fault: TokenFault, issuer: &str) -> Failure {
    let issuer = quoted(issuer);
    match fault {
        TokenFault::Client => {
            Failure::denied(format!("{issuer} does not know this client, or not with this proof"))
        }
        TokenFault::Grant => Failure::denied(format!("{issuer} does not take the code of this login")),
        TokenFault::Other(failure) => failure,
    }
}
