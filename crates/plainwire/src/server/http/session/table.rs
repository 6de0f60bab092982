//! The sessions of an endpoint: the active ones are in memory, and all of them are in the store.
//!
//! In: a session id and the principal that sends it. Out: the session, restored from its record if it is not
//! in memory, because it was at rest or began at another replica. So a session at rest takes little memory
//! besides its data in the store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use super::Session;
use super::record::Record;
use super::relay::{OtherReplicas, ReplicaNotice};
use super::slots::SessionSlots;
use crate::runtime::random;
use crate::runtime::{self, LinePause};
use crate::server::built::Built;
use crate::server::http::endpoint::{Caller, Claim, OverMemory, Slot};
use crate::server::principal::Principal;
use crate::server::store::{Store, StoreError};

/// Longest time between two turns (passes) of [`sweep`]. A turn drops inactive sessions from memory that were
/// not used since the turn before: so with 5 s, a session is dropped 5 to 10 s after its last use. It stays
/// in the store.
const REST: Duration = Duration::from_secs(5);

/// Longest lifetime of a session without activity whose client has not sent `notifications/initialized` yet:
/// 60 s, enough to send it.
const FRESH: Duration = Duration::from_secs(60);

/// Upper bound of [`Sessions::idle`], 30 years, which every clock can represent.
const FOREVER: Duration = Duration::from_secs(30 * 365 * 86_400);

/// The memory that is counted for a session beside its record, in bytes: its entries in tables, and its state
/// while it is in memory.
pub(crate) const SESSION: usize = 4 << 10;

/// The reason why the record of a session is not in the store.
#[derive(Debug)]
pub(crate) enum Unsaved {
    OverMemory(OverMemory),
    Store(StoreError),
}

impl From<StoreError> for Unsaved {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The sessions of an endpoint, and their store.
pub(crate) struct Sessions {
    /// The slots of the sessions that began at this replica.
    slots: SessionSlots,
    built: Arc<Built>,
    /// The lifetime of a session without activity.
    idle: Duration,
    live: Mutex<Live>,
    /// The log lines about sessions that ended to make room.
    made_room: Mutex<LinePause>,
    /// The other replicas with the same store; `None` if there are none.
    others: Option<OtherReplicas>,
    pub(crate) store: Arc<dyn Store>,
}

#[derive(Default)]
struct Live {
    /// The sessions in memory, by id.
    by_id: HashMap<Box<str>, LiveSession>,
    /// Whether [`sweep`], the task that drops inactive sessions, runs.
    is_swept: bool,
}

struct LiveSession {
    principal: Option<Arc<Principal>>,
    /// The generation of the record that is in the store ([`Session::generation`]).
    saved: u64,
    session: Arc<Session>,
    /// The earliest time at which the session may have expired. While the session is in memory, this counts,
    /// and not the time that is kept with its slot.
    until: Instant,
    /// Whether the session was used since the last turn of [`sweep`].
    used: bool,
}

impl Sessions {
    pub(crate) fn new(
        built: Arc<Built>,
        store: Arc<dyn Store>,
        idle: Duration,
        most: usize,
        others: Option<OtherReplicas>,
    ) -> Self {
        let idle = idle.min(FOREVER);
        let (slots, live) = (SessionSlots::new(most), Mutex::default());
        Self { slots, built, idle, live, made_room: Mutex::default(), others, store }
    }

    /// Returns the largest number of sessions that one caller may have.
    pub(crate) fn most(&self) -> usize {
        self.slots.most()
    }

    /// Begins a session that can't be found before it is passed to [`Self::keep`]; `None` if its caller has
    /// too many sessions. The session keeps `memory` as long as it lives.
    pub(crate) fn begin(&self, caller: Caller, memory: Claim) -> Option<NewSession> {
        let slot = self.slots.slot(&caller.id)?;
        let (id, principal) = (random::id(), caller.principal);
        let session = Session::new(&self.built, principal.clone(), &id, Arc::clone(&self.store));
        Some(NewSession { id, slot, memory, principal, session: Arc::new(session) })
    }

    /// Adds a session that has negotiated a revision to the store and to memory, and returns its id. If the
    /// store is full, a session of the caller with the most sessions ends, unless the caller of the new
    /// session has as many sessions, the new one included.
    ///
    /// # Errors
    /// [`StoreError`] if there are too many sessions, or the store fails.
    pub(crate) async fn keep(self: &Arc<Self>, new: NewSession) -> Result<String, StoreError> {
        let NewSession { id, slot, memory, principal, session } = new;
        let Some((saved, record)) = session.record(principal.as_deref()) else { return Ok(id) };
        let until = Instant::now() + self.idle_of(&session);
        let (record, idle) = (record.to_bytes(), self.idle_of(&session));
        let mut created = self.store.create(&id, &record, idle).await;
        if let (Err(StoreError::Full { .. }), Some(evicted)) = (&created, self.slots.to_evict(slot.caller()))
        {
            let due = self.made_room.lock().unwrap_or_else(PoisonError::into_inner).count();
            if let Some(left_out) = due {
                tracing::warn!(
                    "the store is full: the caller with the most sessions loses one to {} ({left_out} more were lost \
                     since the last line)",
                    slot.caller()
                );
            }
            self.remove(&evicted).await?;
            created = self.store.create(&id, &record, idle).await;
        }
        created?;
        self.slots.enter(&id, (slot, memory), until);
        self.enter(&id, LiveSession { principal, saved, session, until, used: true });
        Ok(id)
    }

    /// Gives a session the usual lifetime, now that its client has sent `notifications/initialized`.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub(crate) async fn admit(&self, id: &str) -> Result<(), StoreError> {
        let until = Instant::now() + self.idle;
        if self.store.touch(id, self.idle).await? {
            self.lives(id, until);
        }
        Ok(())
    }

    /// Returns the session with this id; `None` if there is none, if it belongs to another principal, or if
    /// its revision is no longer served.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub(crate) async fn find(
        self: &Arc<Self>,
        id: &str,
        principal: Option<&Arc<Principal>>,
    ) -> Result<Option<Arc<Session>>, StoreError> {
        match self.use_live(id, principal) {
            Some(Some(session)) => return Ok(self.touch(id, &session).await?.then_some(session)),
            Some(None) => return Ok(stranger()),
            None => {}
        }
        let Some(record) = self.store.load(id).await? else {
            self.forget(id);
            return Ok(None);
        };
        let Some(record) = Record::parse(&record) else {
            return Err(StoreError::failed("expected the record of a session, but found something else"));
        };
        if record.principal.as_deref() != principal.map(|it| it.name.as_str()) {
            return Ok(stranger());
        }
        let restored =
            Session::restore(&self.built, principal.cloned(), id, Arc::clone(&self.store), &record);
        let Some(session) = restored.map(Arc::new) else { return Ok(None) };
        let until = Instant::now() + self.idle_of(&session);
        if !self.touch(id, &session).await? {
            return Ok(None);
        }
        let saved = session.generation();
        let entry = LiveSession { principal: principal.cloned(), saved, session, until, used: true };
        Ok(Some(self.enter(id, entry)))
    }

    /// Returns a session that is in memory, and records that it is used and so lives on; `Some(None)` if it
    /// belongs to another principal, `None` if it is not in memory.
    fn use_live(&self, id: &str, principal: Option<&Arc<Principal>>) -> Option<Option<Arc<Session>>> {
        let mut live = self.lock();
        let entry = live.by_id.get_mut(id)?;
        if entry.principal.as_ref() != principal {
            return Some(None);
        }
        entry.used = true;
        entry.until = Instant::now() + self.idle_of(&entry.session);
        Some(Some(Arc::clone(&entry.session)))
    }

    /// Extends the life of a session in the store. Returns whether the session is there; if it has ended, it
    /// ends in memory too.
    async fn touch(&self, id: &str, session: &Session) -> Result<bool, StoreError> {
        let lives = self.store.touch(id, self.idle_of(session)).await?;
        if !lives {
            self.forget(id);
        }
        Ok(lives)
    }

    /// Returns how long the session lives without activity.
    fn idle_of(&self, session: &Session) -> Duration {
        if session.is_initialized() { self.idle } else { self.idle.min(FRESH) }
    }

    /// Writes the record of a session to the store if it has changed, and tells other replicas. Does nothing
    /// for a session that is not in memory.
    ///
    /// # Errors
    /// [`Unsaved`] if the record takes too much memory, or the store fails.
    pub(crate) async fn save(&self, id: &str, session: &Session) -> Result<(), Unsaved> {
        let (saved, principal) = match self.lock().by_id.get(id) {
            Some(entry) => (entry.saved, entry.principal.clone()),
            None => return Ok(()),
        };
        if session.generation() == saved {
            return Ok(());
        }
        let Some((generation, record)) = session.record(principal.as_deref()) else { return Ok(()) };
        let record = record.to_bytes();
        self.slots.grow(id, SESSION + record.len()).map_err(Unsaved::OverMemory)?;
        self.store.save(id, &record).await?;
        self.tell(&ReplicaNotice::Reload(id)).await?;
        if let Some(entry) = self.lock().by_id.get_mut(id) {
            entry.saved = entry.saved.max(generation);
        }
        Ok(())
    }

    /// Ends a session.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub(crate) async fn remove(&self, id: &str) -> Result<(), StoreError> {
        self.store.remove(id).await?;
        self.forget(id);
        // The session has ended in the store: replicas that miss the notice find out there.
        if let Err(error) = self.tell(&ReplicaNotice::End(id)).await {
            tracing::warn!("the end of a session can't be published to other replicas: {}", error.in_full());
        }
        Ok(())
    }

    /// Sends other replicas a notice about a session that may be active there.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub(crate) async fn tell(&self, said: &ReplicaNotice<'_>) -> Result<(), StoreError> {
        match &self.others {
            Some(others) => others.tell(said).await,
            None => Ok(()),
        }
    }

    /// Handles a notice of another replica. Returns the session that has to be reloaded because of it, if
    /// there is one.
    pub(crate) fn hear(&self, said: &ReplicaNotice<'_>) -> Option<Arc<Session>> {
        let here = |id: &str| self.lock().by_id.get(id).map(|entry| Arc::clone(&entry.session));
        match said {
            ReplicaNotice::Change(change) => self.built.shared.bus.publish_here(change),
            ReplicaNotice::End(id) => self.forget(id),
            ReplicaNotice::Message(id, text) => {
                here(id).into_iter().for_each(|session| session.post_relayed(text))
            }
            ReplicaNotice::Reload(id) => return here(id),
        }
        None
    }

    /// Records that a session in memory now matches its record in the store.
    pub(crate) fn reloaded(&self, session: &Session) {
        if let Some(entry) = self.lock().by_id.get_mut(session.id()) {
            entry.saved = session.generation();
        }
    }

    /// Ends all sessions that are in memory, since the server ends.
    pub(crate) fn end(&self) {
        let live = std::mem::take(&mut self.lock().by_id);
        live.into_values().for_each(|entry| entry.session.end());
    }

    /// Adds a session to memory, unless another task has added the session with this id meanwhile. Returns
    /// the session that is in memory.
    fn enter(self: &Arc<Self>, id: &str, entry: LiveSession) -> Arc<Session> {
        let mut live = self.lock();
        if !std::mem::replace(&mut live.is_swept, true) {
            runtime::spawn_detached(sweep(Arc::downgrade(self)));
        }
        Arc::clone(&live.by_id.entry(id.into()).or_insert(entry).session)
    }

    /// Returns the time between two turns (passes) of [`sweep`]. Short-lived sessions need more turns:
    /// otherwise they would expire in between, even if they are busy.
    fn pause(&self) -> Duration {
        REST.min(self.idle / 4).max(Duration::from_millis(10))
    }

    /// Makes one turn of [`sweep`]: drops inactive sessions from memory. Returns the checks to make in the
    /// store, with the ids of their sessions; `None` if no session is left in memory and no slot is in use.
    fn turn(&self) -> Option<Vec<(Arc<str>, StoreCheck)>> {
        let (now, margin) = (Instant::now(), 2 * self.pause());
        let mut live = self.lock();
        live.by_id.retain(|id, entry| {
            let used = std::mem::take(&mut entry.used);
            // If a task holds the session besides this table, it is about to use it.
            let is_held = Arc::strong_count(&entry.session) > 1 || !entry.session.is_idle();
            // A change that is not in the store yet would be lost.
            let stays = used || is_held || entry.saved != entry.session.generation();
            if !stays {
                self.slots.lives(id, entry.until);
            }
            stays
        });
        if live.by_id.is_empty() && self.slots.is_empty() {
            live.by_id.shrink_to_fit();
            live.is_swept = false;
            return None;
        }
        let touched = live.by_id.iter().filter_map(|(id, entry)| {
            let idle = self.idle_of(&entry.session);
            // A busy session is touched once or twice per `idle`, not in each turn.
            let is_due = entry.until.saturating_duration_since(now) < margin.max(idle / 2);
            if is_due && entry.session.is_busy() {
                return Some((Arc::from(&**id), StoreCheck::Touch(idle)));
            }
            (entry.until <= now).then(|| (Arc::from(&**id), StoreCheck::IsThere))
        });
        let mut asked: Vec<_> = touched.collect();
        let live_until = |id: &str| live.by_id.get(id).map(|entry| entry.until);
        let unused = self.slots.due(now, self.idle, live_until).into_iter();
        asked.extend(unused.map(|id| (id, StoreCheck::IsThere)));
        Some(asked)
    }

    /// Records, in memory and for its slot, that a session does not expire before `until`.
    fn lives(&self, id: &str, until: Instant) {
        if let Some(entry) = self.lock().by_id.get_mut(id) {
            entry.until = until;
        }
        self.slots.lives(id, until);
    }

    /// Ends a session in memory, and frees its slot. The store is not changed.
    fn forget(&self, id: &str) {
        self.slots.ended(id);
        let gone = self.lock().by_id.remove(id);
        if let Some(entry) = gone {
            entry.session.end();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sessions {
    /// Ends the sessions in memory: they can't be reached any more, so their calls must not continue.
    fn drop(&mut self) {
        self.end();
    }
}

/// Logs that a caller asked for the session of another principal. Returns `None`: the caller gets the same
/// answer as for an unknown session.
fn stranger<T>() -> Option<T> {
    tracing::debug!("a caller asked for the session of another principal");
    None
}

/// A session that has begun but is not in the store yet.
pub(crate) struct NewSession {
    id: String,
    memory: Claim,
    slot: Slot,
    principal: Option<Arc<Principal>>,
    pub(crate) session: Arc<Session>,
}

/// A check that [`sweep`] makes of a session in the store.
enum StoreCheck {
    /// Loads the session, to see whether it still exists, since it may have expired.
    IsThere,
    /// Makes the session live for this time from now.
    Touch(Duration),
}

/// Drops inactive sessions from memory, keeps busy ones alive in the store, and ends when no session is left
/// in memory and no slot is in use.
///
/// It holds [`Sessions`] for moments only, so that the sessions end when their server is dropped.
async fn sweep(sessions: Weak<Sessions>) {
    loop {
        let Some(pause) = sessions.upgrade().map(|it| it.pause()) else { return };
        tokio::time::sleep(pause).await;
        let Some((store, asked)) =
            sessions.upgrade().and_then(|it| Some((Arc::clone(&it.store), it.turn()?)))
        else {
            return;
        };
        for (id, question) in asked {
            let now = Instant::now();
            let lives = match question {
                StoreCheck::IsThere => store.load(&id).await.map(|record| record.is_some()),
                StoreCheck::Touch(idle) => store.touch(&id, idle).await,
            };
            let Some(sessions) = sessions.upgrade() else { return };
            match (lives, question) {
                (Ok(true), StoreCheck::Touch(idle)) => sessions.lives(&id, now + idle),
                // Another replica has touched the session, so it lives until this time at most.
                (Ok(true), StoreCheck::IsThere) => sessions.lives(&id, now + sessions.idle),
                (Ok(false), _) => sessions.forget(&id),
                (Err(error), _) => {
                    tracing::warn!("a session can't be checked in the store: {}", error.in_full());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
