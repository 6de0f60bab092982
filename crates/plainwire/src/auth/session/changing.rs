//! Steps for tokens that don't do: which of refresh, login and nothing helps.
//!
//! In: what is held, what the server wants, how often it was tried. Out: other tokens, or why there are none. The caller holds the
//! flight, so that all of this happens once at a time.

use std::sync::Arc;

use super::{Flight, Found, Holding, MAX_ATTEMPTS, Refreshing, Session, now};
use crate::auth::builder::Grant;
use crate::auth::challenge::Challenge;
use crate::auth::fault::{Failure, quoted};
use crate::auth::refresh::{Refresh, Refreshed};
use crate::auth::scope::{Scopes, Wanted};
use crate::runtime::to_the_end;

impl Session {
    /// Renews tokens that are about to end, without a person. Without success there are none afterwards.
    pub(super) async fn renew(&self, flight: &mut Flight) -> Result<(), Failure> {
        let Some(old) = self.held() else { return Ok(()) };
        let found = self.found(&Challenge::default()).await?;
        if found.server.issuer != old.issuer {
            // Somebody has to sign in there first.
            self.state().held = None;
            return Ok(());
        }
        match self.config.grant {
            Grant::AuthorizationCode => {
                self.begin_refresh(flight, &found, &old)?;
                self.land(flight).await.map(|_| ())
            }
            Grant::ClientCredentials => {
                let scopes = Some(old.tokens.all_scopes()).filter(|it| !it.is_empty());
                self.obtain(&found, scopes, Some(Arc::clone(&old.tokens))).await
            }
        }
    }

    /// Steps for tokens that don't do: find the authorization server again, refresh, or else have somebody sign in.
    pub(super) async fn replace(
        &self,
        flight: &mut Flight,
        challenge: &Challenge,
        attempt: u32,
    ) -> Result<(), Failure> {
        // The server may belong to another authorization server by now, so what was found before does not count.
        let found = self.discover(challenge).await?;
        let held = self.held().filter(|it| it.issuer == found.server.issuer);
        // The first may have taken what another process has got. What a refresh has just brought is not mended by another.
        let old = held.as_ref().filter(|it| attempt < MAX_REFRESHES && it.tokens.refresh.is_some());
        if let Some(old) = old {
            self.begin_refresh(flight, &found, old)?;
            if let Refreshed::Tokens(_) = self.land(flight).await? {
                return Ok(());
            }
        }
        let wanted = Wanted {
            challenged: self.asked_for().or(challenge.scope.as_ref()),
            supported: found.scopes.as_ref(),
            before: held.as_ref().map(|it| it.tokens.all_scopes()).unwrap_or_default(),
            offered: self.offered(&found),
        };
        let (scopes, stale) = (wanted.choose(), held.map(|it| Arc::clone(&it.tokens)));
        self.obtain(&found, scopes, stale).await
    }

    /// The scopes that the program was told to ask for, if it was.
    fn asked_for(&self) -> Option<&Scopes> {
        Some(&self.config.scopes).filter(|it| !it.is_empty())
    }

    /// Asks for more scopes than there are, if that can help.
    pub(super) async fn step_up(&self, challenge: &Challenge) -> Result<(), Failure> {
        let found = self.found(challenge).await?;
        let held = self.held().filter(|it| it.issuer == found.server.issuer);
        let (given, before) =
            held.as_ref().map(|it| (it.tokens.scopes(), it.tokens.all_scopes())).unwrap_or_default();
        let asked = challenge.scope.as_ref().or(found.scopes.as_ref()).cloned().unwrap_or_default();
        let refuse = |why: &str| Err(Failure::denied(format!("{} wants {why}", self.shown())));
        if given.includes(&asked) {
            return refuse(&format!("the scopes {}, which the token has", quoted(&asked.to_string())));
        }
        self.count_step_up(&asked.to_string())?;
        let wanted =
            Wanted { challenged: Some(&asked), supported: None, before, offered: self.offered(&found) };
        let (scopes, stale) = (wanted.choose(), held.map(|it| Arc::clone(&it.tokens)));
        self.obtain(&found, scopes, stale).await
    }

    /// Counts one more login for the sake of `scopes`, if there may be one.
    fn count_step_up(&self, scopes: &str) -> Result<(), Failure> {
        let mut state = self.state();
        let tries = state.step_ups.get(scopes).copied().unwrap_or_default();
        let refuse = |why: &str| Err(Failure::denied(format!("{} wants {why}", self.shown())));
        if tries >= MAX_ATTEMPTS {
            return refuse(&format!("the scopes {}, which nobody gives", quoted(scopes)));
        }
        if tries == 0 && state.step_ups.len() >= MAX_STEP_UPS {
            return refuse("ever more scopes");
        }
        state.step_ups.insert(scopes.to_owned(), tries + 1);
        Ok(())
    }

    /// Begins a refresh, which goes on to its end by itself; [`land`](Self::land) takes what it brings.
    fn begin_refresh(&self, flight: &mut Flight, found: &Found, old: &Holding) -> Result<(), Failure> {
        let refresh = Refresh {
            config: Arc::clone(&self.config),
            web: self.web()?,
            server: Arc::clone(&found.server),
            resource: found.resource.clone(),
            key: self.tokens_key(&old.issuer),
            stale: Arc::clone(&old.tokens),
            now: now(),
        };
        // A task of its own: its answer may be the only copy of the next refresh token, and its caller may leave.
        let running = to_the_end(refresh.run());
        let work = async move {
            running
                .await
                .unwrap_or_else(|| Err(Failure::unreachable("the refresh was stopped with the program")))
        };
        flight.refresh = Some(Refreshing { issuer: old.issuer.clone(), work: Box::pin(work) });
        Ok(())
    }

    /// Waits for the refresh that is going on, this call's or one whose caller has left, and takes what it brings.
    pub(super) async fn land(&self, flight: &mut Flight) -> Result<Refreshed, Failure> {
        let Some(refresh) = &mut flight.refresh else { return Ok(Refreshed::Gone) };
        let done = refresh.work.as_mut().await;
        let issuer = refresh.issuer.clone();
        flight.refresh = None;
        let held = match &done {
            Ok(Refreshed::Tokens(tokens)) => Some(Arc::new(Holding { issuer, tokens: Arc::clone(tokens) })),
            Ok(Refreshed::Gone) => None,
            Err(_) => return done,
        };
        self.state().held = held;
        done
    }
}

/// Most refreshes for the sake of one request.
const MAX_REFRESHES: u32 = 2;
/// Most sets of scopes that a server asks for in the life of a program.
const MAX_STEP_UPS: usize = 100;
