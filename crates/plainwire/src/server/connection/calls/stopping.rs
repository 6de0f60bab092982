//! How running calls are stopped: cancelled, given up, or left behind by their connection.
//!
//! In: a call's key and what its tool wants to happen. Out: a task that is aborted, left to finish, or handed on.

use std::ops::ControlFlow;

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::peer::CallKey;
#[cfg(feature = "http")]
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use super::Calls;
#[cfg(feature = "http")]
use crate::runtime::spawn;
use crate::server::context::{Context, Signal};
use crate::server::handler::OnCancel;

/// A call that is a task, with what it takes to stop it.
pub(super) struct Task {
    pub(super) abort: AbortHandle,
    pub(super) context: Option<Context>,
    pub(super) on_cancel: OnCancel,
}

impl Calls {
    /// Lets the call `key` know that it was cancelled, and stops it if that is what its tool wants. `Break` says that
    /// nobody has to wait for its end.
    pub(super) fn stop(&mut self, key: CallKey) -> ControlFlow<()> {
        let Some(task) = self.tasks.get(&key) else { return ControlFlow::Break(()) };
        match task.on_cancel {
            OnCancel::Drop => task.kill(),
            OnCancel::Finish => task.cancel(),
            OnCancel::Detach => {
                task.cancel();
                if self.built.detached.take(&task.abort) {
                    self.tasks.remove(&key);
                    return ControlFlow::Break(());
                }
                tracing::warn!("a cancelled call keeps its place: too many others run on (limit `detached`)");
            }
        }
        ControlFlow::Continue(())
    }

    /// Stops all calls of a connection that has ended, and waits for those that have to finish; at most for as long as
    /// calls may drain.
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
                if let Signal::Done(key, _) | Signal::Ended(key) = signal {
                    self.tasks.remove(&key);
                }
            }
        };
        if tokio::time::timeout(self.built.drain, finished).await.is_err() {
            tracing::warn!("{} calls did not finish in time", self.tasks.len());
        }
    }

    /// Stops all calls of a session that has ended, which nobody waits for. Without a runtime, nothing can finish any more.
    #[cfg(feature = "http")]
    pub(crate) fn leave(self) {
        if self.running() > 0 && Handle::try_current().is_ok() {
            spawn(self.wind_up());
        }
    }

    /// Stops every call that still runs and answers it: the server is about to end.
    pub(crate) fn give_up(&mut self) {
        let text = "expected the call to end while the server still served, but it is shutting down";
        for (key, task) in std::mem::take(&mut self.tasks) {
            task.kill();
            self.peer.respond_error(key, &Error::new(ErrorKind::Internal, text));
        }
    }
}

impl Task {
    /// Lets the call know that nobody wants its answer any more.
    fn cancel(&self) {
        if let Some(context) = &self.context {
            context.cancel();
        }
    }

    /// Stops the call. A step of it that runs gets the time to end, unless the call has had the time to finish: the task
    /// sees to that itself.
    fn kill(&self) {
        self.cancel();
        let steps = self.context.as_ref().is_some_and(|context| context.asking().has_steps());
        if self.on_cancel.runs_on() || !steps {
            self.abort.abort();
        }
    }
}

impl Drop for Calls {
    /// A connection that ends takes its calls with it.
    fn drop(&mut self) {
        self.tasks.values().for_each(Task::kill);
    }
}
