//! What has changed at any server of a host, each once.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use plainwire_proto::peer::Change;
use tokio::sync::Notify;

/// A change, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostChange {
    /// What has changed. Templates belong to the resources.
    pub change: Change,
    /// The host's name for the server.
    pub server: String,
}

/// Changes that nobody has looked at yet: at most three per server, since none is in it twice.
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

    /// Drops what is about a server that is there no more.
    pub(super) fn forget(&self, server: &str) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).retain(|it| it.server != server);
    }

    pub(super) async fn next(&self) -> HostChange {
        loop {
            let (next, more) = self.pop();
            // Whoever waits beside us was not told: a notification wakes one.
            if more {
                self.news.notify_one();
            }
            if let Some(next) = next {
                return next;
            }
            self.news.notified().await;
        }
    }

    /// The next one, and whether there are more.
    fn pop(&self) -> (Option<HostChange>, bool) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        (queue.pop_front(), !queue.is_empty())
    }
}
