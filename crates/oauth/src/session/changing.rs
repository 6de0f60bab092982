//! Replaces tokens that expire or are refused: decides between a refresh, a login, and an error.
//!
//! In: the held tokens, the server's challenge, the number of attempts. Out: new tokens, or the reason why
//! there are none. The caller holds the lock `changing`, so only one token change runs at a time.

use std::sync::Arc;

use super::{Discovered, HeldTokens, MAX_ATTEMPTS, RunningRefresh, Session, TokenChange, now};
use crate::builder::Grant;
use crate::challenge::Challenge;
use crate::fault::{Failure, quoted};
use crate::refresh::{Refresh, Refreshed};
use crate::runtime::spawn_to_completion;
use crate::scope::{ScopeInputs, Scopes};

impl Session {
    /// Renews tokens that are about to expire, without a user. If the refresh token is no longer accepted, or
    /// the server has moved to another authorization server, the session holds no tokens afterwards.
    pub(super) async fn renew(&self, change: &mut TokenChange) -> Result<(), Failure> {
        let Some(old) = self.held() else { return Ok(()) };
        let found = self.discovered(&Challenge::default()).await?;
        if found.server.issuer != old.issuer {
            // The server has moved to another authorization server: a login is needed there first.
            self.state().held = None;
            return Ok(());
        }
        match self.config.grant {
            Grant::AuthorizationCode => {
                self.begin_refresh(change, &found, &old)?;
                self.finish_refresh(change).await.map(|_| ())
            }
            Grant::ClientCredentials => {
                let scopes = Some(old.tokens.all_scopes()).filter(|it| !it.is_empty());
                self.obtain(&found, scopes, Some(Arc::clone(&old.tokens))).await
            }
        }
    }

    /// Replaces tokens that the server refuses: finds the authorization server again, then refreshes the
    /// tokens, or else gets them from a login.
    pub(super) async fn replace(
        &self,
        change: &mut TokenChange,
        challenge: &Challenge,
        attempt: u32,
    ) -> Result<(), Failure> {
        // The server may have moved to another authorization server, so earlier discovery does not count.
        let found = self.discover(challenge).await?;
        let held = self.held().filter(|it| it.issuer == found.server.issuer);
        // Two refreshes at most: the first may only have brought tokens that another process had stored. If
        // the server refuses tokens fresh from a refresh, another refresh does not help.
        let old = held.as_ref().filter(|it| attempt < MAX_REFRESHES && it.tokens.refresh.is_some());
        if let Some(old) = old {
            self.begin_refresh(change, &found, old)?;
            if let Refreshed::Tokens(_) = self.finish_refresh(change).await? {
                return Ok(());
            }
        }
        let inputs = ScopeInputs {
            challenged: self.asked_for().or(challenge.scope.as_ref()),
            supported: found.scopes.as_ref(),
            before: held.as_ref().map(|it| it.tokens.all_scopes()).unwrap_or_default(),
            offered: self.offered(&found),
        };
        let (scopes, stale) = (inputs.choose(), held.map(|it| Arc::clone(&it.tokens)));
        self.obtain(&found, scopes, stale).await
    }

    /// Returns the scopes that the program has set, if any.
    fn asked_for(&self) -> Option<&Scopes> {
        Some(&self.config.scopes).filter(|it| !it.is_empty())
    }

    /// Gets tokens with the scopes that a refused request requires, from a login. Fails if the tokens have
    /// these scopes already, or after too many logins for them.
    pub(super) async fn step_up(&self, challenge: &Challenge) -> Result<(), Failure> {
        let found = self.discovered(challenge).await?;
        let held = self.held().filter(|it| it.issuer == found.server.issuer);
        let (given, before) =
            held.as_ref().map(|it| (it.tokens.scopes(), it.tokens.all_scopes())).unwrap_or_default();
        let asked = challenge.scope.as_ref().or(found.scopes.as_ref()).cloned().unwrap_or_default();
        let refuse = |why: &str| Err(Failure::denied(format!("{} requires {why}", self.shown())));
        if given.includes(&asked) {
            return refuse(&format!("the scopes {}, which the token has", quoted(&asked.to_string())));
        }
        self.count_step_up(&asked.to_string())?;
        let inputs =
            ScopeInputs { challenged: Some(&asked), supported: None, before, offered: self.offered(&found) };
        let (scopes, stale) = (inputs.choose(), held.map(|it| Arc::clone(&it.tokens)));
        self.obtain(&found, scopes, stale).await
    }

    /// Counts one more login because of a refusal that requires `scopes`.
    ///
    /// # Errors
    /// If there were too many such logins, or too many different sets of scopes.
    fn count_step_up(&self, scopes: &str) -> Result<(), Failure> {
        let mut state = self.state();
        let tries = state.step_ups.get(scopes).copied().unwrap_or_default();
        let refuse = |why: &str| Err(Failure::denied(format!("{} requires {why}", self.shown())));
        if tries >= MAX_ATTEMPTS {
            return refuse(&format!("the scopes {}, which no login has granted", quoted(scopes)));
        }
        if tries == 0 && state.step_ups.len() >= MAX_STEP_UPS {
            return refuse("too many different sets of scopes");
        }
        state.step_ups.insert(scopes.to_owned(), tries + 1);
        Ok(())
    }

    /// Starts a refresh, which continues even if the caller goes away;
    /// [`finish_refresh`](Self::finish_refresh) takes its result.
    fn begin_refresh(
        &self,
        change: &mut TokenChange,
        found: &Discovered,
        old: &HeldTokens,
    ) -> Result<(), Failure> {
        let refresh = Refresh {
            config: Arc::clone(&self.config),
            web: self.web()?,
            server: Arc::clone(&found.server),
            resource: found.resource.clone(),
            key: self.tokens_key(&old.issuer),
            stale: Arc::clone(&old.tokens),
            now: now(),
        };
        // In a task of its own: the answer may be the only copy of the next refresh token, and the caller may
        // go away.
        let running = spawn_to_completion(refresh.run());
        let work = async move {
            running.await.unwrap_or_else(|| Err(Failure::unreachable("the refresh was interrupted")))
        };
        change.refresh = Some(RunningRefresh { issuer: old.issuer.clone(), work: Box::pin(work) });
        Ok(())
    }

    /// Waits for the running refresh, if any, and takes its tokens. The refresh may have been started by this
    /// call, or by an earlier call whose future was dropped.
    pub(super) async fn finish_refresh(&self, change: &mut TokenChange) -> Result<Refreshed, Failure> {
        let Some(refresh) = &mut change.refresh else { return Ok(Refreshed::Gone) };
        let done = refresh.work.as_mut().await;
        let issuer = refresh.issuer.clone();
        change.refresh = None;
        let held = match &done {
            Ok(Refreshed::Tokens(tokens)) => {
                Some(Arc::new(HeldTokens { issuer, tokens: Arc::clone(tokens) }))
            }
            Ok(Refreshed::Gone) => None,
            Err(_) => return done,
        };
        self.state().held = held;
        done
    }
}

/// Most refreshes of tokens because of refusals of one request.
const MAX_REFRESHES: u32 = 2;
/// Most sets of scopes that a session requests because of refusals, for as long as the program runs.
const MAX_STEP_UPS: usize = 100;

#[cfg(test)]
mod tests {
    use url::Url;

    use crate::OAuth;

    #[test]
    fn a_server_may_require_a_hundred_different_sets_of_scopes() {
        let oauth = OAuth::builder("x").build().expect("a client");
        let server = Url::parse("https://mcp.example/mcp").expect("a URL");
        let session = oauth.session(&server).expect("a session");
        for n in 1..=100 {
            session.count_step_up(&format!("scope{n}")).expect("one of the first hundred");
        }
        let refused = session.count_step_up("scope101").expect_err("one more");
        assert_eq!(refused.message, "\"https://mcp.example/mcp\" requires too many different sets of scopes");
        session.count_step_up("scope1").expect("a set that is counted already");
    }
}
