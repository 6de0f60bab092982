//! The only room that spawns: tasks and their owners, blocking work, the clock, timers, random bytes.
//!
//! In: futures and functions of the other rooms. Out: tasks that run them. It knows no other room.
//!
//! Every task has an owner that awaits it or stops it: whoever serves a connection awaits its task, a client stops the
//! task of its connection when it is dropped, a call is stopped when it is cancelled.

use std::future::{Future, pending};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::task::Context;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plainwire_proto::peer::Now;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::JoinHandle;
use tokio::time::{Instant, Sleep};

mod deadline;
pub(crate) mod random;

pub(crate) use deadline::Deadline;

/// Stops a task when its owner goes away.
#[derive(Debug)]
pub(crate) struct AbortOnDrop(pub(crate) tokio::task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the spawning room")]
pub(crate) fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    tokio::spawn(future)
}

/// Begins work that has no owner: a connection of HTTP, which ends when either side leaves, and what keeps house.
#[cfg(feature = "http")]
pub(crate) fn spawn_detached(work: impl Future<Output = ()> + Send + 'static) {
    spawn(work);
}

/// Begins work that goes on to its end whether anybody waits for it or not. The future tells its result; `None` if the
/// runtime stopped it, or if it panicked.
///
/// The work ends itself: nothing here stops it.
#[cfg(feature = "oauth")]
pub(crate) fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> impl Future<Output = Option<T>> + Send + 'static {
    let task = spawn(work);
    async move { task.await.ok() }
}

/// Does work that blocks off the async threads, and waits for it.
///
/// ```
/// use plainwire::prelude::*;
///
/// async fn lines() -> Result<u64, ToolError> {
///     let text = plainwire::blocking(|| std::fs::read_to_string("Cargo.toml")).await?;
///     Ok(text.lines().count() as u64)
/// }
/// # let _ = lines;
/// ```
///
/// A panic of `work` goes on here, so that a handler that waits for it ends as by a panic of its own. The span of
/// `tracing` that the caller is in is entered there too. Work can't be stopped: if this future is dropped, as by a
/// cancelled call, work that runs already goes on and its result is discarded. A tool that keeps its place until then
/// says [`crate::OnCancel::Finish`]. At most 512 pieces of work run at once, unless the runtime is built with
/// another `max_blocking_threads`; the others wait.
///
/// # Panics
/// As `work` does, and outside of a tokio runtime.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let span = tracing::Span::current();
    match tokio::task::spawn_blocking(move || span.in_scope(work)).await {
        Ok(done) => done,
        Err(ended) => match ended.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The runtime ends, and so does whoever waits here.
            Err(_) => pending().await,
        },
    }
}

/// Takes a step that may block, on a runtime that can look after everything else meanwhile.
///
/// A worker that blocks may be the one that waits for input and output: then nobody does, however many others there
/// are. Measured: a tool that slept for 600 ms held up a ping for as long.
pub(crate) fn aside<T>(step: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => tokio::task::block_in_place(step),
        _ => step(),
    }
}

/// The time that others can read.
pub(crate) fn unix() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Polls a timer that goes off at `at`, if ever. Returns whether it has.
pub(crate) fn poll_until(
    timer: &mut Option<Pin<Box<Sleep>>>,
    at: Option<Instant>,
    cx: &mut Context<'_>,
) -> bool {
    let Some(at) = at else {
        *timer = None;
        return false;
    };
    let sleep = timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(at)));
    if sleep.deadline() != at {
        sleep.as_mut().reset(at);
    }
    sleep.as_mut().poll(cx).is_ready()
}

/// The clock of a connection: the runtime's own, so that a test that pauses it pauses deadlines too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    began: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { began: Instant::now() }
    }

    pub(crate) fn now(self) -> Now {
        Now { monotonic: self.began.elapsed(), unix: unix() }
    }

    /// The moment at which [`Now::monotonic`] is `monotonic`; `None` for one that no clock can tell.
    pub(crate) fn instant(self, monotonic: Duration) -> Option<Instant> {
        self.began.checked_add(monotonic)
    }
}
