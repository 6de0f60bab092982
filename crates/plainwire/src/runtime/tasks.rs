//! A set of tasks with one owner.

use std::task::{Context, Poll};

use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

/// A set of tasks that stop when the set is dropped. [`Self::poll_next`] reports each task that has ended,
/// once. The set has no limit of tasks: its owner limits them.
#[derive(Debug)]
pub(crate) struct TaskSet<T>(JoinSet<T>);

impl<T: Send + 'static> TaskSet<T> {
    /// Starts a task of the set. Dropping the returned handle does not stop the task.
    pub(crate) fn spawn(&mut self, work: impl Future<Output = T> + Send + 'static) -> AbortHandle {
        self.0.spawn(work)
    }

    /// Returns the next task that has ended: its id and result, or an error if it panicked or was stopped.
    /// `None` if the set is empty.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<(Id, T), JoinError>>> {
        self.0.poll_join_next_with_id(cx)
    }

    /// Returns the number of tasks that [`Self::poll_next`] has not reported yet.
    #[cfg(feature = "http-client")]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl<T> Default for TaskSet<T> {
    fn default() -> Self {
        Self(JoinSet::new())
    }
}
