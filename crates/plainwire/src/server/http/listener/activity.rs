//! The activity of a connection: how many of its requests are open, and whether it is idle.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::task::{Context, Poll};

/// Counters of a connection, shared by its task, its socket and its requests.
#[derive(Default)]
pub(super) struct Activity {
    /// The number of requests that have begun so far, plus the number of those that have ended.
    turns: AtomicU64,
    /// The number of requests whose responses are not completely sent yet.
    open: AtomicUsize,
    /// Whether the server stopped reading the body of any request before its end.
    unread: AtomicBool,
    /// Whether any request has begun or ended since the current poll of the connection's task began.
    worked: AtomicBool,
}

impl Activity {
    /// Returns whether no request is open, and none has begun or ended since the call before this one. `last` is
    /// the value of `turns` at that call; this call updates it.
    pub(super) fn is_idle_since(&self, last: &mut u64) -> bool {
        let turns = self.turns.load(Relaxed);
        std::mem::replace(last, turns) == turns && self.open.load(Relaxed) == 0
    }

    /// Returns whether a request is open: it has begun, and its response is not completely sent.
    pub(super) fn has_open(&self) -> bool {
        self.open.load(Relaxed) > 0
    }

    /// Polls `connection`, and notes the requests that begin or end meanwhile.
    pub(super) fn follow<F: Future>(&self, connection: Pin<&mut F>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.worked.store(false, Relaxed);
        connection.poll(cx)
    }

    fn turn(&self) {
        self.turns.fetch_add(1, Relaxed);
        self.worked.store(true, Relaxed);
    }

    /// Returns whether any request has begun or ended since the current poll of the connection's task began.
    pub(super) fn has_worked(&self) -> bool {
        self.worked.load(Relaxed)
    }

    /// Returns whether a request body was left unread, so that the client may still be sending.
    pub(super) fn has_unread(&self) -> bool {
        self.unread.load(Relaxed)
    }

    /// Records that a request body was left unread.
    pub(super) fn note_unread(&self) {
        self.unread.store(true, Relaxed);
    }
}

/// The mark of an open request: the request counts as open until this is dropped. The body of its response
/// ([`Counted`]) holds this.
pub(super) struct Open(Arc<Activity>);

impl Open {
    pub(super) fn new(activity: &Arc<Activity>) -> Self {
        activity.turn();
        activity.open.fetch_add(1, Relaxed);
        Self(Arc::clone(activity))
    }

    /// Returns the activity of the connection.
    pub(super) fn activity(&self) -> Arc<Activity> {
        Arc::clone(&self.0)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.turn();
        self.0.open.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_whose_long_request_has_just_ended_is_not_idle_yet() {
        let (activity, mut last) = (Arc::<Activity>::default(), 0);
        let long = Open::new(&activity);
        assert!(!activity.is_idle_since(&mut last), "it has begun");
        assert!(!activity.is_idle_since(&mut last), "it is open");
        drop(long);
        assert!(!activity.is_idle_since(&mut last), "it has only just ended");
        assert!(activity.is_idle_since(&mut last));
    }
}
