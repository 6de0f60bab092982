//! Stores for everything that outlasts a connection: sessions, the events sent in them, and the messages
//! between replicas.
//!
//! In: a [`Store`]; without one, servers use [`Memory`]. Out: sessions that any replica with the same store
//! can serve. Records, events and messages are opaque bytes here; only the HTTP transport interprets them.
//! [`contract`] has the tests that every store has to pass.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

pub mod contract;
#[cfg(test)]
#[path = "../../../tests/support/store_double.rs"]
pub(crate) mod double;
mod limits;
pub(crate) mod memory;

pub use limits::Limits;
pub use memory::Memory;

/// The future of a store's method. Boxed, so that servers do not depend on the type of the store.
pub type StoreFuture<'s, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 's>>;

/// A store of sessions, their event logs (streams of numbered events) and channels between replicas, for one
/// process or for many.
///
/// All methods are cancel safe: a future that is dropped before it is ready has done all of its work or
/// nothing. Ids and channels are ASCII of at most 128 bytes. A session that is removed or expires takes its
/// streams with it.
pub trait Store: Send + Sync + 'static {
    /// Creates a session with this record. The session expires when it was not touched for `idle`.
    ///
    /// # Errors
    /// [`StoreError::Full`] at the limit of sessions, [`StoreError::Failed`] if the id is taken.
    fn create<'s>(&'s self, session: &'s str, record: &'s [u8], idle: Duration) -> StoreFuture<'s, ()>;

    /// Returns the record of a session; `None` if there is no such session.
    fn load<'s>(&'s self, session: &'s str) -> StoreFuture<'s, Option<Vec<u8>>>;

    /// Replaces the record of a session. Returns whether the session exists.
    fn save<'s>(&'s self, session: &'s str, record: &'s [u8]) -> StoreFuture<'s, bool>;

    /// Makes a session live for `idle`, counted from now. Returns whether the session exists.
    fn touch<'s>(&'s self, session: &'s str, idle: Duration) -> StoreFuture<'s, bool>;

    /// Ends a session. Returns whether the session existed.
    fn remove<'s>(&'s self, session: &'s str) -> StoreFuture<'s, bool>;

    /// Appends an event to a stream of a session, and returns the number of the event: 1 for the first one in
    /// the stream. The first event makes the stream. The number of events and bytes that a session keeps is
    /// limited; the oldest events of all its streams are dropped first.
    ///
    /// # Errors
    /// [`StoreError::Failed`] if there is no such session. [`Memory`] also refuses an event for a closed
    /// stream, and a new stream beyond [`Limits::streams`].
    fn append<'s>(&'s self, session: &'s str, stream: u64, event: &'s [u8]) -> StoreFuture<'s, u64>;

    /// Closes a stream: nothing more will be written to it, and its tails end after its newest event. Does
    /// nothing if there is no such stream.
    fn close<'s>(&'s self, session: &'s str, stream: u64) -> StoreFuture<'s, ()>;

    /// Follows a stream, starting after the event `after`: first the events that are stored, then new ones,
    /// each event once and in order. `None` if there is no such session or stream, or if the store has
    /// dropped all events of the stream and forgotten it. `None` also if the stream has not reached the event
    /// `after`, so that the caller can't have read that event here.
    fn tail<'s>(
        &'s self,
        session: &'s str,
        stream: u64,
        after: u64,
    ) -> StoreFuture<'s, Option<Box<dyn Tail>>>;

    /// Sends a message to all current subscriptions of a channel, on all replicas.
    fn publish<'s>(&'s self, channel: &'s str, message: &'s [u8]) -> StoreFuture<'s, ()>;

    /// Subscribes to a channel: to the messages that are published from now on.
    fn subscribe<'s>(&'s self, channel: &'s str) -> StoreFuture<'s, Box<dyn Subscription>>;
}

/// A reader of a stream. The server drops a tail that it no longer reads.
pub trait Tail: Send {
    /// Returns the next item. `None` after the newest event of a closed stream, and when the session has
    /// ended.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Tailed, StoreError>>>;
}

/// An item of a [`Tail`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tailed {
    /// An event: its number in the stream, and its contents.
    Event(u64, Vec<u8>),
    /// The number of events that were dropped before the tail read them. The oldest event that is kept comes
    /// next.
    Gone(u64),
}

/// A subscription to a channel. Dropping it ends the subscription.
pub trait Subscription: Send {
    /// Returns the next item; `None` when no more will come, for example because the store has ended.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Heard, StoreError>>>;
}

/// An item of a [`Subscription`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The contents of a published message.
    Message(Vec<u8>),
    /// The number of messages that were lost, because they were published faster than the subscription was
    /// polled.
    Missed(u64),
}

/// An error of a store: its limit of sessions is reached, or an operation failed.
///
/// Two errors are equal if they are of the same variant and their `Display` texts are equal; sources are not
/// compared.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The limit of sessions is reached.
    Full {
        /// The limit of sessions.
        limit: usize,
    },
    /// Any other failure, made by [`Self::failed`] or [`Self::failed_by`].
    #[non_exhaustive]
    Failed {
        /// A description of the failed operation.
        why: String,
        /// The underlying error, for example of the library that connects to the store.
        source: Option<Arc<dyn std::error::Error + Send + Sync>>,
    },
}

impl StoreError {
    /// Makes an error from a description of what failed.
    pub fn failed(why: impl Into<String>) -> Self {
        Self::Failed { why: why.into(), source: None }
    }

    /// Makes an error from a description and the underlying error. `why` should not repeat the text of
    /// `source`.
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

    /// Returns the text of the error and of all its sources, for logs.
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
