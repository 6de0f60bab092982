//! The end of a server, told to the streams that would outlast it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// Whether the server is about to end, and who has to hear of it.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    has_begun: AtomicBool,
    streams: Arc<Notify>,
}

impl Ending {
    /// Tells all streams, those that begin later too.
    pub(crate) fn begin(&self) {
        self.has_begun.store(true, Ordering::SeqCst);
        self.streams.notify_waiters();
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::SeqCst)
    }

    /// Returns what is ready when the end begins; `None` if it has begun.
    pub(crate) fn watch(&self) -> Option<Pin<Box<OwnedNotified>>> {
        // In this order: what begins in between is heard by the one or seen by the other.
        let told = Arc::clone(&self.streams).notified_owned();
        (!self.has_begun()).then(|| Box::pin(told))
    }
}
