//! The deadline of a call.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as Poller, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

/// The deadline of a call. Time in which the call waits for an answer of the client does not count.
pub(crate) struct Deadline {
    /// The time that the call may take, without the time in which it waits for answers of the client.
    pub(crate) limit: Duration,
    sleep: Pin<Box<Sleep>>,
    /// The waiting time that has already been added to the deadline.
    waited: Duration,
}

impl Deadline {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, sleep: Box::pin(tokio::time::sleep(limit)), waited: Duration::ZERO }
    }

    /// Polls the deadline. Ready when the time of the call is over. `waited` is the total time for which the
    /// call has waited for answers of the client so far.
    pub(crate) fn poll(&mut self, waited: Duration, cx: &mut Poller<'_>) -> Poll<()> {
        ready!(self.sleep.as_mut().poll(cx));
        let more = waited.saturating_sub(self.waited);
        if more.is_zero() {
            return Poll::Ready(());
        }
        self.waited = waited;
        // At least 1 ms, because a call that is still waiting is polled again each time this timer ends.
        self.sleep.as_mut().reset(Instant::now() + more.max(Duration::from_millis(1)));
        self.sleep.as_mut().poll(cx)
    }
}
