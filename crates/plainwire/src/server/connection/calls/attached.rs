//! The attachments of the calls of one message: the HTTP headers that it came with, the tools that its URL offers, and
//! a value that the calls hold until they end, such as one of the slots for the requests that their client may have in
//! flight.
//!
//! In: the attachments, and messages. Out: the value is dropped with the last of the calls that these messages
//! started, even if that call was cancelled and its request no longer waits for an answer. Slots are not counted
//! here.

use std::any::Any;
use std::sync::Arc;

use plainwire_proto::error::Error;

#[cfg(feature = "http")]
use super::Calls;
#[cfg(feature = "http")]
use crate::server::catalog::selection::Selection;
use crate::server::context::Headers;

/// A value, such as a slot of a client, that is dropped when all calls that hold it are over.
pub(crate) type Held = Arc<dyn Any + Send + Sync>;

/// The count of a caller's memory, from which a call that runs as a task claims room for its answer: many calls
/// may end before the transport takes the first of their answers.
pub(crate) trait Budget: Send + Sync {
    /// Claims `bytes` until the returned value is dropped.
    ///
    /// # Errors
    /// The error that answers the call instead.
    fn claim(&self, bytes: usize) -> Result<Held, Error>;

    /// Checks whether an answer to this caller was dropped a moment ago, so that a call which has not begun need not
    /// begin.
    ///
    /// # Errors
    /// The error that answers the call.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the name of the caller: of the principal, or of the network; empty if neither is known.
    fn caller(&self) -> &str {
        ""
    }

    /// Returns the lane of this caller: a number. Waiting steps with the same lane queue up, and the lanes
    /// take turns.
    fn lane(&self) -> u64 {
        0
    }
}

/// The attachments that the transport gives to each call that one message starts.
#[derive(Clone, Default)]
pub(crate) struct Attached {
    /// The memory of the caller; `None` if the transport has no count of it.
    pub(crate) budget: Option<Arc<dyn Budget>>,
    pub(crate) headers: Headers,
    /// A value that the calls keep until they end; `None` if nothing waits for their end.
    pub(crate) held: Option<Held>,
    /// The tools that the URL of the message offers; `None` for all of them.
    #[cfg(feature = "http")]
    pub(crate) selection: Option<Arc<Selection>>,
}

impl Attached {
    /// Returns the name of the caller: of the principal, or of the network; empty if neither is known.
    pub(super) fn caller(&self) -> &str {
        self.budget.as_deref().map_or("", Budget::caller)
    }

    /// Returns the lane of the caller: a number. Waiting steps with the same lane queue up, and the lanes
    /// take turns.
    pub(crate) fn lane(&self) -> u64 {
        self.budget.as_deref().map_or(0, Budget::lane)
    }
}

#[cfg(feature = "http")]
impl Calls {
    /// Runs `take_in`, which handles messages. The calls that it starts get `attached`.
    pub(crate) fn attaching<T>(&mut self, attached: Attached, take_in: impl FnOnce(&mut Self) -> T) -> T {
        self.attached = attached;
        let taken = take_in(self);
        self.attached = Attached::default();
        taken
    }
}
