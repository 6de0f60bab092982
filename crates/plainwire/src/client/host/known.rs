//! What is known of a server of a host.
//!
//! In: what the task of the server finds out, and what is needed of it. Out: its client, and its part of each list, after at
//! most its deadline. The task of `driver::host` connects and fetches, and whoever lists waits: to stop waiting stops nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plainwire_proto::cursor::List;
use plainwire_proto::model::{RawJson, SubscriptionFilter};
use plainwire_proto::peer::Change;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout_at};

use super::changes::{Changes, HostChange};
use super::link::Link;
use super::listing::{Named, PartState, named};
use super::retry::Retry;
use super::{Connection, Member, ServerState};
use crate::client::Client;
use crate::error::{Error, Result};

/// What is known of a server. Shared by the host and the task of the server.
pub(crate) struct Known {
    changes: Arc<Changes>,
    deadline: Duration,
    /// Whether the host was there before it, so that its lists are news.
    is_added: bool,
    pub(crate) name: String,
    /// Counts what happened, for those who wait.
    news: watch::Sender<u64>,
    pub(super) prefix: String,
    state: Mutex<State>,
    /// One for each list: a fetch is wanted.
    wanted: [Notify; 4],
}

struct State {
    lists: [Slot; 4],
    link: Link,
    retry: Retry,
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
    pub(super) fn new(name: String, prefix: String, member: &Member, changes: Arc<Changes>) -> Self {
        let (news, _) = watch::channel(0);
        let state = State { lists: Default::default(), link: Link::Connecting, retry: member.retries() };
        let (deadline, wanted) = (member.deadline, Default::default());
        Self { changes, deadline, is_added: false, name, news, prefix, state: Mutex::new(state), wanted }
    }

    /// Has all its lists told as changes.
    pub(super) fn added(self) -> Self {
        Self { is_added: true, ..self }
    }

    /// Takes note of the end of connecting. Fetches of all lists that the server declares begin.
    pub(crate) fn connected(&self, outcome: Result<Client>) -> Option<Arc<Client>> {
        let mut state = self.state();
        // It was removed meanwhile.
        if !matches!(state.link, Link::Connecting) {
            return None;
        }
        let client = match outcome {
            Ok(client) => Arc::new(client),
            Err(error) => {
                self.down(&mut state, error.to_string());
                return None;
            }
        };
        state.link = Link::Connected { client: Arc::clone(&client), since: Instant::now() };
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

    /// Forgets a list that the server does not have any more.
    fn dropped(&self, list: List) {
        let had = self.state().lists[place(list)].entries.take().is_some_and(|it| !it.is_empty());
        if had {
            self.announce(list);
        }
    }

    /// Takes note that the connection of `client` has ended.
    pub(crate) fn ended(&self, client: &Arc<Client>, error: &Error) {
        let mut state = self.state();
        let Link::Connected { client: current, since } = &state.link else { return };
        if !Arc::ptr_eq(current, client) {
            return;
        }
        let lived = since.elapsed();
        state.retry.lived(lived);
        self.down(&mut state, error.to_string());
    }

    /// Looks whether a request has found out that the connection is over.
    ///
    /// Over HTTP nothing else says so: a server may have forgotten a session and not begin another. Elsewhere the end is seen,
    /// and a process that is started again by its client ends some calls, and no connection.
    pub(super) fn heed<T>(&self, client: &Arc<Client>, result: &Result<T>) {
        if let Err(error @ Error::Closed { .. }) = result
            && client.is_remote()
        {
            self.ended(client, error);
        }
    }

    /// Whoever waits for a list is told what there is.
    fn down(&self, state: &mut State, why: String) {
        let again = state.retry.pause().and_then(|pause| Instant::now().checked_add(pause));
        for slot in &mut state.lists {
            // What is watched is told by a connection, and nobody was late on the next one.
            (slot.is_current, slot.is_late, slot.is_watched) = (false, false, false);
        }
        state.link = Link::Down { again, why };
        self.tell();
    }

    /// Begins to connect again, if that may be tried now. Returns whether somebody connects.
    fn begin(&self, state: &mut State) -> bool {
        match &state.link {
            Link::Down { again: Some(again), .. } if *again <= Instant::now() => {
                state.retry.begun();
                state.link = Link::Connecting;
                self.tell();
                true
            }
            Link::Down { .. } => false,
            Link::Connected { .. } | Link::Connecting => true,
        }
    }

    /// Waits until the server has to be connected to. Returns whether it ever has.
    pub(crate) async fn needed(&self) -> bool {
        let mut news = self.news.subscribe();
        loop {
            match self.state().link {
                Link::Connecting => return true,
                Link::Down { again: None, .. } => return false,
                Link::Down { .. } | Link::Connected { .. } => {}
            }
            if news.changed().await.is_err() {
                return false;
            }
        }
    }

    /// Waits until `client` is not the client of this server any more. Cancel safe.
    pub(crate) async fn left(&self, client: &Arc<Client>) {
        let mut news = self.news.subscribe();
        loop {
            let is_it =
                |link: &Link| matches!(link, Link::Connected { client: it, .. } if Arc::ptr_eq(it, client));
            if !is_it(&self.state().link) || news.changed().await.is_err() {
                return;
            }
        }
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
                    None => slot.was_missed || (self.is_added && !entries.is_empty()),
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
            self.announce(list);
        }
        self.tell();
    }

    fn announce(&self, list: List) {
        let list = if list == List::ResourceTemplates { List::Resources } else { list };
        self.changes.push(HostChange { change: Change::List(list), server: self.name.clone() });
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
        if state.link.client().is_some_and(|client| declares(client, list)) {
            let slot = &mut state.lists[place(list)];
            slot.wanted += 1;
            slot.is_current = false;
            self.wanted[place(list)].notify_one();
        }
    }

    /// Returns the client, once there is one: a connection that has ended is made again first.
    ///
    /// # Errors
    /// [`Error::Unreachable`] if there will be none, or not within the deadline of this server.
    pub(super) async fn client(&self) -> Result<Arc<Client>> {
        let mut news = self.news.subscribe();
        let until = Instant::now() + self.deadline;
        let mut has_begun = false;
        loop {
            let why = {
                let mut state = self.state();
                if let Some(client) = state.link.client() {
                    return Ok(Arc::clone(client));
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

    /// Begins to connect on behalf of somebody, at most once. Returns why there is nothing to wait for, if so.
    fn begin_once(&self, state: &mut State, has_begun: &mut bool) -> Option<String> {
        let why = state.link.why(Instant::now())?;
        if !std::mem::replace(has_begun, true) && self.begin(state) { None } else { Some(why) }
    }

    /// Returns what is known of a list, without waiting.
    pub(super) fn known(&self, list: List) -> Option<Arc<[Named]>> {
        let state = self.state();
        match state.link.client() {
            Some(client) if !declares(client, list) => Some(Arc::default()),
            _ => state.lists[place(list)].entries.clone(),
        }
    }

    /// Returns a list as it is now, or as it was when the deadline of this server has passed. Cancel safe.
    pub(super) async fn latest(&self, list: List) -> (PartState, Arc<[Named]>) {
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

    /// A list, unless there is something to wait for. `number` is the fetch that is waited for.
    fn settled(
        &self,
        list: List,
        number: &mut Option<u64>,
        has_begun: &mut bool,
    ) -> Option<(PartState, Arc<[Named]>)> {
        let mut state = self.state();
        if let Some(why) = self.begin_once(&mut state, has_begun) {
            return Some(state.lists[place(list)].part(Some(&why)));
        }
        let State { lists, link, .. } = &mut *state;
        let slot = &mut lists[place(list)];
        let Some(client) = link.client() else {
            // What was asked for on a connection that is gone is asked for again on the next one.
            *number = None;
            return slot.is_late.then(|| slot.part(Some(CONNECTING)));
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
        let is_connecting = state.link.client().is_none();
        let slot = &mut state.lists[place(list)];
        slot.is_late = true;
        slot.part(Some(if is_connecting { CONNECTING } else { SLOW }))
    }

    pub(super) fn server_state(&self) -> ServerState {
        let connection = match &self.state().link {
            Link::Connected { client, .. } if !client.is_gone() => Connection::Connected(client.revision()),
            Link::Connected { .. } => Connection::Lost { why: "it has just ended".to_owned() },
            Link::Connecting => Connection::Connecting,
            Link::Down { again: Some(_), why } => Connection::Lost { why: why.clone() },
            Link::Down { again: None, why } => Connection::Failed { why: why.clone() },
        };
        ServerState { connection, name: self.name.clone(), prefix: self.prefix.clone() }
    }

    /// Gives the client back, for its farewell. Nobody connects again.
    pub(super) fn leave(&self) -> Option<Arc<Client>> {
        let mut state = self.state();
        let down = Link::Down { again: None, why: "it was removed from the host".to_owned() };
        let before = std::mem::replace(&mut state.link, down);
        drop(state);
        self.tell();
        match before {
            Link::Connected { client, .. } => Some(client),
            Link::Connecting | Link::Down { .. } => None,
        }
    }

    /// Tells that its lists are gone.
    pub(super) fn farewell(&self) {
        self.changes.forget(&self.name);
        List::ALL.into_iter().for_each(|list| self.dropped(list));
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
