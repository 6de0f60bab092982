//! The timer of a client connection. Its deadlines nearly always move to a later time before they pass.
//!
//! A later deadline does not change the timer: the timer fires too early once, and is then set to the
//! deadline. If each call set the timer, each call would wake the thread that waits for I/O, only to report a
//! deadline that is a minute away.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep, sleep_until};

/// The timer of a client connection; `None` until its first deadline is set.
#[derive(Default)]
pub(super) struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    /// Ready when `at` has passed; never ready without `at`. `cx` may be woken earlier.
    pub(super) fn poll(&mut self, at: Option<Instant>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(at) = at else { return Poll::Pending };
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(at)));
        if at < sleep.deadline() {
            sleep.as_mut().reset(at);
        }
        while sleep.as_mut().poll(cx).is_ready() {
            if at <= sleep.deadline() {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(at);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::Waker;
    use std::time::Duration;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn is_set_to(timer: &Timer) -> Option<Instant> {
        timer.0.as_ref().map(|sleep| sleep.deadline())
    }

    #[tokio::test(start_paused = true)]
    async fn a_deadline_that_moves_on_passes_at_its_new_time_although_the_timer_stays() {
        let (began, mut timer) = (Instant::now(), Timer::default());
        let mut cx = Context::from_waker(Waker::noop());
        assert!(timer.poll(Some(began + SECOND), &mut cx).is_pending());
        assert!(timer.poll(None, &mut cx).is_pending());
        let later = began + SECOND * 3;
        assert!(timer.poll(Some(later), &mut cx).is_pending());
        assert_eq!(is_set_to(&timer), Some(began + SECOND));
        poll_fn(|cx| timer.poll(Some(later), cx)).await;
        assert_eq!(began.elapsed(), SECOND * 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_deadline_that_comes_nearer_passes_in_time() {
        let (began, mut timer) = (Instant::now(), Timer::default());
        let mut cx = Context::from_waker(Waker::noop());
        assert!(timer.poll(Some(began + SECOND * 60), &mut cx).is_pending());
        poll_fn(|cx| timer.poll(Some(began + SECOND), cx)).await;
        assert_eq!(began.elapsed(), SECOND);
    }
}
