//! What outlasts a connection: sessions, what was sent in them, and what replicas tell each other.
//!
//! In: a [`Store`], [`Memory`] unless somebody brings another. Out: sessions that any replica with the same store can
//! serve. Records and messages are opaque bytes here; what they mean is the transport's business. [`contract`] has the
//! tests that every store has to pass.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

pub mod contract;
mod limits;
pub(crate) mod memory;

pub use limits::Limits;
pub use memory::Memory;

/// What a store does, done later. Boxed, so that servers need not know which store it is.
pub type StoreFuture<'s, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 's>>;

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
    fn create<'s>(&'s self, session: &'s str, record: &'s [u8], idle: Duration) -> StoreFuture<'s, ()>;

    /// Returns the record of a session; `None` if there is none.
    fn load<'s>(&'s self, session: &'s str) -> StoreFuture<'s, Option<Vec<u8>>>;

    /// Replaces the record of a session. Returns whether there is one.
    fn save<'s>(&'s self, session: &'s str, record: &'s [u8]) -> StoreFuture<'s, bool>;

    /// Lets a session live for another `idle`. Returns whether there is one.
    fn touch<'s>(&'s self, session: &'s str, idle: Duration) -> StoreFuture<'s, bool>;

    /// Ends a session. Returns whether there was one.
    fn remove<'s>(&'s self, session: &'s str) -> StoreFuture<'s, bool>;

    /// Writes an event behind the last one of a stream, and returns its number: 1 for the first one. A session keeps so
    /// many events and so many bytes; the oldest of all its streams go first.
    ///
    /// # Errors
    /// [`StoreError::Failed`] if there is no such session.
    fn append<'s>(&'s self, session: &'s str, stream: u64, event: &'s [u8]) -> StoreFuture<'s, u64>;

    /// Takes note that nothing more will be written to a stream: its tails end behind the last event.
    fn close<'s>(&'s self, session: &'s str, stream: u64) -> StoreFuture<'s, ()>;

    /// Follows a stream from behind the event `after`: what was written, then what is being written, each event once
    /// and in order. `None` if the session never had such a stream, has forgotten all of it, or has not got as far as
    /// `after`: whoever asks has not read that here.
    fn tail<'s>(
        &'s self,
        session: &'s str,
        stream: u64,
        after: u64,
    ) -> StoreFuture<'s, Option<Box<dyn Tail>>>;

    /// Sends a message to whoever listens to a channel now, on any replica.
    fn publish<'s>(&'s self, channel: &'s str, message: &'s [u8]) -> StoreFuture<'s, ()>;

    /// Listens to a channel: to what is published from now on.
    fn subscribe<'s>(&'s self, channel: &'s str) -> StoreFuture<'s, Box<dyn Subscription>>;
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
///
/// Two are equal if they say the same; sources can't be compared.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no room for another session.
    Full {
        /// How many there may be.
        limit: usize,
    },
    /// Anything else: [`Self::failed`].
    #[non_exhaustive]
    Failed {
        /// What failed, in words.
        why: String,
        /// The error that it comes from, as of the library that reaches the store.
        source: Option<Arc<dyn std::error::Error + Send + Sync>>,
    },
}

impl StoreError {
    /// Says what failed.
    pub fn failed(why: impl Into<String>) -> Self {
        Self::Failed { why: why.into(), source: None }
    }

    /// Says what failed, and keeps the error that it comes from; `why` does not repeat it.
    ///
    /// ```
    /// use std::error::Error as _;
    ///
    /// use plainwire::store::StoreError;
    ///
    /// let reset = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    /// let error = StoreError::failed_by("writing an event", reset);
    /// assert_eq!(error.to_string(), "writing an event");
    /// assert_eq!(error.source().expect("what it comes from").to_string(), "connection reset");
    /// ```
    pub fn failed_by(
        why: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Failed { why: why.into(), source: Some(source.into().into()) }
    }

    /// The error and all that it comes from, for logs.
    #[cfg(feature = "http")]
    pub(crate) fn in_full(&self) -> String {
        let sources = std::iter::successors(std::error::Error::source(self), |error| error.source());
        sources.fold(self.to_string(), |text, source| format!("{text}: {source}"))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { limit } => {
                write!(f, "expected at most {limit} sessions (limit `sessions`), but found one more")
            }
            Self::Failed { why, .. } => f.write_str(why),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed { source: Some(source), .. } => Some(&**source),
            Self::Failed { source: None, .. } | Self::Full { .. } => None,
        }
    }
}

impl PartialEq for StoreError {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Full { limit }, Self::Full { limit: other }) => limit == other,
            (Self::Failed { why, .. }, Self::Failed { why: other, .. }) => why == other,
            (Self::Failed { .. }, Self::Full { .. }) | (Self::Full { .. }, Self::Failed { .. }) => false,
        }
    }
}

impl Eq for StoreError {}
