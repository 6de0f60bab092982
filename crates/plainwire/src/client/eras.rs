//! Which servers were found to be legacy, so that the next connection to them does not ask first.
//!
//! In: where a server is, and what it turned out to speak. Out: whether to begin with `initialize`. A modern server is
//! greeted by the very request that finds out, so that there is nothing to remember of it. What is remembered ends after
//! a while, and with the first refusal: the server is another one then.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plainwire_proto::error::ErrorKind;
use plainwire_proto::peer::EraChoice;
use plainwire_proto::revision::Era;
use tokio::time::Instant;

use super::process::Program;
use super::{Client, ClientBuilder};
use crate::error::{Error, Result};

/// Which eras servers speak, for clients that connect to the same ones again: see [`ClientBuilder::eras`].
///
/// Clones share what they know. At most 1,000 servers are remembered, each for an hour, unless told otherwise: a server
/// that learns a newer revision is found out after that, or as soon as it refuses the older one.
#[derive(Clone)]
pub struct Eras {
    legacy: Arc<Mutex<HashMap<Place, Instant>>>,
    lifetime: Duration,
}

/// A hash of where a server is: commands and URLs may have secrets in them, and nobody needs more of them here.
type Place = u64;

/// How long a server counts as legacy. 1 h: to ask once an hour costs nothing, and an update is seen within it.
const LIFETIME: Duration = Duration::from_secs(3_600);

/// Servers that are remembered. 1,000: more than any program connects to.
const MOST: usize = 1_000;

impl Default for Eras {
    fn default() -> Self {
        Self::new()
    }
}

impl Eras {
    /// Begins with no server known.
    pub fn new() -> Self {
        Self { legacy: Arc::default(), lifetime: LIFETIME }
    }

    /// Sets how long a server counts as legacy before it is asked again: an hour by default.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    fn is_legacy(&self, place: Place) -> bool {
        self.known().get(&place).is_some_and(|since| since.elapsed() < self.lifetime)
    }

    fn note(&self, place: Place, era: Era) {
        let mut known = self.known();
        if era == Era::Modern {
            known.remove(&place);
            return;
        }
        if known.len() >= MOST {
            known.retain(|_, since| since.elapsed() < self.lifetime);
        }
        if known.len() >= MOST
            && let Some(oldest) = known.iter().min_by_key(|(_, since)| **since).map(|(place, _)| *place)
        {
            known.remove(&oldest);
        }
        known.insert(place, Instant::now());
    }

    fn forget(&self, place: Place) {
        self.known().remove(&place);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Place, Instant>> {
        self.legacy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Eras {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.known().len();
        f.debug_struct("Eras").field("legacy", &known).field("lifetime", &self.lifetime).finish()
    }
}

impl ClientBuilder {
    /// Remembers in `eras` which servers are legacy, and begins with `initialize` at those that are known to be. Nothing is
    /// remembered by default.
    ///
    /// A server at a URL is known by that URL, and a command by its program, arguments, variables and folder. If one
    /// refuses `initialize`, it is asked once more what it speaks. Only clients that leave the choice open
    /// ([`EraChoice::Auto`], with revisions of both eras) read and write there.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use plainwire::{Client, Eras};
    ///
    /// let eras = Eras::new().lifetime(Duration::from_secs(600));
    /// let builder = Client::builder().eras(&eras);
    /// # let _ = builder;
    /// ```
    #[must_use]
    pub fn eras(mut self, eras: &Eras) -> Self {
        self.eras = Some(eras.clone());
        self
    }

    /// As [`Self::eras`], unless there are others.
    pub(crate) fn or_eras(mut self, eras: &Eras) -> Self {
        self.eras.get_or_insert_with(|| eras.clone());
        self
    }

    /// Connects to the server at `place`, with what is known of it.
    pub(super) async fn knowing<F>(self, place: Place, connect: impl Fn(Self) -> F) -> Result<Client>
    where
        F: Future<Output = Result<Client>>,
    {
        let is_open = self.config.era == EraChoice::Auto
            && [Era::Legacy, Era::Modern]
                .iter()
                .all(|era| self.config.revisions.iter().any(|r| r.era() == *era));
        let Some(eras) = self.eras.clone().filter(|_| is_open) else { return connect(self).await };
        if eras.is_legacy(place) {
            let mut sure = self.clone();
            sure.config.era = EraChoice::Legacy;
            match connect(sure).await {
                Err(error) if is_refusal(&error) => {
                    tracing::debug!("a server that was legacy is asked again what it speaks: {error}");
                    eras.forget(place);
                }
                done => return done,
            }
        }
        let client = connect(self).await?;
        eras.note(place, client.revision().era());
        Ok(client)
    }
}

/// Where a server is that `program` starts.
pub(super) fn of_program(program: &Program) -> Place {
    let mut hasher = DefaultHasher::new();
    let command = program.command();
    command.get_program().hash(&mut hasher);
    command.get_args().for_each(|it| it.hash(&mut hasher));
    command.get_envs().for_each(|it| it.hash(&mut hasher));
    command.get_current_dir().hash(&mut hasher);
    hasher.finish()
}

/// Where a server at a URL is.
#[cfg(feature = "http-client")]
pub(super) fn of_url(url: &str) -> Place {
    let mut hasher = DefaultHasher::new();
    url.hash(&mut hasher);
    hasher.finish()
}

/// Whether the server may have failed us because it is not legacy any more. One that is not there, does not let us in, or
/// takes too long says nothing of that.
fn is_refusal(error: &Error) -> bool {
    match error {
        Error::Closed { .. } | Error::Decode { .. } => true,
        Error::Http { status, .. } => (400..500).contains(status) && !matches!(status, 401 | 403 | 429),
        Error::Rpc(error) => *error.kind() != ErrorKind::Overloaded,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_legacy_server_is_remembered_for_its_time_and_a_modern_one_not_at_all() {
        let eras = Eras::new().lifetime(Duration::from_secs(60));
        eras.note(1, Era::Legacy);
        eras.note(2, Era::Modern);
        assert!(eras.clone().is_legacy(1) && !eras.is_legacy(2));
        tokio::time::advance(Duration::from_secs(61)).await;
        assert!(!eras.is_legacy(1));
        eras.note(1, Era::Legacy);
        eras.note(1, Era::Modern);
        assert!(!eras.is_legacy(1), "it has learnt");
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_makes_room() {
        let eras = Eras::new();
        for place in 0..=MOST as u64 {
            eras.note(place, Era::Legacy);
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert_eq!(eras.known().len(), MOST);
        assert!(!eras.is_legacy(0) && eras.is_legacy(1) && eras.is_legacy(MOST as u64));
    }
}
