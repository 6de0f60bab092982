//! Changes of the servers of a host, each reported once.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use plainwire_proto::peer::Change;
use tokio::sync::Notify;

/// A change of a server of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostChange {
    /// The list that has changed. A change of the resource templates counts as one of the resources.
    pub change: Change,
    /// The host's name for the server.
    pub server: String,
}

/// The queue of unread changes. Each change is in it once, so there are at most three per server.
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

    /// Drops the changes of a server that was removed.
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

    /// Takes the next change out. Returns it, and whether there are more.
    fn pop(&self) -> (Option<HostChange>, bool) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        (queue.pop_front(), !queue.is_empty())
    }
}
