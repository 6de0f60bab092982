//! A server of a host: how it is connected, and what is known of it.
//!
//! In: a description by the program; what the task of the server finds out. Out: its part of each list, after at most its
//! deadline. The task of `driver::host` fetches, and whoever lists waits: to stop waiting stops nothing.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plainwire_proto::cursor::List;
use plainwire_proto::model::{RawJson, SubscriptionFilter};
use plainwire_proto::peer::Change;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout_at};

use super::changes::{Changes, HostChange};
use super::listing::{Named, PartState, named};
use super::{Connection, ServerState};
use crate::client::Client;
use crate::error::{Error, Result};

/// How long a listing waits for one server. 5 s: a person waits for it.
const DEADLINE: Duration = Duration::from_secs(5);

/// How long a server may take to connect. 60 s: as long as `initialize` may take; some install themselves first.
const CONNECT_DEADLINE: Duration = Duration::from_secs(60);

type Connecting = Pin<Box<dyn Future<Output = Result<Client>> + Send>>;

/// A server of a host that is being described.
pub struct Member {
    pub(super) connect_deadline: Duration,
    pub(super) connecting: Connecting,
    pub(super) deadline: Duration,
    pub(super) name: String,
    pub(super) prefix: Option<String>,
}

impl Member {
    /// Describes a server that is connected already, under a name of the program's choice.
    pub fn connected(name: impl Into<String>, client: Client) -> Self {
        Self::connecting(name, async { Ok(client) })
    }

    /// Describes a server that `connecting` connects to, beside all the others.
    pub fn connecting(
        name: impl Into<String>,
        connecting: impl Future<Output = Result<Client>> + Send + 'static,
    ) -> Self {
        Self {
            connect_deadline: CONNECT_DEADLINE,
            connecting: Box::pin(connecting),
            deadline: DEADLINE,
            name: name.into(),
            prefix: None,
        }
    }

    /// Sets what the names of its tools and prompts begin with. Its own name by default; without any text they have the names
    /// that the server gave them.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// Sets how long a listing waits for this server. 5 s by default.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets how long it may take to connect. 60 s by default.
    #[must_use]
    pub fn connect_deadline(mut self, deadline: Duration) -> Self {
        self.connect_deadline = deadline;
        self
    }
}

impl std::fmt::Debug for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Member").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What is known of a server. Shared by the host and the task of the server.
pub(crate) struct Known {
    changes: Arc<Changes>,
    deadline: Duration,
    pub(crate) name: String,
    /// Counts what happened, for those who wait.
    news: watch::Sender<u64>,
    pub(super) prefix: String,
    state: Mutex<State>,
    /// One for each list: a fetch is wanted.
    wanted: [Notify; 4],
}

#[derive(Default)]
struct State {
    lists: [Slot; 4],
    /// `None` while it connects; then the client, or why there is none.
    outcome: Option<Result<Arc<Client>, String>>,
}

/// One list of a server.
#[derive(Default)]
struct Slot {
    entries: Option<Arc<[Named]>>,
    /// When `entries` came.
    at: Option<Instant>,
    /// Why the last fetch failed.
    error: Option<String>,
    /// How many fetches were wanted; and up to which one they are done. Invariant: `done <= wanted`.
    wanted: u64,
    done: u64,
    /// Whether the fetch that runs has kept somebody waiting for too long: nobody else waits for it.
    is_late: bool,
    /// Whether changes are heard of; and whether `entries` are as of after that, and nothing was heard since.
    is_watched: bool,
    is_current: bool,
    /// Whether somebody was given a listing without any entries of it.
    was_missed: bool,
}

/// A fetch that is to be made.
#[derive(Clone, Copy)]
pub(crate) struct Fetch {
    is_watched: bool,
    number: u64,
}

impl Known {
    pub(super) fn new(name: String, prefix: String, deadline: Duration, changes: Arc<Changes>) -> Self {
        let (news, _) = watch::channel(0);
        let (state, wanted) = (Mutex::default(), Default::default());
        Self { changes, deadline, name, news, prefix, state, wanted }
    }

    /// Takes note of the end of connecting. Fetches of all lists that the server declares begin.
    pub(crate) fn connected(&self, outcome: Result<Client>) -> Option<Arc<Client>> {
        let outcome = outcome.map(Arc::new).map_err(|error| error.to_string());
        let client = outcome.as_ref().ok().cloned();
        self.state().outcome = Some(outcome);
        if let Some(client) = &client {
            List::ALL.into_iter().filter(|&list| declares(client, list)).for_each(|list| self.want(list));
        }
        self.tell();
        client
    }

    /// Waits until `list` is wanted. Cancel safe.
    pub(crate) async fn wanted(&self, list: List) -> Fetch {
        loop {
            {
                let state = self.state();
                let slot = &state.lists[place(list)];
                if slot.done < slot.wanted {
                    return Fetch { is_watched: slot.is_watched, number: slot.wanted };
                }
            }
            self.wanted[place(list)].notified().await;
        }
    }

    /// Takes what a fetch brought.
    pub(crate) fn fetched(&self, list: List, fetch: Fetch, brought: Result<Vec<RawJson>>) {
        let brought = brought.map(|sent| named(list, &self.prefix, sent));
        let mut state = self.state();
        let slot = &mut state.lists[place(list)];
        slot.done = fetch.number;
        slot.is_late = false;
        let is_news = match brought {
            Ok(entries) => {
                let is_news = match &slot.entries {
                    Some(before) => !is_same(before, &entries),
                    None => slot.was_missed,
                };
                slot.at = Some(Instant::now());
                slot.entries = Some(entries.into());
                slot.error = None;
                slot.is_current = fetch.is_watched && slot.is_watched && slot.done == slot.wanted;
                is_news
            }
            Err(error) => {
                slot.error = Some(error.to_string());
                false
            }
        };
        drop(state);
        if is_news {
            let list = if list == List::ResourceTemplates { List::Resources } else { list };
            self.changes.push(HostChange { change: Change::List(list), server: self.name.clone() });
        }
        self.tell();
    }

    /// Takes note of what the server will tell, or that it tells nothing any more.
    pub(crate) fn watched(&self, honoured: &SubscriptionFilter) {
        let mut state = self.state();
        for list in List::ALL {
            let slot = &mut state.lists[place(list)];
            slot.is_watched = is_in(honoured, list);
            slot.is_current = false;
        }
    }

    /// Takes note that a list is no longer as it is known.
    pub(crate) fn outdated(&self, list: List) {
        each_of(list, |list| self.state().lists[place(list)].is_current = false);
    }

    /// Has a list fetched that has changed.
    pub(crate) fn changed(&self, list: List) {
        each_of(list, |list| self.want(list));
    }

    fn want(&self, list: List) {
        let mut state = self.state();
        if let Some(Ok(client)) = &state.outcome
            && declares(client, list)
        {
            let slot = &mut state.lists[place(list)];
            slot.wanted += 1;
            slot.is_current = false;
            self.wanted[place(list)].notify_one();
        }
    }

    /// Returns the client, once there is one.
    ///
    /// # Errors
    /// [`Error::Unreachable`] if there will be none, or not within the deadline of this server.
    pub(super) async fn client(&self) -> Result<Arc<Client>> {
        let mut news = self.news.subscribe();
        let until = Instant::now() + self.deadline;
        loop {
            let outcome = self.state().outcome.clone();
            let why = match outcome {
                Some(Ok(client)) => return Ok(client),
                Some(Err(why)) => why,
                None if timeout_at(until, news.changed()).await.is_ok() => continue,
                None => format!("it has not connected within {:?}", self.deadline),
            };
            return Err(Error::Unreachable { origin: self.name.clone(), why });
        }
    }

    /// Returns what is known of a list, without waiting.
    pub(super) fn known(&self, list: List) -> Option<Arc<[Named]>> {
        let state = self.state();
        match &state.outcome {
            Some(Ok(client)) if !declares(client, list) => Some(Arc::default()),
            _ => state.lists[place(list)].entries.clone(),
        }
    }

    /// Returns a list as it is now, or as it was when the deadline of this server has passed. Cancel safe.
    pub(super) async fn latest(&self, list: List) -> (PartState, Arc<[Named]>) {
        let mut news = self.news.subscribe();
        let until = Instant::now() + self.deadline;
        let mut number = None;
        loop {
            if let Some(part) = self.settled(list, &mut number) {
                return part;
            }
            if timeout_at(until, news.changed()).await.is_err() {
                return self.give_up(list);
            }
        }
    }

    /// A list, unless there is something to wait for. `number` is the fetch that is waited for.
    fn settled(&self, list: List, number: &mut Option<u64>) -> Option<(PartState, Arc<[Named]>)> {
        let mut state = self.state();
        let State { lists, outcome } = &mut *state;
        let slot = &mut lists[place(list)];
        let client = match outcome {
            None => return slot.is_late.then(|| slot.part(Some(CONNECTING))),
            Some(Err(why)) => return Some(slot.part(Some(why))),
            Some(Ok(client)) => client,
        };
        if !declares(client, list) {
            return Some((PartState::Fresh, Arc::default()));
        }
        if slot.is_current {
            return Some(slot.part(None));
        }
        if slot.done < slot.wanted && slot.is_late {
            return Some(slot.part(Some(SLOW)));
        }
        let number = *number.get_or_insert_with(|| {
            // A fetch that runs already is everybody's.
            if slot.done == slot.wanted {
                slot.wanted += 1;
                self.wanted[place(list)].notify_one();
            }
            slot.wanted
        });
        (slot.done >= number).then(|| slot.part(None))
    }

    fn give_up(&self, list: List) -> (PartState, Arc<[Named]>) {
        let mut state = self.state();
        let is_connecting = state.outcome.is_none();
        let slot = &mut state.lists[place(list)];
        slot.is_late = true;
        slot.part(Some(if is_connecting { CONNECTING } else { SLOW }))
    }

    pub(super) fn server_state(&self) -> ServerState {
        let connection = match &self.state().outcome {
            None => Connection::Connecting,
            Some(Ok(client)) => Connection::Connected(client.revision()),
            Some(Err(why)) => Connection::Failed { why: why.clone() },
        };
        ServerState { connection, name: self.name.clone(), prefix: self.prefix.clone() }
    }

    /// Gives the client back, for its farewell.
    pub(super) fn take_client(&self) -> Option<Arc<Client>> {
        self.state().outcome.take()?.ok()
    }

    fn tell(&self) {
        self.news.send_modify(|count| *count += 1);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const CONNECTING: &str = "it has not connected yet";
const SLOW: &str = "it has not answered in time";

impl Slot {
    /// What there is, and why it is no newer: `why`, or how the last fetch ended.
    fn part(&mut self, why: Option<&str>) -> (PartState, Arc<[Named]>) {
        let why = why.or(self.error.as_deref());
        let entries = self.entries.clone();
        let state = match (why, self.at) {
            (None, _) => PartState::Fresh,
            (Some(why), Some(at)) => PartState::Stale { age: at.elapsed(), why: why.to_owned() },
            (Some(why), None) => {
                self.was_missed = true;
                PartState::Missing { why: why.to_owned() }
            }
        };
        (state, entries.unwrap_or_default())
    }
}

/// What to listen for at a server: all lists that it declares.
pub(crate) fn filter(client: &Client) -> SubscriptionFilter {
    SubscriptionFilter {
        prompts_list_changed: declares(client, List::Prompts),
        resources_list_changed: declares(client, List::Resources),
        tools_list_changed: declares(client, List::Tools),
        ..SubscriptionFilter::default()
    }
}

fn is_in(filter: &SubscriptionFilter, list: List) -> bool {
    match list {
        List::Prompts => filter.prompts_list_changed,
        List::Resources | List::ResourceTemplates => filter.resources_list_changed,
        List::Tools => filter.tools_list_changed,
    }
}

fn declares(client: &Client, list: List) -> bool {
    let capability = list.method().split('/').next().unwrap_or_default();
    client.hello().capabilities.has(capability)
}

/// A change of the resources is one of the templates too.
fn each_of(list: List, mut work: impl FnMut(List)) {
    match list {
        List::Resources | List::ResourceTemplates => {
            work(List::Resources);
            work(List::ResourceTemplates);
        }
        list => work(list),
    }
}

fn is_same(before: &[Named], after: &[Named]) -> bool {
    before.len() == after.len()
        && before.iter().zip(after).all(|(one, other)| one.raw.get() == other.raw.get())
}

fn place(list: List) -> usize {
    match list {
        List::Prompts => 0,
        List::Resources => 1,
        List::ResourceTemplates => 2,
        List::Tools => 3,
    }
}
