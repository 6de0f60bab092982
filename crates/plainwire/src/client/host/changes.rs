//! The queue of changes that the servers of a host have reported and the program has not read yet. A change
//! that is already in the queue is not added again.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use plainwire_proto::peer::Change;
use tokio::sync::Notify;

/// A report that a list of a server of a host has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostChange {
    /// The list that has changed. A change of the resource templates is reported as a change of the
    /// resources.
    pub change: Change,
    /// The host's name for the server.
    pub server: String,
}

/// The queue of unread changes. No change is in it twice, so it has at most three per server: prompts,
/// resources and tools.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    news: Notify,
    queue: Mutex<VecDeque<HostChange>>,
}

impl Changes {
    pub(super) fn push(&self, change: HostChange) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if !queue.contains(&change) {
            queue.push_back(change);
        }
        drop(queue);
        self.news.notify_one();
    }

    /// Removes the unread changes of a server that was removed from the host.
    pub(super) fn forget(&self, server: &str) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).retain(|it| it.server != server);
    }

    pub(super) async fn next(&self) -> HostChange {
        loop {
            let (next, more) = self.pop();
            // A notification wakes only one waiting caller: wake the next one.
            if more {
                self.news.notify_one();
            }
            if let Some(next) = next {
                return next;
            }
            self.news.notified().await;
        }
    }

    /// Removes the oldest change from the queue. Returns it, and whether the queue has more.
    fn pop(&self) -> (Option<HostChange>, bool) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        (queue.pop_front(), !queue.is_empty())
    }
}
