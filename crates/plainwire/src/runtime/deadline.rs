//! The end of the time that a call has.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as Poller, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

/// The end of a call's time, which does not pass while the call waits for a person.
pub(crate) struct Deadline {
    pub(crate) limit: Duration,
    sleep: Pin<Box<Sleep>>,
    /// How much waiting has been made up for.
    waited: Duration,
}

impl Deadline {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, sleep: Box::pin(tokio::time::sleep(limit)), waited: Duration::ZERO }
    }

    /// Ready when the time is over; `waited` is how long the call has waited so far.
    pub(crate) fn poll(&mut self, waited: Duration, cx: &mut Poller<'_>) -> Poll<()> {
        ready!(self.sleep.as_mut().poll(cx));
        let more = waited.saturating_sub(self.waited);
        if more.is_zero() {
            return Poll::Ready(());
        }
        self.waited = waited;
        // A moment at least: a call that still waits is looked at again and again.
        self.sleep.as_mut().reset(Instant::now() + more.max(Duration::from_millis(1)));
        self.sleep.as_mut().poll(cx)
    }
}
