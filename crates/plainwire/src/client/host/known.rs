//! The host's record of one server: its connection and its lists.
//!
//! In: connections and lists, which the server's task (`task`) brings; callers that need a client or a list.
//! Out: the client, or the server's entries of the list, after at most the deadline of the server. Only the
//! task connects and fetches, and the callers wait for it. So dropping a caller's future stops neither.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plainwire_proto::cursor::List;
use plainwire_proto::model::{RawJson, SubscriptionFilter};
use plainwire_proto::peer::Change;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout_at};

use super::changes::{Changes, HostChange};
use super::link::LinkState;
use super::listing::{ListingState, Named, named};
use super::retry_schedule::Retry;
use super::{Connection, Member, ServerState};
use crate::client::Client;
use crate::error::{Error, Result};

/// The record of one server. Shared by the host and the task of the server.
pub(crate) struct Known {
    changes: Arc<Changes>,
    deadline: Duration,
    /// Whether the server was added to a running host: its first entries are then reported as a change.
    is_added: bool,
    pub(crate) name: String,
    /// The number of changes of this record. Each change wakes the callers and the task that wait for one.
    news: watch::Sender<u64>,
    pub(super) prefix: String,
    state: Mutex<KnownState>,
    /// The signals by which the task learns that it has to fetch a list, in the order of `index_of`.
    wanted: [Notify; 4],
}

struct KnownState {
    lists: [ListState; 4],
    link: LinkState,
    retry: Retry,
}

/// The host's copy of one list of a server, and the fetches of that list.
#[derive(Default)]
struct ListState {
    /// The entries as they last arrived; `None` if the list has never arrived.
    entries: Option<Arc<[Named]>>,
    /// The time at which `entries` arrived.
    at: Option<Instant>,
    /// The error of the newest finished fetch; `None` if it succeeded.
    error: Option<String>,
    /// The number of times that a fetch was requested. One fetch serves all requests up to its start.
    wanted: u64,
    /// The value of `wanted` when the newest finished fetch began. Invariant: `done <= wanted`.
    done: u64,
    /// Whether a caller has waited in vain for the current attempt to connect or fetch. Others do not wait.
    is_late: bool,
    /// Whether the server currently reports changes of the list.
    is_watched: bool,
    /// Whether `entries` were fetched while `is_watched` was set, and no change was reported since.
    is_current: bool,
    /// Whether this list was missing from a listing of the host. The list's first arrival is then reported as a
    /// change.
    was_missed: bool,
}

/// A fetch of a list, which the task of the server has to make.
#[derive(Clone, Copy)]
pub(crate) struct Fetch {
    /// The value of [`ListState::is_watched`] when the fetch began.
    is_watched: bool,
    /// The value of [`ListState::wanted`] when the fetch began.
    number: u64,
}

impl Known {
    pub(super) fn new(name: String, prefix: String, member: &Member, changes: Arc<Changes>) -> Self {
        let (news, _) = watch::channel(0);
        let state = KnownState {
            lists: Default::default(),
            link: LinkState::Connecting { last: None },
            retry: member.retries(),
        };
        let (deadline, wanted) = (member.deadline, Default::default());
        Self { changes, deadline, is_added: false, name, news, prefix, state: Mutex::new(state), wanted }
    }

    /// Makes the host report a change when a list with entries arrives for the first time.
    pub(super) fn added(self) -> Self {
        Self { is_added: true, ..self }
    }

    /// Stores the result of connecting. On success, requests all lists that the server declares, and returns
    /// the client; `None` after a failure, or if the server was removed meanwhile.
    pub(crate) fn connected(&self, outcome: Result<Client>) -> Option<Client> {
        let mut state = self.state();
        // The server was removed meanwhile.
        if !matches!(state.link, LinkState::Connecting { .. }) {
            return None;
        }
        let client = match outcome {
            Ok(client) => client,
            Err(error) => {
                self.down(&mut state, error.in_full());
                return None;
            }
        };
        state.link = LinkState::Connected { client: client.clone(), since: Instant::now() };
        drop(state);
        for list in List::ALL {
            if declares(&client, list) {
                self.want(list);
            } else {
                self.dropped(list);
            }
        }
        self.tell();
        Some(client)
    }

    /// Forgets a list that the server does not have any more. Reports a change if the list had entries.
    fn dropped(&self, list: List) {
        let had = self.state().lists[index_of(list)].entries.take().is_some_and(|it| !it.is_empty());
        if had {
            self.announce(list);
        }
    }

    /// Marks the connection of `client` as ended. Does nothing if `client` is no longer the current client.
    pub(crate) fn ended(&self, client: &Client, error: &Error) {
        let mut state = self.state();
        let LinkState::Connected { client: current, since } = &state.link else { return };
        if !current.is_clone_of(client) {
            return;
        }
        let lived = since.elapsed();
        state.retry.lived(lived);
        self.down(&mut state, error.in_full());
    }

    /// Marks the connection of `client` as ended if it is over HTTP and `result` is [`Error::Closed`].
    ///
    /// Over HTTP only a failed request shows the end: a server may have lost a session and refuse another. On
    /// other transports the client notices the end, and this error may be from a process that it restarts.
    pub(super) fn heed<T>(&self, client: &Client, result: &Result<T>) {
        if let Err(error @ Error::Closed { .. }) = result
            && client.is_remote()
        {
            self.ended(client, error);
        }
    }

    /// Marks the connection as lost, sets the time of the next attempt, and wakes all waiting callers.
    fn down(&self, state: &mut KnownState, why: String) {
        let again = state.retry.pause().and_then(|pause| Instant::now().checked_add(pause));
        for slot in &mut state.lists {
            // Subscriptions end with their connection, and a fetch on the next connection is not late yet.
            (slot.is_current, slot.is_late, slot.is_watched) = (false, false, false);
        }
        state.link = LinkState::Down { again, why };
        self.tell();
    }

    /// Begins to connect again if an attempt is due. Returns whether there is a connection or an attempt.
    fn begin(&self, state: &mut KnownState) -> bool {
        match &mut state.link {
            LinkState::Down { again: Some(again), why } if *again <= Instant::now() => {
                let last = Some(std::mem::take(why));
                state.retry.begun();
                state.link = LinkState::Connecting { last };
                self.tell();
                true
            }
            LinkState::Down { .. } => false,
            LinkState::Connected { .. } | LinkState::Connecting { .. } => true,
        }
    }

    /// Returns `true` once the task has to connect, `false` once the host will never connect here again.
    pub(crate) async fn needed(&self) -> bool {
        let mut news = self.news.subscribe();
        loop {
            match self.state().link {
                LinkState::Connecting { .. } => return true,
                LinkState::Down { again: None, .. } => return false,
                LinkState::Down { .. } | LinkState::Connected { .. } => {}
            }
            if news.changed().await.is_err() {
                return false;
            }
        }
    }

    /// Waits until `client` is no longer the client of this server. Cancel safe.
    pub(crate) async fn left(&self, client: &Client) {
        let mut news = self.news.subscribe();
        loop {
            let is_it = |link: &LinkState| match link {
                LinkState::Connected { client: it, .. } => it.is_clone_of(client),
                _ => false,
            };
            if !is_it(&self.state().link) || news.changed().await.is_err() {
                return;
            }
        }
    }

    /// Waits until the task has to fetch `list`. Cancel safe.
    pub(crate) async fn wanted(&self, list: List) -> Fetch {
        loop {
            {
                let state = self.state();
                let slot = &state.lists[index_of(list)];
                if slot.done < slot.wanted {
                    return Fetch { is_watched: slot.is_watched, number: slot.wanted };
                }
            }
            self.wanted[index_of(list)].notified().await;
        }
    }

    /// Stores the result of a fetch. Reports a change if the entries differ. A failure keeps the old entries.
    pub(crate) fn fetched(&self, list: List, fetch: Fetch, brought: Result<Vec<RawJson>>) {
        let brought = brought.map(|sent| named(list, &self.prefix, sent));
        let mut state = self.state();
        let slot = &mut state.lists[index_of(list)];
        slot.done = fetch.number;
        slot.is_late = false;
        let is_news = match brought {
            Ok(entries) => {
                let is_news = match &slot.entries {
                    Some(before) => !is_same(before, &entries),
                    None => slot.was_missed || (self.is_added && !entries.is_empty()),
                };
                slot.at = Some(Instant::now());
                slot.entries = Some(entries.into());
                slot.error = None;
                slot.is_current = fetch.is_watched && slot.is_watched && slot.done == slot.wanted;
                is_news
            }
            Err(error) => {
                slot.error = Some(error.in_full());
                false
            }
        };
        drop(state);
        if is_news {
            self.announce(list);
        }
        self.tell();
    }

    fn announce(&self, list: List) {
        let list = if list == List::ResourceTemplates { List::Resources } else { list };
        self.changes.push(HostChange { change: Change::List(list), server: self.name.clone() });
    }

    /// Stores which changes the server reports from now on: none if the subscription has ended.
    pub(crate) fn watched(&self, honoured: &SubscriptionFilter) {
        let mut state = self.state();
        for list in List::ALL {
            let slot = &mut state.lists[index_of(list)];
            slot.is_watched = is_in(honoured, list);
            slot.is_current = false;
        }
    }

    /// Marks a list as outdated, so that the next listing waits for a fetch.
    pub(crate) fn outdated(&self, list: List) {
        each_of(list, |list| self.state().lists[index_of(list)].is_current = false);
    }

    /// Requests a fetch of a list that has changed.
    pub(crate) fn changed(&self, list: List) {
        each_of(list, |list| self.want(list));
    }

    /// Requests a fetch of `list`, if the server is connected and declares the list.
    fn want(&self, list: List) {
        let mut state = self.state();
        if state.link.client().is_some_and(|client| declares(client, list)) {
            let slot = &mut state.lists[index_of(list)];
            slot.wanted += 1;
            slot.is_current = false;
            self.wanted[index_of(list)].notify_one();
        }
    }

    /// Returns the client. Waits while the host connects; begins to connect again if an attempt is due.
    ///
    /// # Errors
    /// [`Error::Unreachable`] if no attempt is due, if it fails, or if it takes longer than the deadline.
    pub(super) async fn client(&self) -> Result<Client> {
        let mut news = self.news.subscribe();
        let until = Instant::now() + self.deadline;
        let mut has_begun = false;
        loop {
            let why = {
                let mut state = self.state();
                if let Some(client) = state.link.client() {
                    return Ok(client.clone());
                }
                self.begin_once(&mut state, &mut has_begun)
            };
            let why = match why {
                Some(why) => why,
                None if timeout_at(until, news.changed()).await.is_ok() => continue,
                None => format!("it has not connected within {:?}", self.deadline),
            };
            return Err(Error::Unreachable { origin: self.name.clone(), why });
        }
    }

    /// If an attempt to connect again is due, begins it, but only once for each caller: `has_begun` says
    /// whether this caller has had its attempt. Returns the reason if the connection stays lost.
    fn begin_once(&self, state: &mut KnownState, has_begun: &mut bool) -> Option<String> {
        let why = state.link.why(Instant::now())?;
        if !std::mem::replace(has_begun, true) && self.begin(state) { None } else { Some(why) }
    }

    /// Returns the entries of a list as they last arrived, without waiting; `None` if the list has never
    /// arrived. A list that the connected server does not declare is empty.
    pub(super) fn known(&self, list: List) -> Option<Arc<[Named]>> {
        let state = self.state();
        match state.link.client() {
            Some(client) if !declares(client, list) => Some(Arc::default()),
            _ => state.lists[index_of(list)].entries.clone(),
        }
    }

    /// Returns a list as the server has it now, or as it last arrived if that takes too long. Cancel safe.
    pub(super) async fn latest(&self, list: List) -> (ListingState, Arc<[Named]>) {
        let mut news = self.news.subscribe();
        let until = Instant::now() + self.deadline;
        let (mut number, mut has_begun) = (None, false);
        loop {
            if let Some(part) = self.settled(list, &mut number, &mut has_begun) {
                return part;
            }
            if timeout_at(until, news.changed()).await.is_err() {
                return self.give_up(list);
            }
        }
    }

    /// Returns a list, or `None` if the caller of [`Self::latest`] has to wait. `number` is the fetch that
    /// this caller waits for; `has_begun` is that of [`Self::begin_once`].
    fn settled(
        &self,
        list: List,
        number: &mut Option<u64>,
        has_begun: &mut bool,
    ) -> Option<(ListingState, Arc<[Named]>)> {
        let mut state = self.state();
        if let Some(why) = self.begin_once(&mut state, has_begun) {
            return Some(state.lists[index_of(list)].part(Some(&why)));
        }
        let KnownState { lists, link, .. } = &mut *state;
        let slot = &mut lists[index_of(list)];
        let Some(client) = link.client() else {
            // A fetch that was requested on a lost connection is requested again on the next connection.
            *number = None;
            return slot.is_late.then(|| slot.part(Some(&link.late())));
        };
        if !declares(client, list) {
            return Some((ListingState::Fresh, Arc::default()));
        }
        if slot.is_current {
            return Some(slot.part(None));
        }
        if slot.done < slot.wanted && slot.is_late {
            return Some(slot.part(Some(&link.late())));
        }
        let number = *number.get_or_insert_with(|| {
            // All callers share a fetch that is already requested.
            if slot.done == slot.wanted {
                slot.wanted += 1;
                self.wanted[index_of(list)].notify_one();
            }
            slot.wanted
        });
        (slot.done >= number).then(|| slot.part(None))
    }

    /// Returns the entries that last arrived, to a caller that waited in vain. Marks the list as late.
    fn give_up(&self, list: List) -> (ListingState, Arc<[Named]>) {
        let mut state = self.state();
        let why = state.link.late();
        let slot = &mut state.lists[index_of(list)];
        slot.is_late = true;
        slot.part(Some(&why))
    }

    pub(super) fn server_state(&self) -> ServerState {
        let connection = match &self.state().link {
            LinkState::Connected { client, .. } if !client.is_gone() => {
                Connection::Connected(client.revision())
            }
            LinkState::Connected { .. } => Connection::Lost { why: "it has just ended".to_owned() },
            LinkState::Connecting { .. } => Connection::Connecting,
            LinkState::Down { again: Some(_), why } => Connection::Lost { why: why.clone() },
            LinkState::Down { again: None, why } => Connection::Failed { why: why.clone() },
        };
        ServerState { connection, name: self.name.clone(), prefix: self.prefix.clone() }
    }

    /// Keeps the task from connecting again. Returns the client, if any, so that the caller can close it.
    pub(super) fn leave(&self) -> Option<Client> {
        let mut state = self.state();
        let down = LinkState::Down { again: None, why: "it was removed from the host".to_owned() };
        let before = std::mem::replace(&mut state.link, down);
        drop(state);
        self.tell();
        match before {
            LinkState::Connected { client, .. } => Some(client),
            LinkState::Connecting { .. } | LinkState::Down { .. } => None,
        }
    }

    /// Forgets unread changes and lists of a removed server. Reports a change of each list that had entries.
    pub(super) fn farewell(&self) {
        self.changes.forget(&self.name);
        List::ALL.into_iter().for_each(|list| self.dropped(list));
    }

    fn tell(&self) {
        self.news.send_modify(|count| *count += 1);
    }

    fn state(&self) -> MutexGuard<'_, KnownState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ListState {
    /// Returns state and entries. The state is not fresh if there is a `why`, or if the newest fetch failed.
    fn part(&mut self, why: Option<&str>) -> (ListingState, Arc<[Named]>) {
        let why = why.or(self.error.as_deref());
        let entries = self.entries.clone();
        let state = match (why, self.at) {
            (None, _) => ListingState::Fresh,
            (Some(why), Some(at)) => ListingState::Stale { age: at.elapsed(), why: why.to_owned() },
            (Some(why), None) => {
                self.was_missed = true;
                ListingState::Missing { why: why.to_owned() }
            }
        };
        (state, entries.unwrap_or_default())
    }
}

/// Returns the subscription for a server: changes of all lists that it declares.
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

/// Calls `work` for a list. Resources and templates change together: for either of them, calls it for both.
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

fn index_of(list: List) -> usize {
    match list {
        List::Prompts => 0,
        List::Resources => 1,
        List::ResourceTemplates => 2,
        List::Tools => 3,
    }
}
