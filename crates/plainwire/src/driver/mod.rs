//! The one room that spawns and selects: it carries bytes between a stream and a peer, and runs handlers.
//!
//! In: a built server or a client's wishes, and a stream. Out: a connection that runs until it ends. Messages mean
//! nothing here (that is the peer's), names mean nothing here (that is the catalog's).
//!
//! Every task has an owner: a connection is awaited by who serves it, or aborted when its client is dropped; a call
//! is aborted when it is cancelled and reports its end in any case.

mod call;
mod calls;
mod changes;
pub(crate) mod client;
mod deadline;
mod detached;
#[cfg(feature = "http")]
pub(crate) mod exchange;
pub(crate) mod host;
#[cfg(feature = "http")]
pub(crate) mod one_stream;
mod questions;
mod server;
#[cfg(feature = "http")]
pub(crate) mod session;
mod wire;

use std::future::{Future, pending};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plainwire_proto::peer::Now;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::JoinHandle;
use tokio::time::{Instant, Sleep};

pub(crate) use deadline::Deadline;
pub(crate) use detached::Detached;
#[cfg(feature = "oauth")]
pub(crate) use detached::to_the_end;

use crate::error::{Error, Result};
use crate::result::ToolError;
use crate::server::Built;
use crate::transport::Stream;

/// Serves one connection until it ends.
pub(crate) async fn serve(built: Arc<Built>, stream: Stream) -> Result<()> {
    // A task of its own, also when the caller is inside `block_on`: a wake-up of the runtime's own task is cheaper.
    let task = spawn(server::Pump::new(built, stream).run());
    let _abort = AbortOnDrop(task.abort_handle());
    task.await.map_err(|ended| Error::Closed { why: format!("the connection's task failed: {ended}") })
}

/// Serves a connection for as long as its other end lives.
pub(crate) fn serve_in_background((built, stream): (Arc<Built>, Stream)) {
    spawn(server::Pump::new(built, stream).run());
}

/// Stops a task when its owner goes away.
#[derive(Debug)]
pub(crate) struct AbortOnDrop(pub(crate) tokio::task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the spawning room")]
fn spawn<F>(future: F) -> JoinHandle<F::Output>
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

/// Does work that may block where it holds up nobody. A future that is dropped leaves the work to its end.
pub(crate) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ToolError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| ToolError::failed(format!("expected blocking work to end, but found: {error}")))
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
fn aside<T>(step: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => tokio::task::block_in_place(step),
        _ => step(),
    }
}

/// The time that others can read.
fn unix() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Polls a timer that goes off at `at`, if ever. Returns whether it has.
fn poll_until(timer: &mut Option<Pin<Box<Sleep>>>, at: Option<Instant>, cx: &mut Context<'_>) -> bool {
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
struct Clock {
    began: Instant,
}

impl Clock {
    fn start() -> Self {
        Self { began: Instant::now() }
    }

    fn now(self) -> Now {
        Now { monotonic: self.began.elapsed(), unix: unix() }
    }

    /// The moment at which [`Now::monotonic`] is `monotonic`; `None` for one that no clock can tell.
    fn instant(self, monotonic: Duration) -> Option<Instant> {
        self.began.checked_add(monotonic)
    }
}
