//! A store in the memory of one process.
//!
//! In: calls of [`Store`]. Out: one state for all clones, so that two servers of one process that have clones
//! of one store are two replicas. Nothing is written to disk, and no task is spawned. Sessions expire by
//! tokio's clock. An expired session is freed when it is accessed, or with a few others when a session is
//! created; a tail that waits ends at the expiry.
//!
//! Lock order: a shard of the sessions before a log, a log before the sizes of all logs, and a shard of the bus
//! before a mailbox. No waker is woken under a lock.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use self::bus::Bus;
use self::sessions::Sessions;
use super::{Limits, Store, StoreError, StoreFuture, Subscription, Tail};

mod bus;
mod clock;
mod log;
mod sessions;
#[cfg(test)]
mod tests;
mod total;

/// A store in the memory of this process.
///
/// Clones share one state. When the last clone is dropped, all sessions and subscriptions end.
///
/// ```
/// use std::time::Duration;
///
/// use plainwire::store::{Memory, Store};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), plainwire::store::StoreError> {
/// let store = Memory::default();
/// let replica = store.clone();
/// store.create("9f2c", b"who it is", Duration::from_secs(60)).await?;
/// assert_eq!(replica.load("9f2c").await?, Some(b"who it is".to_vec()));
/// # Ok(()) }
/// ```
///
/// The newest event of a session is kept even if it is larger than `Limits::bytes` by itself, and so is the
/// newest message of a subscription. At `Limits::bytes_of_all`, newest events of other sessions may be dropped. An
/// event for a closed stream is refused. An open stream whose events are all dropped is still known, and continues its
/// numbers; a closed one is forgotten with its last event, once it has no tails. Poll tails inside of a tokio runtime
/// with its timer enabled, because they wait for the expiry of their session.
#[derive(Clone)]
pub struct Memory {
    shared: Arc<MemoryState>,
}

/// The state that all clones of a store share.
struct MemoryState {
    bus: Arc<Bus>,
    limits: Limits,
    sessions: Sessions,
}

impl Memory {
    /// Makes an empty store with these limits.
    pub fn new(limits: Limits) -> Self {
        let bus = Arc::new(Bus::new(limits));
        Self { shared: Arc::new(MemoryState { bus, limits, sessions: Sessions::new(limits.sessions) }) }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("limits", &self.shared.limits).finish_non_exhaustive()
    }
}

impl Store for Memory {
    fn create<'s>(&'s self, session: &'s str, record: &'s [u8], idle: Duration) -> StoreFuture<'s, ()> {
        Box::pin(async move {
            check_name("a session's id", session)?;
            self.shared.sessions.create(session, record, idle)
        })
    }

    fn load<'s>(&'s self, session: &'s str) -> StoreFuture<'s, Option<Vec<u8>>> {
        Box::pin(async move { Ok(self.shared.sessions.load(session)) })
    }

    fn save<'s>(&'s self, session: &'s str, record: &'s [u8]) -> StoreFuture<'s, bool> {
        Box::pin(async move { Ok(self.shared.sessions.save(session, record)) })
    }

    fn touch<'s>(&'s self, session: &'s str, idle: Duration) -> StoreFuture<'s, bool> {
        Box::pin(async move { Ok(self.shared.sessions.touch(session, idle)) })
    }

    fn remove<'s>(&'s self, session: &'s str) -> StoreFuture<'s, bool> {
        Box::pin(async move { Ok(self.shared.sessions.remove(session)) })
    }

    fn append<'s>(&'s self, session: &'s str, stream: u64, event: &'s [u8]) -> StoreFuture<'s, u64> {
        Box::pin(async move {
            let log = self.shared.sessions.log_to_write(session).ok_or_else(log::no_session)?;
            log.append(stream, event, &self.shared.limits)
        })
    }

    fn close<'s>(&'s self, session: &'s str, stream: u64) -> StoreFuture<'s, ()> {
        Box::pin(async move {
            if let Some(log) = self.shared.sessions.log(session) {
                log.close(stream);
            }
            Ok(())
        })
    }

    fn tail<'s>(
        &'s self,
        session: &'s str,
        stream: u64,
        after: u64,
    ) -> StoreFuture<'s, Option<Box<dyn Tail>>> {
        Box::pin(async move {
            let tail = self.shared.sessions.log(session).and_then(|log| log.tail(stream, after));
            Ok(tail.map(|tail| Box::new(tail) as Box<dyn Tail>))
        })
    }

    fn publish<'s>(&'s self, channel: &'s str, message: &'s [u8]) -> StoreFuture<'s, ()> {
        Box::pin(async move {
            self.shared.bus.publish(channel, message);
            Ok(())
        })
    }

    fn subscribe<'s>(&'s self, channel: &'s str) -> StoreFuture<'s, Box<dyn Subscription>> {
        Box::pin(async move {
            check_name("a channel", channel)?;
            Ok(Box::new(self.shared.bus.subscribe(channel)) as Box<dyn Subscription>)
        })
    }
}

/// Refuses ids and channels that [`Store`] does not allow. Only methods that create a session or a
/// subscription check this: other methods find nothing under such a name.
fn check_name(what: &str, name: &str) -> Result<(), StoreError> {
    if name.is_ascii() && name.len() <= MAX_NAME {
        return Ok(());
    }
    let (length, ascii) = (name.len(), if name.is_ascii() { "ASCII" } else { "not all of them ASCII" });
    Err(StoreError::failed(format!(
        "expected {what} to be ASCII of at most {MAX_NAME} bytes, but found {length} bytes, {ascii}"
    )))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic under a lock leaves valid values, because the calls that change them do not panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Largest length of an id or a channel, in bytes.
const MAX_NAME: usize = 128;

/// Number of shards of the sessions and of the bus, each with a lock of its own.
const SHARDS: usize = 16;
