//! Change notifications: one bus per server carries each change to the connections that watch it.
//!
//! In: any number of changes, from any task or thread. Out: for every connection, the changes of the topics
//! (lists and resources) that it watches. A change that a connection has not yet taken is not queued again,
//! so that a connection that never reads holds at most one entry per watched topic. Publishing never waits
//! and visits only the connections that watch the topic. Writing notifications is the work of the connection.
//! A [`Follower`] hears when a resource gets its first watcher, and when it has lost its last one.
//!
//! Order of locks: the bus first, then a mailbox. No waker is called and no foreign code runs under either
//! lock.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};

use plainwire_proto::cursor::List;
use plainwire_proto::peer::Change;
#[cfg(feature = "http")]
use tokio::sync::mpsc;

/// A topic that clients watch: one of three lists (templates count as resources), or a resource by URI.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Topic {
    Prompts,
    Resources,
    Tools,
    Uri(Arc<str>),
}

impl Topic {
    fn of_list(list: List) -> Self {
        match list {
            List::Prompts => Self::Prompts,
            List::Resources | List::ResourceTemplates => Self::Resources,
            List::Tools => Self::Tools,
        }
    }

    fn to_change(&self) -> Change {
        match self {
            Self::Prompts => Change::List(List::Prompts),
            Self::Resources => Change::List(List::Resources),
            Self::Tools => Change::List(List::Tools),
            Self::Uri(uri) => Change::Resource(uri.to_string()),
        }
    }
}

/// The bus of a server: it knows which connection watches which topics, and passes changes to the
/// connections. Shared by every connection of the server, its handles and the contexts of its calls.
#[derive(Debug, Default)]
pub(crate) struct Bus {
    /// Not set if no part of the server follows what is watched.
    follower: OnceLock<Arc<dyn Follower>>,
    index: Mutex<Index>,
    /// The queue of changes that are sent to other replicas of the server; not set if the server has no
    /// replicas.
    #[cfg(feature = "http")]
    outside: OnceLock<mpsc::Sender<Change>>,
}

/// A part of the server that follows which resources are watched.
pub(crate) trait Follower: fmt::Debug + Send + Sync {
    /// Called after a resource got its first watcher, or lost its last one; under no lock of the bus.
    fn follow(&self);
}

/// The watchers of each topic.
#[derive(Debug, Default)]
struct Index {
    /// The number of the newest [`Mailbox`]; 0 before the first. Each mailbox has a number of its own.
    last: u64,
    lists: HashMap<Topic, Watchers>,
    uris: HashMap<Arc<str>, Watchers>,
}

/// The connections that watch one topic: the changes that each has not yet taken, by the number of its
/// mailbox.
type Watchers = HashMap<u64, Arc<Mutex<Pending>>>;

/// The changes that a connection has not yet taken, and the waker of its task. Shared by the connection and
/// the bus.
#[derive(Debug, Default)]
struct Pending {
    topics: Queue,
    waker: Option<Waker>,
}

/// A queue of topics in the order of arrival, each at most once.
#[derive(Debug, Default)]
struct Queue {
    /// The topics by the numbers that they got when they were added, so that the oldest is first.
    by_number: BTreeMap<u64, Topic>,
    /// The number that the newest topic got, even if it has left the queue; 0 before the first.
    last: u64,
    /// The number of each topic in the queue. Invariant: the inverse of `by_number`.
    numbers: HashMap<Topic, u64>,
}

impl Queue {
    /// Adds a topic at the end. Returns whether it was new; a topic already in the queue keeps its position.
    fn push(&mut self, topic: &Topic) -> bool {
        if self.numbers.contains_key(topic) {
            return false;
        }
        self.last += 1;
        self.numbers.insert(topic.clone(), self.last);
        self.by_number.insert(self.last, topic.clone());
        true
    }

    /// Removes and returns the oldest topic. If that topic changes again, it is queued behind the topics that
    /// wait, so that a topic that changes often does not hold up the others.
    fn pop(&mut self) -> Option<Topic> {
        let (_, topic) = self.by_number.pop_first()?;
        self.numbers.remove(&topic);
        Some(topic)
    }

    fn remove(&mut self, topic: &Topic) {
        if let Some(number) = self.numbers.remove(topic) {
            self.by_number.remove(&number);
        }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.by_number.len()
    }
}

impl Bus {
    /// Sends `change` to every connection that watches it, including connections of other replicas of the
    /// server. If too many changes wait to be sent to the replicas, the replicas miss this one, and a warning
    /// is logged.
    pub(crate) fn publish(&self, change: &Change) {
        #[cfg(feature = "http")]
        if let Some(outside) = self.outside.get()
            && outside.try_send(change.clone()).is_err()
        {
            tracing::warn!("a change was not passed on to other replicas: too many changes at once");
        }
        self.publish_here(change);
    }

    /// Sets the queue of changes that are sent to other replicas of the server. Only the first call has an
    /// effect.
    #[cfg(feature = "http")]
    pub(crate) fn tell_outside(&self, outside: mpsc::Sender<Change>) {
        let _ = self.outside.set(outside);
    }

    /// Sends `change` to every connection of this process that watches it.
    pub(crate) fn publish_here(&self, change: &Change) {
        let mut woken = Vec::new();
        {
            let index = lock(&self.index);
            let (topic, watchers) = match change {
                Change::List(list) => {
                    let Some((topic, watchers)) = index.lists.get_key_value(&Topic::of_list(*list)) else {
                        return;
                    };
                    (topic.clone(), watchers)
                }
                Change::Resource(uri) => {
                    let Some((uri, watchers)) = index.uris.get_key_value(uri.as_str()) else { return };
                    (Topic::Uri(Arc::clone(uri)), watchers)
                }
            };
            for pending in watchers.values() {
                let mut pending = lock(pending);
                if pending.topics.push(&topic) {
                    woken.extend(pending.waker.take());
                }
            }
        }
        woken.into_iter().for_each(Waker::wake);
    }

    fn watch(&self, number: u64, topic: &Topic, pending: &Arc<Mutex<Pending>>) {
        let mut index = lock(&self.index);
        let watchers = match topic {
            Topic::Uri(uri) => index.uris.entry(Arc::clone(uri)).or_default(),
            list => index.lists.entry(list.clone()).or_default(),
        };
        let is_first = watchers.is_empty();
        watchers.insert(number, Arc::clone(pending));
        drop(index);
        self.tell_follower(is_first, topic);
    }

    fn unwatch(&self, number: u64, topic: &Topic) {
        let mut index = lock(&self.index);
        let mut is_last = false;
        match topic {
            Topic::Uri(uri) => {
                if let Some(watchers) = index.uris.get_mut(uri) {
                    watchers.remove(&number);
                    if watchers.is_empty() {
                        index.uris.remove(uri);
                        is_last = true;
                    }
                }
            }
            list => {
                if let Some(watchers) = index.lists.get_mut(list) {
                    watchers.remove(&number);
                    if watchers.is_empty() {
                        index.lists.remove(list);
                    }
                }
            }
        }
        drop(index);
        self.tell_follower(is_last, topic);
    }

    /// Sets who follows what is watched. Only the first call has an effect.
    pub(crate) fn set_follower(&self, follower: Arc<dyn Follower>) {
        let _ = self.follower.set(follower);
    }

    fn tell_follower(&self, is_changed: bool, topic: &Topic) {
        if is_changed
            && matches!(topic, Topic::Uri(_))
            && let Some(follower) = self.follower.get()
        {
            follower.follow();
        }
    }

    /// Returns the resources that are watched, by their URIs, in no order.
    pub(crate) fn watched(&self) -> Vec<String> {
        lock(&self.index).uris.keys().map(ToString::to_string).collect()
    }

    /// Returns whether any resource is watched.
    pub(crate) fn is_any_watched(&self) -> bool {
        !lock(&self.index).uris.is_empty()
    }

    /// Returns the number of topics that are watched.
    #[cfg(test)]
    pub(crate) fn topics(&self) -> usize {
        let index = lock(&self.index);
        index.lists.len() + index.uris.len()
    }
}

/// The topics that one connection watches, and their changes. Dropping the mailbox stops watching.
#[derive(Debug)]
pub(crate) struct Mailbox {
    bus: Arc<Bus>,
    number: u64,
    pending: Arc<Mutex<Pending>>,
    watched: HashSet<Topic>,
}

impl Mailbox {
    pub(crate) fn new(bus: Arc<Bus>) -> Self {
        let number = {
            let mut index = lock(&bus.index);
            index.last += 1;
            index.last
        };
        Self { bus, number, pending: Arc::default(), watched: HashSet::new() }
    }

    /// Makes the mailbox watch these lists and resources, and nothing else. A change that waits in the
    /// mailbox is dropped if its topic is no longer watched.
    pub(crate) fn watch<'u>(
        &mut self,
        lists: impl IntoIterator<Item = List>,
        uris: impl IntoIterator<Item = &'u str>,
    ) {
        let lists = lists.into_iter().map(Topic::of_list);
        let wanted: HashSet<Topic> =
            lists.chain(uris.into_iter().map(|uri| Topic::Uri(uri.into()))).collect();
        for topic in wanted.difference(&self.watched) {
            self.bus.watch(self.number, topic, &self.pending);
        }
        for topic in self.watched.difference(&wanted) {
            self.bus.unwatch(self.number, topic);
            lock(&self.pending).topics.remove(topic);
        }
        self.watched = wanted;
    }

    /// Takes the oldest change. Pending if there is none; then a new change wakes the task of `cx`.
    pub(crate) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Change> {
        // A mailbox that watches nothing never gets a change, and most connections watch nothing.
        if self.watched.is_empty() {
            return Poll::Pending;
        }
        let mut pending = lock(&self.pending);
        match pending.topics.pop() {
            Some(topic) => Poll::Ready(topic.to_change()),
            None => {
                let known = pending.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker()));
                let old = if known { None } else { pending.waker.replace(cx.waker().clone()) };
                // The lock is released first: dropping a waker may drop a connection, which takes the locks
                // of the bus and of its mailbox.
                drop(pending);
                drop(old);
                Poll::Pending
            }
        }
    }

    /// Returns the number of changes that wait in the mailbox.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        lock(&self.pending).topics.len()
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.watch([], []);
    }
}

/// Locks `mutex`. Poisoning is ignored: no change to these maps can be left half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn updated(uri: &str) -> Change {
        Change::Resource(uri.to_owned())
    }

    /// Takes all changes that wait in a mailbox.
    fn taken(mailbox: &Mailbox) -> Vec<Change> {
        let mut cx = Context::from_waker(Waker::noop());
        std::iter::from_fn(|| match mailbox.poll_next(&mut cx) {
            Poll::Ready(change) => Some(change),
            Poll::Pending => None,
        })
        .collect()
    }

    #[test]
    fn a_hundred_thousand_changes_that_nobody_takes_are_as_many_as_are_watched() {
        let bus = Arc::new(Bus::default());
        let mut mailbox = Mailbox::new(Arc::clone(&bus));
        mailbox.watch([List::Tools], ["a://1", "a://2"]);
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        assert!(mailbox.poll_next(&mut Context::from_waker(&waker)).is_pending());
        for n in 0..100_000 {
            bus.publish(&updated(["a://1", "a://2", "a://3"][n % 3]));
            bus.publish(&Change::List([List::Tools, List::Prompts][n % 2]));
        }
        assert_eq!(mailbox.len(), 3);
        assert_eq!(count.0.load(Ordering::SeqCst), 1, "it is woken once and not again before it has looked");
        assert_eq!(taken(&mailbox), [updated("a://1"), Change::List(List::Tools), updated("a://2")]);
        assert_eq!(taken(&mailbox), []);
    }

    #[test]
    fn a_topic_that_changes_all_the_time_holds_up_no_other() {
        let bus = Arc::new(Bus::default());
        let mut mailbox = Mailbox::new(Arc::clone(&bus));
        mailbox.watch([], ["a://1", "z://9"]);
        bus.publish(&updated("a://1"));
        bus.publish(&updated("z://9"));
        for expected in ["a://1", "z://9", "a://1"] {
            let next = mailbox.poll_next(&mut Context::from_waker(Waker::noop()));
            assert_eq!(next, Poll::Ready(updated(expected)));
            bus.publish(&updated("a://1"));
        }
        assert_eq!(mailbox.len(), 1);
    }

    #[test]
    fn every_connection_hears_what_it_watches_and_nothing_else() {
        let bus = Arc::new(Bus::default());
        let mut boxes = [(); 3].map(|()| Mailbox::new(Arc::clone(&bus)));
        boxes[0].watch([List::Resources], ["a://1"]);
        boxes[1].watch([], ["a://1", "a://2"]);
        bus.publish(&updated("a://1"));
        bus.publish(&Change::List(List::ResourceTemplates));
        assert_eq!(taken(&boxes[0]), [updated("a://1"), Change::List(List::Resources)]);
        assert_eq!(taken(&boxes[1]), [updated("a://1")]);
        assert_eq!(taken(&boxes[2]), []);
    }

    #[test]
    fn what_is_no_longer_watched_is_forgotten_even_if_it_has_changed_already() {
        let bus = Arc::new(Bus::default());
        let mut mailbox = Mailbox::new(Arc::clone(&bus));
        mailbox.watch([List::Tools], ["a://1", "a://2"]);
        bus.publish(&updated("a://1"));
        bus.publish(&updated("a://2"));
        mailbox.watch([], ["a://2"]);
        assert_eq!(taken(&mailbox), [updated("a://2")]);
        assert_eq!(bus.topics(), 1);
        drop(mailbox);
        assert_eq!(bus.topics(), 0);
    }
}
