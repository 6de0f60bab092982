//! The shutdown signal for response streams that do not end by themselves.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// The shutdown signal of an endpoint, and the response streams that wait for it.
#[derive(Debug, Default)]
pub(crate) struct ShutdownSignal {
    has_begun: AtomicBool,
    streams: Arc<Notify>,
}

impl ShutdownSignal {
    /// Signals the shutdown to all streams, including streams that begin later.
    pub(crate) fn begin(&self) {
        self.has_begun.store(true, Ordering::SeqCst);
        self.streams.notify_waiters();
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::SeqCst)
    }

    /// Returns a future that is ready when the shutdown begins; `None` if it has begun already.
    pub(crate) fn watch(&self) -> Option<Pin<Box<OwnedNotified>>> {
        // In this order: a shutdown that begins in between either wakes the future or is seen by the check.
        let told = Arc::clone(&self.streams).notified_owned();
        (!self.has_begun()).then(|| Box::pin(told))
    }
}
