//! A memory of legacy servers, so that the next connection to one begins with `initialize`.
//!
//! In: the target of a server, and the era that it speaks. Out: whether to begin with `initialize`. Modern
//! servers are not remembered: the request that finds out their era also completes the handshake. A server is
//! forgotten after some time, or when it refuses `initialize`: it may have been updated.

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

/// A memory of the eras of servers, for clients that connect to the same servers again: see
/// [`ClientBuilder::eras`].
///
/// Clones share one memory. By default it holds at most 1,000 servers, each for an hour. A server that is
/// updated to a newer revision is noticed after that time, or as soon as it refuses the older revision.
#[derive(Clone)]
pub struct Eras {
    /// The time at which each server was last found to be legacy, by the hash of its target.
    legacy: Arc<Mutex<HashMap<TargetHash, Instant>>>,
    /// The time for which a server counts as legacy after it was found to be legacy.
    lifetime: Duration,
}

/// A hash of a server's target. The target itself may hold secrets, and only equality is needed.
type TargetHash = u64;

/// The default time for which a server counts as legacy. 1 h: one more request each hour costs little, and an
/// update of the server is noticed within an hour.
const LIFETIME: Duration = Duration::from_secs(3_600);

/// The most servers in one memory of eras. 1,000: more than any program connects to.
const MOST: usize = 1_000;

impl Default for Eras {
    fn default() -> Self {
        Self::new()
    }
}

impl Eras {
    /// Creates an empty memory of the eras of servers.
    pub fn new() -> Self {
        Self { legacy: Arc::default(), lifetime: LIFETIME }
    }

    /// Sets how long a server counts as legacy before its era is probed again: an hour by default.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    fn is_legacy(&self, target: TargetHash) -> bool {
        self.known().get(&target).is_some_and(|since| since.elapsed() < self.lifetime)
    }

    /// Remembers a server of the legacy era, or forgets a server that is modern now. If the memory is full,
    /// forgets the server that was noted least recently.
    fn note(&self, target: TargetHash, era: Era) {
        let mut known = self.known();
        if era == Era::Modern {
            known.remove(&target);
            return;
        }
        if known.len() >= MOST {
            known.retain(|_, since| since.elapsed() < self.lifetime);
        }
        if known.len() >= MOST
            && let Some(oldest) = known.iter().min_by_key(|(_, since)| **since).map(|(target, _)| *target)
        {
            known.remove(&oldest);
        }
        known.insert(target, Instant::now());
    }

    fn forget(&self, target: TargetHash) {
        self.known().remove(&target);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<TargetHash, Instant>> {
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
    /// Remembers in `eras` which servers are legacy, and begins the connection to such a server with
    /// `initialize`, without finding out its era again. By default nothing is remembered.
    ///
    /// A server is identified by its URL, or by the program, arguments, environment variables and working
    /// directory of its command. If a server refuses `initialize`, the client probes its era once more. Only
    /// clients that leave the era open ([`EraChoice::Auto`], with revisions of both eras) read and write the
    /// memory.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use plainwire::Client;
    /// use plainwire::client::Eras;
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

    /// Like [`Self::eras`], but does nothing if a memory is already set.
    pub(crate) fn or_eras(mut self, eras: &Eras) -> Self {
        self.eras.get_or_insert_with(|| eras.clone());
        self
    }

    /// Connects by `connect` to the server with the hash `target`. If the memory says that the server is
    /// legacy, the client begins with `initialize`; afterwards the memory is updated. If there is no memory,
    /// or the program has chosen the era, this only connects.
    pub(super) async fn knowing<F>(
        mut self,
        target: TargetHash,
        connect: impl Fn(Self) -> F,
    ) -> Result<Client>
    where
        F: Future<Output = Result<Client>>,
    {
        let is_open = self.config.era == EraChoice::Auto
            && [Era::Legacy, Era::Modern]
                .iter()
                .all(|era| self.config.revisions.iter().any(|r| r.era() == *era));
        let Some(eras) = self.eras.clone().filter(|_| is_open) else { return connect(self).await };
        if eras.is_legacy(target) {
            let began = Instant::now();
            let mut sure = self.clone();
            sure.config.era = EraChoice::Legacy;
            match connect(sure).await {
                Err(error) if is_refusal(&error) => {
                    tracing::debug!("a legacy server is probed again for its era: {error}");
                    eras.forget(target);
                    // The deadline is that of both attempts.
                    let left = |deadline: Duration| deadline.saturating_sub(began.elapsed());
                    self.connect_deadline = self.connect_deadline.map(left);
                }
                done => return done,
            }
        }
        let client = connect(self).await?;
        eras.note(target, client.revision().era());
        Ok(client)
    }
}

/// Returns the hash of a program with its arguments, environment variables and working directory.
pub(super) fn hash_of_program(program: &Program) -> TargetHash {
    let mut hasher = DefaultHasher::new();
    let command = program.command();
    command.get_program().hash(&mut hasher);
    command.get_args().for_each(|it| it.hash(&mut hasher));
    program.variables().hash(&mut hasher);
    command.get_current_dir().hash(&mut hasher);
    hasher.finish()
}

/// Returns the hash of a server's URL.
#[cfg(feature = "http-client")]
pub(super) fn hash_of_url(url: &str) -> TargetHash {
    let mut hasher = DefaultHasher::new();
    url.hash(&mut hasher);
    hasher.finish()
}

/// Returns whether the error may mean that the server is not legacy any more. An unreachable server, one that
/// refuses access and one that takes too long do not mean that.
fn is_refusal(error: &Error) -> bool {
    match error {
        Error::Closed { .. } | Error::Decode { .. } => true,
        Error::Http { status, .. } => (400..500).contains(status) && !matches!(status, 401 | 403 | 429),
        Error::Rpc(error) => !matches!(error.kind(), ErrorKind::Late { .. }),
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
        for target in 0..=MOST as u64 {
            eras.note(target, Era::Legacy);
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert_eq!(eras.known().len(), MOST);
        assert!(!eras.is_legacy(0) && eras.is_legacy(1) && eras.is_legacy(MOST as u64));
    }
}
