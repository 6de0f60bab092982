//! Tasks, blocking work, panics, the clock, timers and random bytes. Only this module spawns tasks.
//!
//! In: futures and functions from other modules. Out: tasks that run them. This module uses no other module
//! of the crate.
//!
//! Every task has an owner that awaits it or stops it, except tasks of `spawn_detached`. For example, the
//! code that serves a connection awaits the task of that connection, and a client stops the task of its
//! connection when the client is dropped.

use std::future::{Future, pending};
use std::pin::Pin;
use std::task::Context;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plainwire_proto::peer::Now;
use tokio::task::JoinHandle;
use tokio::time::{Instant, Sleep};

mod aside;
mod deadline;
mod detached;
mod gate;
mod line_pause;
#[cfg(feature = "http")]
mod machine;
pub(crate) mod panics;
pub(crate) mod random;
mod signals;
mod tasks;

pub(crate) use deadline::Deadline;
pub(crate) use detached::Detached;
pub(crate) use gate::{Gate, Passage};
pub(crate) use line_pause::LinePause;
#[cfg(feature = "http")]
pub(crate) use machine::memory;
pub(crate) use signals::UntilAsked;
#[cfg(feature = "http")]
pub(crate) use signals::asked_to_end;
pub(crate) use tasks::TaskSet;

/// A guard for a task. Dropping the guard stops the task.
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

/// Spawns a task without an owner: an HTTP connection, which ends when either side closes it, or periodic
/// cleanup.
#[cfg(feature = "http")]
pub(crate) fn spawn_detached(work: impl Future<Output = ()> + Send + 'static) {
    spawn(work);
}

/// Lets other workers run the task that this thread has woken last. A worker keeps that task for itself, to run
/// it right after the current task. Without this function, the woken task would wait as long as code of a handler
/// blocks this thread.
#[cfg(feature = "http")]
pub(crate) fn share_woken() {
    // The worker keeps this task instead.
    spawn(async {});
}

/// Runs blocking work outside the async threads and waits for it.
///
/// ```
/// use plainwire::prelude::*;
///
/// async fn lines() -> Result<u64, ToolError> {
///     let text = plainwire::handler::blocking(|| std::fs::read_to_string("Cargo.toml")).await?;
///     Ok(text.lines().count() as u64)
/// }
/// # let _ = lines;
/// ```
///
/// A panic of `work` continues in the caller, so that a handler which waits for `work` ends as if it had
/// panicked itself. `work` runs in the `tracing` span that is current in the caller. Blocking work can't be
/// stopped: if this future is dropped, for example by a cancelled call, work that already runs continues and
/// its result is discarded. A tool that should count as running until its work has ended sets
/// [`crate::server::context::OnCancel::Finish`]. At most 512 pieces of work run at once, unless the runtime
/// is built with another `max_blocking_threads`; further pieces wait.
///
/// # Panics
/// If `work` panics, and outside of a tokio runtime.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let span = tracing::Span::current();
    match tokio::task::spawn_blocking(move || panics::catch(|| span.in_scope(work))).await {
        Ok(Ok(done)) => done,
        Ok(Err(panic)) => panic.resume(),
        // The runtime is shutting down, and the task that waits here ends with it.
        Err(_) => pending().await,
    }
}

/// Returns the time since 1970, for values that other processes read.
pub(crate) fn unix() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Sets `timer` to end at `at`, and polls it. Returns whether the timer has ended. If `at` is `None`, removes
/// the timer and returns false.
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

/// The clock of a connection. It follows the clock of the runtime, so that a test that pauses that clock also
/// pauses deadlines.
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

    /// Returns the instant at which [`Now::monotonic`] is `monotonic`, or `None` if it is too far in the
    /// future to be represented.
    pub(crate) fn instant(self, monotonic: Duration) -> Option<Instant> {
        self.began.checked_add(monotonic)
    }
}
