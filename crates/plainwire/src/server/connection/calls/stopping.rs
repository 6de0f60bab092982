//! Stopping running calls: when they are cancelled, at shutdown, and when their connection ends.
//!
//! In: a call's key and the [`OnCancel`] of its tool. Out: a task that is aborted, left to finish, or
//! detached.

use std::ops::ControlFlow;

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::peer::CallKey;
#[cfg(feature = "http")]
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use super::Calls;
#[cfg(feature = "http")]
use crate::runtime::spawn;
use crate::server::context::{Context, OnCancel, Signal};

/// A call that runs as a task, with the handles to stop it, or that was recorded and is being started.
pub(super) struct CallTask {
    /// The handle of the task; `None` while the call is being started.
    abort: Option<AbortHandle>,
    /// The context of the call; `None` if the handler took none, and while the call is being started.
    pub(super) context: Option<Context>,
    /// Whether the call was cancelled while it was being started: then it is stopped as soon as it runs as a
    /// task.
    pub(super) is_cancelled: bool,
    on_cancel: OnCancel,
}

impl Calls {
    /// Cancels the call `key`, and stops it as its [`OnCancel`] says. `Break` means that the request is over
    /// at once, since no task runs the call any more or the task was detached. `Continue` means that the
    /// request is over when the task ends.
    pub(super) fn stop(&mut self, key: CallKey) -> ControlFlow<()> {
        let Some(task) = self.tasks.get_mut(&key) else { return ControlFlow::Break(()) };
        let Some(abort) = task.abort.clone() else {
            task.is_cancelled = true;
            return ControlFlow::Continue(());
        };
        match task.on_cancel {
            OnCancel::Drop => task.kill(),
            OnCancel::Finish => task.cancel(),
            OnCancel::Detach => {
                task.cancel();
                if self.built.detached.take(&abort) {
                    self.tasks.remove(&key);
                    return ControlFlow::Break(());
                }
                tracing::warn!(
                    "a cancelled call still counts as in flight: too many detached calls run (limit `detached`)"
                );
            }
        }
        ControlFlow::Continue(())
    }

    /// Stops all calls of a connection that has ended, and waits for those that run to their end
    /// ([`OnCancel`]), at most for the drain time.
    pub(crate) async fn wind_up(mut self) {
        let keys: Vec<CallKey> = self.tasks.keys().copied().collect();
        for key in keys {
            let _ = self.stop(key);
        }
        self.tasks.retain(|_, task| task.on_cancel.runs_on());
        let finished = async {
            while !self.tasks.is_empty()
                && let Some(signal) = self.channel.next().await
            {
                if let Signal::Done { key, .. } | Signal::Ended(key) = signal {
                    self.tasks.remove(&key);
                }
            }
        };
        if tokio::time::timeout(self.built.drain, finished).await.is_err() {
            tracing::warn!("{} calls did not finish within the drain time", self.tasks.len());
        }
    }

    /// Like [`Self::wind_up`], on a task of its own. Outside of a tokio runtime, all calls are stopped
    /// without waiting.
    #[cfg(feature = "http")]
    pub(crate) fn leave(self) {
        if self.running() > 0 && Handle::try_current().is_ok() {
            spawn(self.wind_up());
        }
    }

    /// Stops every running call, because the input of the connection has ended and the drain time has passed.
    /// The peer answers the calls with an error, except those that the client has cancelled.
    pub(crate) fn give_up(&mut self) {
        let text = "expected the call to end while the server still served, but it is shutting down";
        for (key, task) in std::mem::take(&mut self.tasks) {
            task.kill();
            self.peer.respond_error(key, &Error::new(ErrorKind::Internal, text));
        }
    }
}

impl CallTask {
    pub(super) fn new(abort: AbortHandle, context: Option<Context>, on_cancel: OnCancel) -> Self {
        Self { abort: Some(abort), context, is_cancelled: false, on_cancel }
    }

    /// Returns a call that was recorded and is not a task yet.
    pub(super) fn starting(on_cancel: OnCancel) -> Self {
        Self { abort: None, context: None, is_cancelled: false, on_cancel }
    }

    /// Stops the call, or lets it run to its end as its [`OnCancel`] says, because its connection has ended.
    #[cfg(feature = "http")]
    pub(super) fn leave(&self) {
        if self.on_cancel.runs_on() { self.cancel() } else { self.kill() }
    }

    /// Cancels the context of the call: its answer is no longer wanted.
    fn cancel(&self) {
        if let Some(context) = &self.context {
            context.cancel();
        }
    }

    /// Stops the call: aborts its task, unless a [step](crate::Context::step) of the call runs. Such a task
    /// ends by itself when the step has ended. A call that [`OnCancel`] lets run to its end is aborted even
    /// during a step, because it would also continue after the step.
    fn kill(&self) {
        self.cancel();
        let steps = self.context.as_ref().is_some_and(|context| context.asking().has_steps());
        if let Some(abort) = &self.abort
            && (self.on_cancel.runs_on() || !steps)
        {
            abort.abort();
        }
    }
}

impl Drop for Calls {
    /// Stops all calls that still run, because their connection ends.
    fn drop(&mut self) {
        self.tasks.values().for_each(CallTask::kill);
    }
}
