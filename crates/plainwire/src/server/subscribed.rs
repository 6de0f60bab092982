//! Work that runs while clients are subscribed to resources, such as asking whether the resources have changed.
//!
//! In: the work of [`Server::while_subscribed`](crate::Server::while_subscribed), and the bus, which knows the
//! watched resources. Out: a task for each piece of work, from the first subscription of any client to the end of
//! the last one.

use std::fmt;
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use plainwire_proto::peer::Change;
use tokio::sync::watch;

use super::changes::{Bus, Follower};
use crate::runtime::{AbortOnDrop, spawn};

/// A function that begins a piece of work.
pub(crate) type Work = Box<dyn Fn(Subscriptions) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// The resources that clients of a server are subscribed to now: see
/// [`Server::while_subscribed`](crate::Server::while_subscribed).
#[derive(Debug)]
pub struct Subscriptions {
    bus: Weak<Bus>,
    changes: watch::Receiver<()>,
}

impl Subscriptions {
    /// Returns the URIs of the resources that at least one client is subscribed to, each once and in no order.
    /// They are those of all entries of the server, also of mounted ones.
    pub fn uris(&self) -> Vec<String> {
        self.bus.upgrade().map(|bus| bus.watched()).unwrap_or_default()
    }

    /// Waits until [`Self::uris`] has changed since the last call. Cancel safe.
    pub async fn changed(&mut self) {
        if self.changes.changed().await.is_err() {
            // The server has ended, and this work ends with it.
            pending::<()>().await;
        }
    }

    /// Notifies every client that subscribed to the resource `uri` that its contents have changed. Never waits.
    pub fn notify_resource_updated(&self, uri: impl Into<String>) {
        if let Some(bus) = self.bus.upgrade() {
            bus.publish(&Change::Resource(uri.into()));
        }
    }
}

/// The keeper of the tasks: it begins them with the first watched resource and stops them after the last one.
pub(crate) struct Keeper {
    bus: Weak<Bus>,
    changes: watch::Sender<()>,
    /// The tasks that run; `None` while no resource is watched.
    running: Mutex<Option<Vec<AbortOnDrop>>>,
    work: Vec<Arc<Work>>,
}

impl Keeper {
    /// Runs `work` whenever resources of `bus` are watched.
    pub(crate) fn keep(bus: &Arc<Bus>, work: Vec<Work>) {
        if !work.is_empty() {
            let work = work.into_iter().map(Arc::new).collect();
            let (bus_of_work, changes) = (Arc::downgrade(bus), watch::Sender::new(()));
            bus.set_follower(Arc::new(Self { bus: bus_of_work, changes, running: Mutex::default(), work }));
        }
    }

    fn begin(&self) -> Vec<AbortOnDrop> {
        let begin = |work: &Arc<Work>| {
            let subscriptions =
                Subscriptions { bus: Weak::clone(&self.bus), changes: self.changes.subscribe() };
            // Code of the program runs in the task only, and not under the lock.
            let work = Arc::clone(work);
            AbortOnDrop(spawn(async move { work(subscriptions).await }).abort_handle())
        };
        self.work.iter().map(begin).collect()
    }
}

impl Follower for Keeper {
    fn follow(&self) {
        let Some(bus) = self.bus.upgrade() else { return };
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // Before work begins, so that its first `changed` waits for the next change.
        self.changes.send_replace(());
        // Asked under the lock: of two calls at once, the later one sees the newest state.
        let stopped = match (bus.is_any_watched(), running.is_some()) {
            (true, false) => running.replace(self.begin()),
            (false, true) => running.take(),
            _ => None,
        };
        drop(running);
        // After the lock is released, since a task that ends may drop a connection that watches.
        drop(stopped);
    }
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeper").finish_non_exhaustive()
    }
}
