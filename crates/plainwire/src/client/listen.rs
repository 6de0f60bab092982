//! Hearing about changes, whatever the server's revision calls it.
//!
//! A [`Listen`] and the connection share a set of changes that nobody has looked at yet. A change that is in it
//! already is not added again, so that whoever never looks costs no more than what they asked for.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plainwire_proto::cursor::List;
use plainwire_proto::model::SubscriptionFilter;
use plainwire_proto::peer::Change;
use tokio::sync::{Notify, mpsc, oneshot};

use super::connection::Wish;
use super::{Client, GONE};
use crate::error::{Error, Result};

/// Changes of a server, as they come. Dropping it ends the subscription.
///
/// It outlives no connection: after [`Client::close`], and after the server's end, there is nothing more to hear.
pub struct Listen {
    honoured: SubscriptionFilter,
    shared: Arc<Shared>,
    ticket: u64,
    /// Weak: a subscription does not keep a connection alive.
    wishes: mpsc::WeakSender<Wish>,
}

impl Listen {
    /// Returns the next change, or `None` once the subscription has ended.
    ///
    /// Changes that come while nobody asks are told once each. Cancel safe: nothing is lost.
    pub async fn next(&mut self) -> Option<Change> {
        loop {
            {
                let mut heard = self.shared.heard();
                if let Some(change) = heard.pop() {
                    return Some(change);
                }
                if heard.ended {
                    return None;
                }
            }
            self.shared.news.notified().await;
        }
    }

    /// Returns what the server agreed to tell, which may be less than was asked for.
    pub fn honoured(&self) -> &SubscriptionFilter {
        &self.honoured
    }
}

impl Drop for Listen {
    fn drop(&mut self) {
        self.shared.heard().dropped = true;
        if let Some(wishes) = self.wishes.upgrade() {
            // A full queue is no loss: the next change finds that nobody listens.
            let _ = wishes.try_send(Wish::Unlisten(self.ticket));
        }
    }
}

impl fmt::Debug for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listen").field("honoured", &self.honoured).finish_non_exhaustive()
    }
}

impl Client {
    /// Hears about the changes that `filter` names, whatever revision the server speaks.
    ///
    /// Comes back when the server has agreed, which has to happen within the idle deadline. A list of which a legacy
    /// server does not promise to tell changes is not honoured. Cancel safe: a subscription that nobody gets is ended.
    ///
    /// # Errors
    /// [`Error::Rpc`] if the server refuses or says nothing; [`Error::Closed`] if the connection ends.
    pub async fn listen(&self, filter: SubscriptionFilter) -> Result<Listen> {
        let shared = Arc::new(Shared::default());
        let (opened, honoured) = oneshot::channel();
        let ticket = self.next_ticket();
        // Made first: should this future be dropped, so is the subscription.
        let mut listen = Listen {
            honoured: SubscriptionFilter::default(),
            shared: shared.clone(),
            ticket,
            wishes: self.wishes.downgrade(),
        };
        let speaker = Speaker::new(shared, &filter);
        let ask = AskToListen { filter, opened, options: self.options, speaker, ticket };
        if self.wishes.send(Wish::Listen(Box::new(ask))).await.is_err() {
            return Err(self.server.closed(GONE).await);
        }
        let answer = match tokio::time::timeout(self.options.idle, honoured).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Error::Closed { why: GONE.to_owned() }),
            Err(_) => return Err(super::too_late("subscriptions/listen", "idle")),
        };
        match answer {
            Ok(honoured) => {
                listen.honoured = honoured;
                Ok(listen)
            }
            Err(error) => Err(self.server.explain(error).await),
        }
    }
}

/// A subscription that is wanted.
pub(crate) struct AskToListen {
    pub(crate) filter: SubscriptionFilter,
    pub(crate) opened: oneshot::Sender<Result<SubscriptionFilter>>,
    pub(crate) options: plainwire_proto::peer::RequestOptions,
    pub(crate) speaker: Speaker,
    pub(crate) ticket: u64,
}

/// The connection's end of a [`Listen`]; when it goes, there is nothing more to hear.
pub(crate) struct Speaker {
    lists: [bool; 3],
    shared: Arc<Shared>,
    uris: BTreeSet<String>,
}

impl Speaker {
    fn new(shared: Arc<Shared>, filter: &SubscriptionFilter) -> Self {
        Self {
            lists: [filter.prompts_list_changed, filter.resources_list_changed, filter.tools_list_changed],
            shared,
            uris: filter.resource_subscriptions.iter().cloned().collect(),
        }
    }

    /// Whether it was asked for this resource by this very URI.
    pub(crate) fn has(&self, uri: &str) -> bool {
        self.uris.contains(uri)
    }

    pub(crate) fn uris(&self) -> impl Iterator<Item = &String> {
        self.uris.iter()
    }

    /// Passes on that a list has changed, if it was asked for. Returns whether anybody still listens.
    pub(crate) fn tell_list(&self, list: List) -> bool {
        let [prompts, resources, tools] = self.lists;
        let wanted = match list {
            List::Prompts => prompts,
            List::Resources | List::ResourceTemplates => resources,
            List::Tools => tools,
        };
        self.tell(wanted.then_some(Change::List(list)))
    }

    /// Passes on that a resource has changed, if it or what it is a part of was asked for. Returns whether anybody
    /// still listens.
    ///
    /// Spec: `ResourceUpdatedNotification`: "This might be a sub-resource of the one that the client subscribed to".
    pub(crate) fn tell_resource(&self, uri: &str) -> bool {
        let asked = if self.uris.contains(uri) { Some(uri) } else { self.parent(uri) };
        let Some(asked) = asked else { return self.tell(None) };
        // Of a resource with no end of parts it is enough to know that it has changed.
        let full = self.shared.heard().queue.len() >= self.uris.len() + MAX_PARTS;
        let uri = if full { asked } else { uri }.to_owned();
        self.tell(Some(Change::Resource(uri)))
    }

    fn parent(&self, uri: &str) -> Option<&str> {
        let ends = uri.char_indices().filter(|&(_, c)| matches!(c, '/' | '?' | '#')).map(|(at, _)| at);
        ends.flat_map(|at| [&uri[..at], &uri[..=at]]).find_map(|part| self.uris.get(part).map(String::as_str))
    }

    fn tell(&self, change: Option<Change>) -> bool {
        let mut heard = self.shared.heard();
        if let Some(change) = change {
            heard.push(change);
        }
        let listens = !heard.dropped;
        drop(heard);
        self.shared.news.notify_one();
        listens
    }
}

impl Drop for Speaker {
    fn drop(&mut self) {
        self.shared.heard().ended = true;
        self.shared.news.notify_one();
    }
}

/// What a [`Listen`] and a [`Speaker`] have in common.
#[derive(Default)]
struct Shared {
    heard: Mutex<Heard>,
    news: Notify,
}

impl Shared {
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Invariant: what stands in `queue` stands in `waiting`, each once.
#[derive(Default)]
struct Heard {
    dropped: bool,
    ended: bool,
    queue: VecDeque<Change>,
    waiting: BTreeSet<Change>,
}

impl Heard {
    fn push(&mut self, change: Change) {
        if self.waiting.insert(change.clone()) {
            self.queue.push_back(change);
        }
    }

    fn pop(&mut self) -> Option<Change> {
        let change = self.queue.pop_front()?;
        self.waiting.remove(&change);
        Some(change)
    }
}

/// Parts of resources that wait to be looked at; more count as the resource itself. 256: as many as anybody would
/// read one by one.
const MAX_PARTS: usize = 256;

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
        std::iter::from_fn(|| speaker.shared.heard().pop()).collect()
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
