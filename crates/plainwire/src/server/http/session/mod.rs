//! A session over HTTP: one peer, one stream for each POST that needs one, and one for messages that belong
//! to no request. The client does not have to read any of them.
//!
//! In: messages, one POST at a time. Out: the answer as JSON, if it is the first message for its POST. Other
//! responses are streams: their messages go to the event log of the session in the store, and the responses
//! follow that log. So a slow or absent reader blocks nothing, and a client that comes back continues where
//! it stopped. A disconnect cancels nothing.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Waker};

use plainwire_proto::peer::{CallKey, Route, Transmit, TransmitKind};
use plainwire_proto::revision::{Feature, Revision};
use tokio::time::{Instant, Sleep};

use crate::runtime::{random, spawn};
use crate::server::built::Built;
use crate::server::connection::calls::{Calls, Held};
use crate::server::principal::Principal;
use crate::server::store::{Store, StoreError};

mod event;
mod glance;
mod outlet;
mod post;
mod pump;
mod readers;
mod record;
mod relay;
mod slots;
mod table;

pub(crate) use event::Event;
use glance::{Glance, Locked};
use outlet::Outlet;
pub(crate) use outlet::ResponseStart;
pub(crate) use post::{Posted, Reply, Taken};
use pump::Standalone;
use readers::Readers;
pub(crate) use record::Record;
pub(crate) use relay::{OtherReplicas, ReplicaNotice};
pub(crate) use slots::SESSIONS_PER_CALLER;
pub(crate) use table::{SESSION, Sessions, Unsaved};

/// A session of a client with a revision before 2026-07-28.
pub(crate) struct Session {
    /// The state of the session; `None` once the session has ended.
    core: Mutex<Option<Core>>,
    glance: Glance,
    id: Box<str>,
    readers: Readers,
    store: Arc<dyn Store>,
}

/// A reader of a stream, registered until this is dropped.
pub(crate) struct Reading {
    /// The number of this reader among the readers of the session.
    number: u64,
    session: Arc<Session>,
    /// The number of the stream that is read.
    stream: u64,
}

impl Reading {
    /// Returns whether the stream has ended for its readers at this replica although the store does not say
    /// so. If not, the task of `cx` is woken when that happens.
    pub(crate) fn poll_cut(&self, cx: &mut Context<'_>) -> bool {
        self.session.readers.poll_cut(self.stream, self.number, cx)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.session.readers.leave(self.stream, self.number);
        self.session.note_readers(self.stream);
    }
}

/// The purpose of a stream. The lowest bit of the stream's number holds it, so that any replica knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamKind {
    /// The stream is for the answers to a POST, and the messages before them.
    OfRequest,
    /// The stream is for messages that belong to no request.
    Standalone,
}

impl StreamKind {
    /// Returns the purpose of the stream with this number.
    pub(crate) fn of(stream: u64) -> Self {
        if stream & 1 == 0 { Self::OfRequest } else { Self::Standalone }
    }

    /// Returns a random number for a new stream with this purpose. It can't be guessed.
    fn new_number(self) -> u64 {
        let random = u64::from_ne_bytes(random::bytes());
        if self == Self::OfRequest { random & !1 } else { random | 1 }
    }
}

/// The state of a session. Its lock is held for moments only, never across an `.await`.
struct Core {
    /// The outlet (the route to a response) of each open batch, by the number that the peer gave the batch.
    batches: BTreeMap<u32, Arc<Outlet>>,
    calls: Calls,
    /// The largest nesting depth of the JSON of a message.
    depth: usize,
    /// The actions that the pump (the task that writes messages to the store) has to carry out, in order.
    due: VecDeque<Due>,
    /// Whether the pump of the session, the task that writes messages to the store, runs.
    is_pumped: bool,
    /// The timer that ends the standalone stream when it was unread for too long.
    linger: Option<Pin<Box<Sleep>>>,
    /// The outlet (the route to a response) of each open request that was not answered at once.
    outlets: BTreeMap<CallKey, Arc<Outlet>>,
    /// The waker of the pump, if the pump waits.
    pump: Option<Waker>,
    /// The stream for messages that belong to no request, if the client has opened one.
    standalone: Option<Standalone>,
}

/// An action of the pump (the task that writes messages to the store), and the response that it is for.
struct Due {
    /// The route to the response; `None` for messages that belong to no request.
    outlet: Option<Arc<Outlet>>,
    action: Action,
}

enum Action {
    /// The client has cancelled the request, or all requests of the batch: its response ends without an
    /// answer.
    Cancelled,
    Transmit(TransmitKind, Vec<u8>),
    /// The standalone stream with this number was unread for too long: it ends.
    Unread(u64),
}

impl Session {
    /// Begins a session that has not been initialized yet.
    pub(crate) fn new(
        built: &Arc<Built>,
        principal: Option<Arc<Principal>>,
        id: &str,
        store: Arc<dyn Store>,
    ) -> Self {
        let core = Core {
            batches: BTreeMap::new(),
            calls: Calls::with_news(Arc::clone(built), principal),
            depth: built.config.limits.depth,
            due: VecDeque::new(),
            is_pumped: false,
            linger: None,
            outlets: BTreeMap::new(),
            pump: None,
            standalone: None,
        };
        Self {
            core: Mutex::new(Some(core)),
            glance: Glance::default(),
            id: id.into(),
            readers: Readers::default(),
            store,
        }
    }

    /// Restores a session from a record that [`Self::record`] returned; `None` if the record is not valid, or
    /// its revision is not served.
    pub(crate) fn restore(
        built: &Arc<Built>,
        principal: Option<Arc<Principal>>,
        id: &str,
        store: Arc<dyn Store>,
        record: &Record,
    ) -> Option<Self> {
        let session = Self::new(built, principal, id, store);
        let restored = session.lock().as_mut().is_some_and(|core| core.calls.restore(record.session()));
        restored.then_some(session)
    }

    /// Returns the record of the session, with its generation: a number that changes whenever the record may
    /// have changed. `None` before `initialize` was answered, and after the session has ended.
    pub(crate) fn record(&self, principal: Option<&Principal>) -> Option<(u64, Record)> {
        let core = self.lock();
        let peer = &core.as_ref()?.calls.peer;
        Some((peer.session_generation(), Record::of(principal.map(|it| it.name.clone()), peer)?))
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the generation of the record, as in [`Self::record`]; 0 after the session has ended. Does not
    /// lock the session.
    pub(crate) fn generation(&self) -> u64 {
        self.glance.generation()
    }

    /// Returns whether the client has sent `notifications/initialized`; `false` after the session has ended.
    /// Does not lock the session.
    pub(crate) fn is_initialized(&self) -> bool {
        self.glance.is_initialized()
    }

    /// Returns the negotiated revision; `None` before `initialize` was answered, and after the session has
    /// ended.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.lock().as_ref()?.calls.peer.revision()
    }

    /// Returns whether no work is pending and no stream is kept for messages that belong to no request, so
    /// that the session can be dropped from memory, and restored from its record later. Does not lock the
    /// session.
    pub(crate) fn is_idle(&self) -> bool {
        self.glance.is_idle()
    }

    /// Returns whether the session must not expire: a stream is read, a call runs, or a message waits to be
    /// written. A stream without a reader does not keep its session alive, since most clients never announce
    /// that they are gone. Does not lock the session.
    pub(crate) fn is_busy(&self) -> bool {
        self.glance.is_busy() || !self.readers.is_empty()
    }

    /// Registers a reader of the stream with this number.
    pub(crate) fn read(self: &Arc<Self>, stream: u64) -> Reading {
        let number = self.readers.enter(stream);
        self.note_readers(stream);
        Reading { number, session: Arc::clone(self), stream }
    }

    /// Records whether any client reads the stream, if it is the standalone stream.
    fn note_readers(&self, stream: u64) {
        let mut guard = self.lock();
        let Some(core) = guard.as_mut() else { return };
        if let Some(standalone) = core.standalone.as_mut().filter(|it| it.number == stream) {
            standalone.unread_since = (!self.readers.is_read(stream)).then(Instant::now);
            core.pump.take().into_iter().for_each(Waker::wake);
        }
    }

    /// Restores the session from its record again, after another replica has changed it.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub(crate) async fn reload(self: &Arc<Self>) -> Result<(), StoreError> {
        let record = self.store.load(&self.id).await?;
        let record = record.as_deref().and_then(Record::parse);
        if let (Some(record), Some(core)) = (record, self.lock().as_mut()) {
            core.calls.restore(record.session());
            self.look_after(core);
        }
        Ok(())
    }

    /// Begins the standalone stream, for messages that belong to no request, and returns its number; `None`
    /// if the session has ended. An earlier standalone stream ends: otherwise a client whose connection died
    /// unnoticed could not open another one.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub(crate) async fn listen(self: &Arc<Self>) -> Result<Option<u64>, StoreError> {
        let number = StreamKind::Standalone.new_number();
        let Some(revision) = self.revision() else { return Ok(None) };
        let first = if revision.has(Feature::PrimedStreams) { Event::Priming } else { Event::Begun };
        self.store.append(&self.id, number, &first.to_bytes()).await?;
        let old = {
            let mut guard = self.lock();
            let Some(core) = guard.as_mut() else { return Ok(None) };
            let standalone = Standalone { number, unread_since: Some(Instant::now()) };
            let old = core.standalone.replace(standalone);
            self.look_after(core);
            old
        };
        if let Some(Standalone { number: old, .. }) = old
            && let Err(error) = self.store.close(&self.id, old).await
        {
            tracing::warn!("a replaced stream ends at this replica only: {}", error.in_full());
            self.readers.cut(old);
        }
        Ok(Some(number))
    }

    /// Ends the session at this replica: its calls are cancelled, its streams end, and waiting POSTs get a
    /// response.
    pub(crate) fn end(&self) {
        let Some(core) = self.lock().take() else { return };
        self.readers.cut_all();
        for outlet in core.outlets.into_values().chain(core.batches.into_values()) {
            outlet.begin(ResponseStart::Ended);
        }
        core.pump.into_iter().for_each(Waker::wake);
        core.calls.leave();
    }

    /// Wakes the pump of the session if it runs; otherwise spawns it if there is work to do.
    fn look_after(self: &Arc<Self>, core: &mut Core) {
        if core.is_pumped {
            core.pump.take().into_iter().for_each(Waker::wake);
        } else if !core.is_at_rest() {
            core.is_pumped = true;
            spawn(pump::run(Arc::clone(self)));
        }
    }

    /// Runs `work` while the session is locked.
    #[cfg(test)]
    pub(crate) fn while_locked(&self, work: impl FnOnce()) {
        let _locked = self.lock();
        work();
    }

    fn lock(&self) -> Locked<'_> {
        let core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        Locked { core, glance: &self.glance }
    }
}

impl Core {
    /// Turns the messages that the peer wants sent, and cancelled requests, into actions for the pump.
    fn gather(&mut self) {
        for (key, claim) in self.calls.take_claimed() {
            self.outlets.get(&key).into_iter().for_each(|outlet| outlet.hold(Held::clone(&claim)));
        }
        while let Some(sent) = self.calls.peer.poll_transmit() {
            self.owe(sent);
        }
        for key in self.calls.take_cancelled() {
            let Some(outlet) = self.outlets.remove(&key) else { continue };
            // The other requests of a batch are still answered.
            if !self.batches.values().any(|batch| Arc::ptr_eq(batch, &outlet)) {
                self.due.push_back(Due { outlet: Some(outlet), action: Action::Cancelled });
            }
        }
        // A batch whose requests were all cancelled has no answer.
        let (peer, due) = (&self.calls.peer, &mut self.due);
        self.batches.retain(|number, outlet| {
            let is_open = peer.is_batch_open(*number);
            if !is_open {
                due.push_back(Due { outlet: Some(Arc::clone(outlet)), action: Action::Cancelled });
            }
            is_open
        });
    }

    /// Queues a message for the response to its request, or for the standalone stream. A message for a request
    /// that is no longer known is dropped.
    fn owe(&mut self, Transmit { kind, route, bytes }: Transmit) {
        let outlet = self.outlet_of(route).cloned();
        if outlet.is_none() && route != Route::Unsolicited {
            tracing::debug!("a message is dropped: its request is unknown");
            return;
        }
        match (&kind, route) {
            (TransmitKind::Answer | TransmitKind::Error(_), Route::Listen(key) | Route::Request(key)) => {
                self.outlets.remove(&key);
            }
            // The answers of a batch are sent as one, so its requests had their outlets until now.
            (_, Route::Batch(number)) => {
                if let Some(done) = self.batches.remove(&number) {
                    self.outlets.retain(|_, of| !Arc::ptr_eq(of, &done));
                }
            }
            _ => {}
        }
        self.due.push_back(Due { outlet, action: Action::Transmit(kind, bytes) });
    }

    /// Returns the outlet (the route to a response) for messages of this route; `None` if they belong to no
    /// request, or to one without an outlet.
    fn outlet_of(&self, route: Route) -> Option<&Arc<Outlet>> {
        match route {
            Route::Batch(number) => self.batches.get(&number),
            Route::Listen(key) | Route::Request(key) => self.outlets.get(&key),
            Route::Unsolicited => None,
        }
    }

    /// Returns whether the session has nothing to do until the client sends a message, and has no standalone
    /// stream.
    fn is_at_rest(&self) -> bool {
        self.calls.running() == 0
            && self.calls.peer.waiting() == 0
            && self.due.is_empty()
            && self.outlets.is_empty()
            && self.standalone.is_none()
    }
}
