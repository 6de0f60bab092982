//! A session over HTTP: one engine, as many streams as there are requests, and none that has to be read.
//!
//! In: messages that arrive one POST at a time. Out: answers at once where a call ends at once; everything else goes to
//! the event log of the store, which the responses follow. So a reader that is slow, or gone, holds up nobody, and
//! whoever comes back reads on. A disconnect cancels nothing.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

use plainwire_proto::envelope::{self, Malformed, Message};
use plainwire_proto::error::ErrorKind;
use plainwire_proto::frame::Frame;
use plainwire_proto::json::Span;
use plainwire_proto::peer::{CallKey, Route, Transmit, TransmitKind};
use plainwire_proto::revision::{Feature, Revision};
use tokio::time::{Instant, Sleep};

use crate::runtime::{random, spawn};
use crate::server::Built;
use crate::server::connection::calls::Calls;
use crate::server::context::Principal;
use crate::server::store::{Store, StoreError};

mod begun;
mod event;
mod outlet;
mod pump;
mod readers;
mod record;
mod relay;
mod table;

pub(crate) use crate::server::connection::calls::Held;
pub(crate) use begun::SESSIONS_PER_CALLER;
pub(crate) use event::Event;
pub(crate) use outlet::First;
use outlet::Outlet;
use pump::Standalone;
use readers::Readers;
pub(crate) use record::Record;
pub(crate) use relay::{Others, Said};
pub(crate) use table::Sessions;

/// A session of a client that speaks a revision before 2026-07-28.
pub(crate) struct Session {
    /// `None` once it has ended.
    core: Mutex<Option<Core>>,
    id: Box<str>,
    readers: Readers,
    store: Arc<dyn Store>,
}

/// A stream of a session is being read, until this is dropped.
pub(crate) struct Reading {
    number: u64,
    session: Arc<Session>,
    stream: u64,
}

impl Reading {
    /// Whether nothing more will come, although the store does not say so. If not, the reader is woken when that changes.
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

/// What a stream of a session is for, which its number says: any replica can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The answer to a request, and what comes before it.
    OfRequest,
    /// What belongs to no request.
    Standalone,
}

impl Kind {
    /// Returns what the stream of this number is for.
    pub(crate) fn of(stream: u64) -> Self {
        if stream & 1 == 0 { Self::OfRequest } else { Self::Standalone }
    }

    /// Returns a number that nobody can guess.
    fn new_number(self) -> u64 {
        let random = u64::from_ne_bytes(random::bytes());
        if self == Self::OfRequest { random & !1 } else { random | 1 }
    }
}

/// What is done to a session is done under a lock, for moments only: never while anything is awaited.
struct Core {
    batches: HashMap<u32, Arc<Outlet>>,
    calls: Calls,
    /// How deeply messages may be nested.
    depth: usize,
    /// What the pump has to do next.
    due: VecDeque<Due>,
    /// Whether there is a task that looks after the session.
    is_pumped: bool,
    /// Goes off when the standalone stream was unread for too long.
    linger: Option<Pin<Box<Sleep>>>,
    outlets: HashMap<CallKey, Arc<Outlet>>,
    pump: Option<Waker>,
    /// What the client listens to for all that belongs to no request.
    standalone: Option<Standalone>,
}

/// What has to be sent, and where to.
struct Due {
    /// `None` for what belongs to no request.
    outlet: Option<Arc<Outlet>>,
    what: What,
}

enum What {
    /// The client does not want the answer any more.
    Cancelled,
    Transmit(TransmitKind, Vec<u8>),
    /// Nobody reads this stream any more.
    Unread(u64),
}

/// A message of a client, or a batch of them.
#[expect(clippy::large_enum_variant, reason = "made right before it is taken apart")]
pub(crate) enum Posted<'p> {
    Batch(&'p [u8]),
    Message(&'p str, Result<Message, Malformed>),
}

impl<'p> Posted<'p> {
    /// What another replica may wait for: notifications and answers.
    pub(crate) fn relayed(&self) -> Option<&'p str> {
        match self {
            Self::Message(
                text,
                Ok(Message::Notification { .. } | Message::Result { .. } | Message::Error { .. }),
            ) => Some(text),
            _ => None,
        }
    }
}

/// How a POST is answered.
pub(crate) enum Reply {
    /// Nothing is to be said.
    Accepted,
    Answer(Vec<u8>),
    /// The session has ended.
    Ended,
    Later(Later),
    /// It was no request that could be served.
    Refusal(Vec<u8>),
}

/// What became of a POST.
pub(crate) struct Taken {
    /// Whether the session is another one now, as after a subscription.
    pub(crate) has_changed: bool,
    pub(crate) reply: Reply,
}

/// An answer that is still to come.
pub(crate) struct Later(Arc<Outlet>);

impl Later {
    /// Waits until it is known how the response begins.
    pub(crate) async fn first(&self) -> First {
        std::future::poll_fn(|cx| self.0.poll_first(cx)).await
    }
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
            batches: HashMap::new(),
            calls: Calls::with_news(Arc::clone(built), principal),
            depth: built.config.limits.depth,
            due: VecDeque::new(),
            is_pumped: false,
            linger: None,
            outlets: HashMap::new(),
            pump: None,
            standalone: None,
        };
        Self { core: Mutex::new(Some(core)), id: id.into(), readers: Readers::default(), store }
    }

    /// Goes on with a session that [`Self::record`] wrote; `None` if it is in a revision that is not served.
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

    /// Returns the record of the session, with a number that is another one when the record may be; `None` before it was
    /// initialized, and after it has ended.
    pub(crate) fn record(&self, principal: Option<&Principal>) -> Option<(u64, Record)> {
        let core = self.lock();
        let peer = &core.as_ref()?.calls.peer;
        Some((peer.session_generation(), Record::of(principal.map(|it| it.name.clone()), peer)?))
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the number that comes with [`Self::record`].
    pub(crate) fn generation(&self) -> u64 {
        self.lock().as_ref().map_or(0, |core| core.calls.peer.session_generation())
    }

    /// Returns whether the client has said that it is ready.
    pub(crate) fn is_initialized(&self) -> bool {
        self.lock().as_ref().is_some_and(|core| core.calls.peer.is_initialized())
    }

    /// Returns the revision that was agreed on.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.lock().as_ref()?.calls.peer.revision()
    }

    /// Whether nothing is going on in it, so that it can go and be restored later.
    pub(crate) fn is_idle(&self) -> bool {
        self.lock().as_ref().is_none_or(|core| !core.is_pumped && core.due.is_empty())
    }

    /// Whether somebody waits for something of it, so that it must not expire: a stream is read, or a call runs. A stream
    /// that nobody reads keeps no session: most clients never say that they are gone.
    pub(crate) fn is_busy(&self) -> bool {
        !self.readers.is_empty()
            || self.lock().as_ref().is_some_and(|core| core.calls.running() > 0 || !core.due.is_empty())
    }

    /// Takes note that a stream of it is being read.
    pub(crate) fn read(self: &Arc<Self>, stream: u64) -> Reading {
        let number = self.readers.enter(stream);
        self.note_readers(stream);
        Reading { number, session: Arc::clone(self), stream }
    }

    /// Takes note of whether anybody reads a stream, if it is the one for what belongs to no request.
    fn note_readers(&self, stream: u64) {
        let mut guard = self.lock();
        let Some(core) = guard.as_mut() else { return };
        if let Some(standalone) = core.standalone.as_mut().filter(|it| it.number == stream) {
            standalone.unread_since = (!self.readers.is_read(stream)).then(Instant::now);
            core.pump.take().into_iter().for_each(Waker::wake);
        }
    }

    /// Takes what the client has sent. The calls that it begins hold `held` until they are over.
    pub(crate) fn post(self: &Arc<Self>, posted: Posted<'_>, held: &Held) -> Taken {
        let mut guard = self.lock();
        let Some(core) = guard.as_mut() else { return Taken { has_changed: false, reply: Reply::Ended } };
        let before = core.calls.peer.session_generation();
        let reply = self.take(core, posted, held);
        Taken { has_changed: core.calls.peer.session_generation() != before, reply }
    }

    fn take(self: &Arc<Self>, core: &mut Core, posted: Posted<'_>, held: &Held) -> Reply {
        // What others are still owed comes first.
        core.gather();
        let batch = core.calls.holding(held, |calls| match posted {
            Posted::Batch(bytes) => {
                calls.handle_frame(Frame::Line(bytes));
                calls.peer.open_batch()
            }
            Posted::Message(text, parsed) => {
                calls.handle_parsed(text, parsed);
                None
            }
        });
        let begun = core.calls.take_begun();
        let sent: Vec<Transmit> = std::iter::from_fn(|| core.calls.peer.poll_transmit()).collect();
        let is_mine = |it: &Transmit| match it.route {
            Route::Unsolicited => matches!(it.kind, TransmitKind::Error(_)),
            // Whom others are for is known.
            route => core.outlet_of(route).is_none(),
        };
        let (mut mine, others): (Vec<_>, Vec<_>) = sent.into_iter().partition(is_mine);
        // The usual case: a call that ended at once and said nothing on its way.
        if let [Transmit { kind: TransmitKind::Answer | TransmitKind::Error(_), .. }] = mine[..]
            && begun.iter().all(|&key| !core.calls.peer.is_open(key))
            && let Some(Transmit { kind, route, bytes }) = mine.pop()
        {
            core.owe(others);
            self.look_after(core);
            return match (kind, route) {
                // Clients do not look into a refusal for the answer to their request: only what is none gets one.
                (TransmitKind::Error(ErrorKind::InvalidRequest | ErrorKind::Parse), Route::Unsolicited) => {
                    Reply::Refusal(bytes)
                }
                _ => Reply::Answer(bytes),
            };
        }
        let later = (!mine.is_empty() || batch.is_some() || !begun.is_empty()).then(Arc::<Outlet>::default);
        if let Some(outlet) = &later {
            core.outlets.extend(begun.into_iter().map(|key| (key, Arc::clone(outlet))));
            core.batches.extend(batch.map(|number| (number, Arc::clone(outlet))));
        }
        let own = mine.into_iter().map(|Transmit { kind, bytes, .. }| What::Transmit(kind, bytes));
        core.due.extend(own.map(|what| Due { outlet: later.clone(), what }));
        core.owe(others);
        self.look_after(core);
        later.map_or(Reply::Accepted, |outlet| Reply::Later(Later(outlet)))
    }

    /// Takes what the client has sent to another replica, and what may be meant for a call here.
    pub(crate) fn post_relayed(self: &Arc<Self>, text: &str) {
        let mut guard = self.lock();
        let Some(core) = guard.as_mut() else { return };
        let parsed = envelope::parse(text, Span::whole(text), core.depth);
        core.calls.handle_parsed(text, parsed);
        core.gather();
        self.look_after(core);
    }

    /// Goes on with the record as it is now: another replica has changed it.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn reload(self: &Arc<Self>) -> Result<(), StoreError> {
        let record = self.store.load(&self.id).await?;
        let record = record.as_deref().and_then(Record::parse);
        if let (Some(record), Some(core)) = (record, self.lock().as_mut()) {
            core.calls.restore(record.session());
            self.look_after(core);
        }
        Ok(())
    }

    /// Begins the stream for all that belongs to no request, and returns its number. One that was begun before ends:
    /// a client whose connection died unnoticed must not be shut out by its own ghost.
    ///
    /// # Errors
    /// If the store fails. `None` if the session has ended.
    pub(crate) async fn listen(self: &Arc<Self>) -> Result<Option<u64>, StoreError> {
        let number = Kind::Standalone.new_number();
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
            tracing::warn!("a stream that another one replaces ends here only: {}", error.in_full());
            self.readers.cut(old);
        }
        Ok(Some(number))
    }

    /// Ends the session here: its calls are cancelled, its streams end, and whoever waits for an answer hears of it.
    pub(crate) fn end(&self) {
        let Some(core) = self.lock().take() else { return };
        self.readers.cut_all();
        for outlet in core.outlets.into_values().chain(core.batches.into_values()) {
            outlet.begin(First::Ended);
        }
        core.pump.into_iter().for_each(Waker::wake);
        core.calls.leave();
    }

    /// Sees to it that a task looks after what goes on in the session.
    fn look_after(self: &Arc<Self>, core: &mut Core) {
        if core.is_pumped {
            core.pump.take().into_iter().for_each(Waker::wake);
        } else if !core.is_at_rest() {
            core.is_pumped = true;
            spawn(pump::run(Arc::clone(self)));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Core>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Core {
    /// Takes what the engine wants sent.
    fn gather(&mut self) {
        let sent: Vec<Transmit> = std::iter::from_fn(|| self.calls.peer.poll_transmit()).collect();
        self.owe(sent);
        for key in self.calls.take_cancelled() {
            let Some(outlet) = self.outlets.remove(&key) else { continue };
            // The other requests of a batch are still answered.
            if !self.batches.values().any(|batch| Arc::ptr_eq(batch, &outlet)) {
                self.due.push_back(Due { outlet: Some(outlet), what: What::Cancelled });
            }
        }
        let peer = &self.calls.peer;
        // Answers of a batch come together.
        self.outlets.retain(|&key, _| peer.is_open(key));
        for (_, outlet) in self.batches.extract_if(|number, _| !peer.is_batch_open(*number)) {
            self.due.push_back(Due { outlet: Some(outlet), what: What::Cancelled });
        }
    }

    /// Remembers what has to be sent, each to who is known to wait for it.
    fn owe(&mut self, sent: Vec<Transmit>) {
        for Transmit { kind, route, bytes } in sent {
            let outlet = self.outlet_of(route).cloned();
            if outlet.is_none() && route != Route::Unsolicited {
                tracing::debug!("a message belongs to a request that nobody knows");
                continue;
            }
            match (&kind, route) {
                (TransmitKind::Answer | TransmitKind::Error(_), Route::Listen(key) | Route::Request(key)) => {
                    self.outlets.remove(&key);
                }
                (_, Route::Batch(number)) => drop(self.batches.remove(&number)),
                _ => {}
            }
            self.due.push_back(Due { outlet, what: What::Transmit(kind, bytes) });
        }
    }

    /// Returns who waits for what is sent there.
    fn outlet_of(&self, route: Route) -> Option<&Arc<Outlet>> {
        match route {
            Route::Batch(number) => self.batches.get(&number),
            Route::Listen(key) | Route::Request(key) => self.outlets.get(&key),
            Route::Unsolicited => None,
        }
    }

    /// Whether nothing will happen unless the client sends something.
    fn is_at_rest(&self) -> bool {
        self.calls.running() == 0
            && self.calls.peer.waiting() == 0
            && self.due.is_empty()
            && self.outlets.is_empty()
            && self.standalone.is_none()
    }
}
