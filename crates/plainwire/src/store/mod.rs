//! What outlasts a connection: sessions, what was sent in them, and what replicas tell each other.
//!
//! In: a [`Store`], [`Memory`] unless somebody brings another. Out: sessions that any replica with the same store can
//! serve. Records and messages are opaque bytes here; what they mean is the transport's business. [`contract`] has the
//! tests that every store has to pass.

pub mod contract;
mod limits;
mod memory;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

pub use limits::Limits;
pub use memory::Memory;

/// What a store does, done later.
pub type Doing<'s, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 's>>;

/// Keeps sessions, their event logs and a bus, for one process or for many.
///
/// All methods are cancel safe: a future that is dropped has done its work or nothing. Ids and channels are ASCII of at
/// most 128 bytes. A session that is removed or expires takes its streams with it.
pub trait Store: Send + Sync + 'static {
    /// Makes a session that lives until nobody has touched it for `idle`.
    ///
    /// # Errors
    /// [`StoreError::Full`] when there are as many sessions as there may be, [`StoreError::Failed`] for an id that is
    /// taken.
    fn create<'s>(&'s self, session: &'s str, record: &'s [u8], idle: Duration) -> Doing<'s, ()>;

    /// Returns the record of a session; `None` if there is none.
    fn load<'s>(&'s self, session: &'s str) -> Doing<'s, Option<Vec<u8>>>;

    /// Replaces the record of a session. Returns whether there is one.
    fn save<'s>(&'s self, session: &'s str, record: &'s [u8]) -> Doing<'s, bool>;

    /// Lets a session live for another `idle`. Returns whether there is one.
    fn touch<'s>(&'s self, session: &'s str, idle: Duration) -> Doing<'s, bool>;

    /// Ends a session. Returns whether there was one.
    fn remove<'s>(&'s self, session: &'s str) -> Doing<'s, bool>;

    /// Writes an event behind the last one of a stream, and returns its number: 1 for the first one. A session keeps so
    /// many events and so many bytes; the oldest of all its streams go first.
    ///
    /// # Errors
    /// [`StoreError::Failed`] if there is no such session.
    fn append<'s>(&'s self, session: &'s str, stream: u64, event: &'s [u8]) -> Doing<'s, u64>;

    /// Takes note that nothing more will be written to a stream: its tails end behind the last event.
    fn close<'s>(&'s self, session: &'s str, stream: u64) -> Doing<'s, ()>;

    /// Follows a stream from behind the event `after`: what was written, then what is being written, each event once
    /// and in order. `None` if the session never had such a stream, or has forgotten all of it.
    fn tail<'s>(&'s self, session: &'s str, stream: u64, after: u64) -> Doing<'s, Option<Box<dyn Tail>>>;

    /// Sends a message to whoever listens to a channel now, on any replica.
    fn publish<'s>(&'s self, channel: &'s str, message: &'s [u8]) -> Doing<'s, ()>;

    /// Listens to a channel: to what is published from now on.
    fn subscribe<'s>(&'s self, channel: &'s str) -> Doing<'s, Box<dyn Subscription>>;
}

/// A stream being followed. Dropped when nobody reads any more.
pub trait Tail: Send {
    /// Returns what comes next; `None` behind the last event of a stream that is closed, or whose session has ended.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Tailed, StoreError>>>;
}

/// What comes next in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tailed {
    /// An event with its number.
    Event(u64, Vec<u8>),
    /// So many events are not kept any more; the next one is the first that is.
    Gone(u64),
}

/// A channel being listened to. Dropped when nobody listens any more.
pub trait Subscription: Send {
    /// Returns the next message; `None` when there will be none.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Heard, StoreError>>>;
}

/// What comes next on a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A message.
    Message(Vec<u8>),
    /// So many messages came faster than they were taken, and are lost.
    Missed(u64),
}

/// Why a store could not do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// There is no room for another session.
    Full {
        /// How many there may be.
        limit: usize,
    },
    /// Anything else, in words.
    Failed(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { limit } => {
                write!(f, "expected at most {limit} sessions (limit `sessions`), but found one more")
            }
            Self::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for StoreError {}
