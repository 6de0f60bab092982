//! Subscriptions to changes of a server, in every revision.
//!
//! A [`Listen`] and the connection task share a queue of unread changes. A change that is in the queue is not
//! added again, so the queue stays bounded even if the program never reads it.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plainwire_proto::cursor::List;
use plainwire_proto::model::SubscriptionFilter;
use plainwire_proto::peer::Change;
use tokio::sync::{Notify, mpsc, oneshot};

use super::connection::Command;
use super::{Client, GONE};
use crate::error::{Error, Result};

/// A subscription to changes of a server. Dropping it ends the subscription.
///
/// The subscription ends with the connection: no change arrives after [`Client::close`], or after the server
/// has ended the connection.
pub struct Listen {
    honoured: SubscriptionFilter,
    shared: Arc<SharedQueue>,
    /// The client's number of the subscription.
    ticket: u64,
    /// The channel to the connection task. Weak: a subscription does not keep a connection alive.
    commands: mpsc::WeakSender<Command>,
}

impl Listen {
    /// Returns the next change, or `None` once the subscription has ended.
    ///
    /// Changes that arrive between two calls are reported once each. Cancel safe: no change is lost.
    pub async fn next(&mut self) -> Option<Change> {
        loop {
            {
                let mut pending = self.shared.pending();
                if let Some(change) = pending.pop() {
                    return Some(change);
                }
                if pending.ended {
                    return None;
                }
            }
            self.shared.news.notified().await;
        }
    }

    /// Returns the changes that the server agreed to report, which may be fewer than were requested.
    pub fn honoured(&self) -> &SubscriptionFilter {
        &self.honoured
    }
}

impl Drop for Listen {
    fn drop(&mut self) {
        self.shared.pending().dropped = true;
        if let Some(commands) = self.commands.upgrade() {
            // If the queue is full, the connection task notices at the next change that the `Listen` is gone.
            let _ = commands.try_send(Command::Unlisten(self.ticket));
        }
    }
}

impl fmt::Debug for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listen").field("honoured", &self.honoured).finish_non_exhaustive()
    }
}

impl Client {
    /// Subscribes to the changes that `filter` names, in every revision.
    ///
    /// Returns once the server has agreed; the idle deadline limits the wait. [`Listen::honoured`] says which
    /// changes the server will report: a legacy server reports only those that it declares. Cancel safe: if
    /// the future is dropped, the subscription ends.
    ///
    /// # Errors
    /// [`Error::Rpc`] if the server refuses; [`Error::Deadline`] if it does not answer; [`Error::Closed`] if the connection ends.
    pub async fn listen(&self, filter: SubscriptionFilter) -> Result<Listen> {
        let shared = Arc::new(SharedQueue::default());
        let (opened, honoured) = oneshot::channel();
        let ticket = self.next_ticket();
        // Created first: if this future is dropped, the drop of `listen` ends the subscription.
        let mut listen = Listen {
            honoured: SubscriptionFilter::default(),
            shared: shared.clone(),
            ticket,
            commands: self.shared.commands.downgrade(),
        };
        let speaker = Speaker::new(shared, &filter);
        let ask = AskToListen { filter, opened, options: self.shared.options, speaker, ticket };
        if self.shared.commands.send(Command::Listen(Box::new(ask))).await.is_err() {
            return Err(self.shared.far_end.closed(GONE).await);
        }
        let answer = match tokio::time::timeout(self.shared.options.idle, honoured).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Error::Closed { why: GONE.to_owned() }),
            Err(_) => {
                let what = "`subscriptions/listen`".to_owned();
                return Err(Error::Deadline {
                    what,
                    limit: "idle",
                    time: self.shared.options.idle,
                    may_have_run: false,
                });
            }
        };
        match answer {
            Ok(honoured) => {
                listen.honoured = honoured;
                Ok(listen)
            }
            Err(error) => Err(self.shared.far_end.explain(error).await),
        }
    }
}

/// The content of the command with which a client subscribes.
pub(crate) struct AskToListen {
    pub(crate) filter: SubscriptionFilter,
    /// The channel for the result: the changes that the server agreed to report.
    pub(crate) opened: oneshot::Sender<Result<SubscriptionFilter>>,
    pub(crate) options: plainwire_proto::peer::RequestOptions,
    pub(crate) speaker: Speaker,
    /// The client's number of the subscription.
    pub(crate) ticket: u64,
}

/// The connection task's end of a [`Listen`], which adds changes to the queue. Dropping it ends the
/// subscription.
pub(crate) struct Speaker {
    /// Whether the subscription covers the lists of prompts, resources and tools, in this order.
    lists: [bool; 3],
    shared: Arc<SharedQueue>,
    /// The length in bytes of the longest URI in `uris`.
    longest: usize,
    /// The URIs of the resources that the subscription names.
    uris: BTreeSet<String>,
}

impl Speaker {
    fn new(shared: Arc<SharedQueue>, filter: &SubscriptionFilter) -> Self {
        Self {
            lists: [filter.prompts_list_changed, filter.resources_list_changed, filter.tools_list_changed],
            shared,
            longest: filter.resource_subscriptions.iter().map(String::len).max().unwrap_or_default(),
            uris: filter.resource_subscriptions.iter().cloned().collect(),
        }
    }

    /// Returns whether the subscription names exactly this URI.
    pub(crate) fn has(&self, uri: &str) -> bool {
        self.uris.contains(uri)
    }

    pub(crate) fn uris(&self) -> impl Iterator<Item = &String> {
        self.uris.iter()
    }

    /// Adds the change of a list to the queue, if the subscription covers it. Returns whether the [`Listen`]
    /// still exists.
    pub(crate) fn tell_list(&self, list: List) -> bool {
        let [prompts, resources, tools] = self.lists;
        let wanted = match list {
            List::Prompts => prompts,
            List::Resources | List::ResourceTemplates => resources,
            List::Tools => tools,
        };
        self.tell(wanted.then_some((Change::List(list), 0)))
    }

    /// Adds the change of a resource to the queue, if the subscription names it or a resource that it is a
    /// part of. Returns whether the [`Listen`] still exists.
    ///
    /// Spec: `ResourceUpdatedNotification`: "This might be a sub-resource of the one that the client
    /// subscribed to".
    pub(crate) fn tell_resource(&self, uri: &str) -> bool {
        if self.uris.contains(uri) {
            return self.tell(Some((Change::Resource(uri.to_owned()), 0)));
        }
        let Some(whole) = self.parent(uri) else { return self.tell(None) };
        let part = Change::Resource(uri.to_owned());
        // Once many parts have changed, further changes are reported as a change of the whole resource, so
        // the queue stays bounded.
        let is_full = {
            let pending = self.shared.pending();
            let has_room = pending.queue.len() < self.uris.len() + MAX_PARTS
                && pending.bytes + uri.len() <= MAX_PART_BYTES;
            !has_room && !pending.waiting.contains(&part)
        };
        self.tell(Some(if is_full { (Change::Resource(whole.to_owned()), 0) } else { (part, uri.len()) }))
    }

    /// Returns the subscribed URI of the resource that `uri` is a part of: the beginning of `uri`, up to a
    /// `/`, `?` or `#`.
    fn parent(&self, uri: &str) -> Option<&str> {
        let ends = uri.char_indices().filter(|&(_, c)| matches!(c, '/' | '?' | '#')).map(|(at, _)| at);
        let ends = ends.take_while(|at| *at <= self.longest);
        ends.flat_map(|at| [&uri[..at], &uri[..=at]]).find_map(|part| self.uris.get(part).map(String::as_str))
    }

    /// Adds a change, if there is one, to the queue, and wakes the reader. The number beside the change is the length
    /// of the URI if a part of a resource has changed, otherwise 0. Returns whether the [`Listen`] still exists.
    fn tell(&self, change: Option<(Change, usize)>) -> bool {
        let mut pending = self.shared.pending();
        if let Some((change, bytes)) = change {
            pending.push(change, bytes);
        }
        let listens = !pending.dropped;
        drop(pending);
        self.shared.news.notify_one();
        listens
    }
}

impl Drop for Speaker {
    fn drop(&mut self) {
        self.shared.pending().ended = true;
        self.shared.news.notify_one();
    }
}

/// The queue of unread changes that a [`Listen`] and its [`Speaker`] share.
#[derive(Default)]
struct SharedQueue {
    pending: Mutex<PendingChanges>,
    news: Notify,
}

impl SharedQueue {
    fn pending(&self) -> MutexGuard<'_, PendingChanges> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The unread changes of one subscription. Invariants: `queue` and `waiting` hold the same changes, each once;
/// `bytes` is the sum of the numbers in `queue`.
#[derive(Default)]
struct PendingChanges {
    /// The length of the URIs of all parts of resources.
    bytes: usize,
    /// Whether the [`Listen`] was dropped.
    dropped: bool,
    /// Whether the [`Speaker`] was dropped, so that no more changes arrive.
    ended: bool,
    /// The changes, each with the length of its URI if a part of a resource has changed, otherwise with 0.
    queue: VecDeque<(Change, usize)>,
    waiting: BTreeSet<Change>,
}

impl PendingChanges {
    fn push(&mut self, change: Change, bytes: usize) {
        if self.waiting.insert(change.clone()) {
            self.bytes += bytes;
            self.queue.push_back((change, bytes));
        }
    }

    fn pop(&mut self) -> Option<Change> {
        let (change, bytes) = self.queue.pop_front()?;
        self.bytes -= bytes;
        self.waiting.remove(&change);
        Some(change)
    }
}

/// The limit for reports about parts of resources. If this many changes are unread, in addition to one for
/// each subscribed resource, a change of a part is reported as a change of the whole resource. 256: more than
/// a program would read one by one.
const MAX_PARTS: usize = 256;

/// The same limit for the URIs of these parts, in bytes. 1 MiB: 4 KiB for each.
const MAX_PART_BYTES: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn speaker(uris: &[&str]) -> Speaker {
        let filter = SubscriptionFilter {
            resource_subscriptions: uris.iter().map(|uri| (*uri).to_owned()).collect(),
            tools_list_changed: true,
            ..SubscriptionFilter::default()
        };
        Speaker::new(Arc::default(), &filter)
    }

    fn heard(speaker: &Speaker) -> Vec<Change> {
        std::iter::from_fn(|| speaker.shared.pending().pop()).collect()
    }

    fn resource(uri: &str) -> Change {
        Change::Resource(uri.to_owned())
    }

    #[test]
    fn tells_what_was_asked_for_once_and_in_order() {
        let speaker = speaker(&["a:1", "a:2"]);
        for uri in ["a:2", "a:1", "a:2", "a:3", "a:11"] {
            speaker.tell_resource(uri);
        }
        for list in [List::Tools, List::Prompts, List::Tools] {
            speaker.tell_list(list);
        }
        assert_eq!(heard(&speaker), [resource("a:2"), resource("a:1"), Change::List(List::Tools)]);
        speaker.tell_resource("a:2");
        assert_eq!(heard(&speaker), [resource("a:2")], "what was looked at may change again");
    }

    #[test]
    fn tells_of_parts_of_what_was_asked_for() {
        let speaker = speaker(&["file:///p/", "db://t"]);
        for uri in ["file:///p/a/b", "db://t/1", "db://t#2", "db://tt", "file:///q"] {
            speaker.tell_resource(uri);
        }
        assert_eq!(heard(&speaker), ["file:///p/a/b", "db://t/1", "db://t#2"].map(resource));
    }

    #[test]
    fn unread_parts_have_a_mebibyte_together() {
        let speaker = speaker(&["db://t", "db://u"]);
        let part = |bytes: usize| format!("db://t/{}", "x".repeat(bytes - "db://t/".len()));
        let (half, rest) = (part(1 << 19), part((1 << 19) - 1));
        for uri in [&half, &rest, &half, "db://u", "db://t"] {
            speaker.tell_resource(uri);
        }
        // One byte is left, and whole resources do not count.
        assert_eq!(speaker.shared.pending().queue.len(), 4);
        speaker.tell_resource("db://u/1");
        assert!(heard(&speaker) == [&*half, &*rest, "db://u", "db://t"].map(resource));
        // Read parts make room.
        for (last, whole) in [(1 << 19, false), ((1 << 19) + 1, true)] {
            let last = part(last).replace("/x", "/y");
            speaker.tell_resource(&half);
            speaker.tell_resource(&last);
            let last = if whole { "db://t" } else { &last };
            assert!(heard(&speaker) == [&*half, last].map(resource), "{whole}");
        }
    }

    #[test]
    fn parts_that_nobody_looks_at_become_the_whole() {
        let speaker = speaker(&["db://t"]);
        for n in 0..10_000 {
            speaker.tell_resource(&format!("db://t/{n}"));
        }
        let heard = heard(&speaker);
        assert_eq!(heard.len(), 1 + MAX_PARTS + 1);
        assert_eq!(heard.last(), Some(&resource("db://t")));
    }
}
