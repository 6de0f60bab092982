//! The signals that ask a process to end.
//!
//! In: SIGINT (Ctrl-C) and, on Unix, SIGTERM. Out: a future that is ready then, or a reader that is at its end.

use std::future::{Future as _, pending, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, ReadBuf};

use super::{AbortOnDrop, spawn};

/// Waits until the process receives SIGINT or SIGTERM. From the first poll on, these signals no longer end the
/// process.
pub(crate) async fn asked_to_end() {
    let mut interrupted = pin!(async {
        if tokio::signal::ctrl_c().await.is_err() {
            pending::<()>().await;
        }
    });
    let mut terminated = pin!(terminated());
    poll_fn(|cx| {
        if interrupted.as_mut().poll(cx).is_ready() || terminated.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}

#[cfg(unix)]
async fn terminated() {
    match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    pending().await
}

/// A reader that is at its end once the process is asked to end.
pub(crate) struct UntilAsked<R> {
    asked: Arc<Asked>,
    reader: R,
    /// The waker that `asked` has; `None` before the first wait.
    waker: Option<Waker>,
    _task: AbortOnDrop,
}

#[derive(Default)]
struct Asked {
    is_asked: AtomicBool,
    /// The waker of the reader's task, if that waits for input.
    waker: Mutex<Option<Waker>>,
}

impl<R> UntilAsked<R> {
    pub(crate) fn new(reader: R) -> Self {
        let asked = Arc::<Asked>::default();
        let told = Arc::clone(&asked);
        let task = spawn(async move {
            asked_to_end().await;
            told.is_asked.store(true, Ordering::SeqCst);
            let waker = told.waker.lock().unwrap_or_else(PoisonError::into_inner).take();
            waker.into_iter().for_each(Waker::wake);
        });
        Self { asked, reader, waker: None, _task: AbortOnDrop(task.abort_handle()) }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for UntilAsked<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.asked.is_asked.load(Ordering::SeqCst) {
            return Poll::Ready(Ok(()));
        }
        let read = Pin::new(&mut self.reader).poll_read(cx, buf);
        // Mostly the waker is the same as before, and nothing has to be locked.
        if read.is_pending() && !self.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            *self.asked.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(cx.waker().clone());
            self.waker = Some(cx.waker().clone());
            // The signal may have come before the waker was there.
            if self.asked.is_asked.load(Ordering::SeqCst) {
                return Poll::Ready(Ok(()));
            }
        }
        read
    }
}
