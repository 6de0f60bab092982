//! Ends responses of HTTP/2 whose client takes nothing.
//!
//! In: the future of each stream, from `hyper`, and what the body of its response does. Out: the same future,
//! dropped if the body had data for the client and was not asked for more for too long; the stream is then
//! reset. For HTTP/1.1, [`super::socket`] does this.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use hyper::rt::Executor;
use tokio::time::Instant;

use crate::runtime;

thread_local! {
    /// The progress of the stream that this thread polls now.
    static CURRENT: RefCell<Option<Arc<Progress>>> = const { RefCell::new(None) };
}

/// Spawns the streams of HTTP/2 connections.
#[derive(Clone, Copy, Debug)]
pub(super) struct Streams {
    /// The longest time for which a client may take nothing of a response that is ready.
    pub(super) patience: Duration,
}

/// The progress of the response of one stream.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The time since which the response waits for its client; `None` while it waits for the server.
    waiting: Mutex<Option<Instant>>,
}

impl Progress {
    /// Returns the progress of the stream that is being polled; `None` outside of a stream of HTTP/2.
    pub(super) fn current() -> Option<Arc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Records that the response has something for its client from now on, or that it has nothing.
    pub(super) fn note(&self, has_data: bool) {
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = has_data.then(Instant::now);
    }

    fn waiting_since(&self) -> Option<Instant> {
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, stream: F) {
        let patience = self.patience;
        runtime::spawn_detached(async move {
            let (mut stream, mut timer) = (pin!(stream), None);
            let progress = Arc::<Progress>::default();
            poll_fn(|cx| {
                let outer = CURRENT.replace(Some(Arc::clone(&progress)));
                let polled = stream.as_mut().poll(cx);
                CURRENT.set(outer);
                if polled.is_ready() {
                    return Poll::Ready(());
                }
                let end = progress.waiting_since().and_then(|since| since.checked_add(patience));
                if runtime::poll_until(&mut timer, end, cx) {
                    tracing::info!(
                        "a client took nothing of a response for {patience:?}: its stream is reset"
                    );
                    return Poll::Ready(());
                }
                Poll::Pending
            })
            .await;
        });
    }
}
