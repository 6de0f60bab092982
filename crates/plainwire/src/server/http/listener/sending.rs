//! Ends responses of HTTP/2 whose client takes nothing.
//!
//! In: the future of each stream, from `hyper`, and what the body of its response does. Out: the same future,
//! dropped if the body had data for the client, was not asked for more for too long, and none of its pieces was
//! written to the socket meanwhile; the stream is then reset. So that the time limit holds for the last piece too,
//! the end of the body follows once all pieces are sent. For HTTP/1.1, [`super::socket`] has the time limit.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use hyper::rt::Executor;
use tokio::time::Instant;

use crate::runtime;

thread_local! {
    /// The progress of the stream that this thread polls now.
    static CURRENT: RefCell<Option<Arc<Progress>>> = const { RefCell::new(None) };
}

/// The executor that spawns the streams of HTTP/2 connections.
#[derive(Clone, Copy, Debug)]
pub(super) struct Streams {
    /// The longest time for which a client may take nothing of a response that is ready.
    pub(super) patience: Duration,
}

/// The progress of the response of one stream, shared by the stream's task, the body of the response, and the
/// pieces of the body that `h2` has not written to the socket yet.
#[derive(Debug, Default)]
pub(super) struct Progress(Mutex<Sending>);

#[derive(Debug, Default)]
struct Sending {
    /// The task that waits until all pieces are sent.
    end: Option<Waker>,
    /// Whether the server has nothing more for the client at the moment.
    is_idle: bool,
    /// The number of pieces that are not sent yet. They wait until the client's flow-control window has room.
    unsent: usize,
    /// The time since which the response waits for its client; `None` while it waits for the server.
    waiting: Option<Instant>,
}

impl Progress {
    /// Returns the progress of the stream that is being polled; `None` outside of a stream of HTTP/2.
    pub(super) fn current() -> Option<Arc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Records that a response begins, and whether it has a body.
    pub(super) fn begin(&self, has_body: bool) {
        self.lock().waiting = has_body.then(Instant::now);
    }

    /// Returns a piece of the body, which counts as unsent until it is dropped. Without a time limit for the
    /// last piece, a client could keep a response open for ever, by a window that is one byte too small.
    pub(super) fn hand_out(self: &Arc<Self>, bytes: Bytes) -> Bytes {
        let mut sending = self.lock();
        sending.unsent += 1;
        sending.is_idle = false;
        sending.waiting = Some(Instant::now());
        Bytes::from_owner(Piece { bytes, of: Arc::clone(self) })
    }

    /// Records that the server has nothing for the client at the moment.
    pub(super) fn rest(&self) {
        let mut sending = self.lock();
        sending.is_idle = true;
        if sending.unsent == 0 {
            sending.waiting = None;
        }
    }

    pub(super) fn is_all_sent(&self) -> bool {
        self.lock().unsent == 0
    }

    /// Waits until all pieces are sent.
    pub(super) fn poll_all_sent(&self, cx: &Context<'_>) -> Poll<()> {
        self.rest();
        let mut sending = self.lock();
        if sending.unsent == 0 {
            return Poll::Ready(());
        }
        sending.end = Some(cx.waker().clone());
        Poll::Pending
    }

    fn waiting_since(&self) -> Option<Instant> {
        self.lock().waiting
    }

    fn lock(&self) -> MutexGuard<'_, Sending> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A piece of a body on its way to the client.
struct Piece {
    bytes: Bytes,
    of: Arc<Progress>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let mut sending = self.of.lock();
        sending.unsent -= 1;
        let is_over = sending.unsent == 0 && sending.is_idle;
        sending.waiting = (!is_over).then(Instant::now);
        let end = if sending.unsent == 0 { sending.end.take() } else { None };
        drop(sending);
        end.into_iter().for_each(Waker::wake);
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
