//! The signals that ask a process to end.
//!
//! In: SIGINT (Ctrl-C) and, on Unix, SIGTERM. Out: a future that is ready then, or a reader that is at its end.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, ReadBuf};

use super::{AbortOnDrop, spawn};

/// Returns a future that is ready once the process has received SIGINT or SIGTERM. From this call on, these signals no
/// longer end the process.
///
/// # Panics
/// Outside of a runtime.
pub(crate) fn asked_to_end() -> impl Future<Output = ()> + Send {
    // Not in the future: a signal that came before its first poll would end the process.
    let mut listeners = listeners();
    poll_fn(move |cx| match listeners.iter_mut().any(|listener| listener.poll_recv(cx).is_ready()) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
}

/// Returns a listener for each of the signals; none for a signal that the system does not let a program handle.
#[cfg(unix)]
fn listeners() -> Vec<tokio::signal::unix::Signal> {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
    kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect()
}

#[cfg(not(unix))]
fn listeners() -> Vec<tokio::signal::windows::CtrlC> {
    tokio::signal::windows::ctrl_c().into_iter().collect()
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
        let until = asked_to_end();
        let task = spawn(async move {
            until.await;
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_signal_that_comes_before_the_first_poll_does_not_end_the_process() {
        let until = asked_to_end();
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM)
            .expect("a process of our own");
        until.await;
    }
}
