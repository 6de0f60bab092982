//! The sessions of a store: their records, logs and deadlines.
//!
//! In: ids and durations. Out: records, and the log of a session once something is written to it. A session
//! is in one of several shards, by the hash of its id. Each shard keeps its sessions by id, and sorted by the
//! time at which each is looked at: its deadline, or one that was its deadline before the session was touched. So
//! a touch, which each request makes, is one lookup, and no method iterates over sessions that nobody has touched.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasher as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;

use super::clock::{Clock, Moment};
use super::log::Log;
use super::total::Logs;
use super::{SHARDS, lock};
use crate::server::store::StoreError;

/// All sessions of a store.
pub(super) struct Sessions {
    clock: Clock,
    /// Invariant: the number of sessions in all shards, plus those that are being created or freed.
    count: AtomicUsize,
    hasher: RandomState,
    limit: usize,
    /// The sizes of the logs of all sessions.
    logs: Arc<Logs>,
    shards: [Mutex<SessionShard>; SHARDS],
}

/// The sessions of one shard, a part of all sessions with a lock of its own.
#[derive(Default)]
struct SessionShard {
    /// Invariant: the ids of the sessions in `by_id`, sorted by their `looked_at`.
    by_time: ByTime,
    /// The sessions, by id. Boxed, so that the free slots of the table are small.
    by_id: HashMap<Arc<str>, Box<Session>>,
}

/// The ids of sessions, sorted by the moments at which they are looked at.
type ByTime = BTreeSet<(Moment, Arc<str>)>;

struct Session {
    /// The moment at which the session expires.
    deadline: Moment,
    /// The moment at which [`SessionShard::pop_expired`] looks at this session next: at most `deadline`.
    looked_at: Moment,
    /// The events of the session; `None` until the first event is written.
    log: Option<Arc<Log>>,
    record: Box<[u8]>,
}

impl Sessions {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            clock: Clock::new(),
            count: AtomicUsize::new(0),
            hasher: RandomState::new(),
            limit,
            logs: Arc::default(),
            shards: Default::default(),
        }
    }

    pub(super) fn create(&self, id: &str, record: &[u8], idle: Duration) -> Result<(), StoreError> {
        self.sweep(id);
        while !self.reserve() {
            if !self.make_room() {
                return Err(StoreError::Full { limit: self.limit });
            }
        }
        let deadline = self.clock.after(idle);
        let session = Session { deadline, looked_at: deadline, log: None, record: record.into() };
        let shard = &mut lock(self.shard(id));
        if shard.by_id.contains_key(id) {
            self.count.fetch_sub(1, Ordering::Relaxed);
            return Err(StoreError::failed("expected the id of a new session, but found one that is taken"));
        }
        shard.insert(id.into(), session);
        Ok(())
    }

    pub(super) fn load(&self, id: &str) -> Option<Vec<u8>> {
        self.alive(id, |session, _| Some(session.record.to_vec()))
    }

    pub(super) fn save(&self, id: &str, record: &[u8]) -> bool {
        let record = record.into();
        // The old record is freed after the shard is unlocked.
        self.alive(id, |session, _| Some(std::mem::replace(&mut session.record, record))).is_some()
    }

    pub(super) fn touch(&self, id: &str, idle: Duration) -> bool {
        let deadline = self.clock.after(idle);
        let woken = self.alive(id, |session, by_time| Some(session.set_deadline(id, deadline, by_time)));
        woken.map(|woken| woken.into_iter().for_each(Waker::wake)).is_some()
    }

    pub(super) fn remove(&self, id: &str) -> bool {
        let now = self.clock.now();
        let Some(session) = lock(self.shard(id)).remove(id) else { return false };
        let was_alive = session.deadline > now;
        self.end(session);
        was_alive
    }

    /// Returns the log of a session; `None` if there is no such session, or no event was ever written to it.
    pub(super) fn log(&self, id: &str) -> Option<Arc<Log>> {
        self.alive(id, |session, _| session.log.clone())
    }

    /// Returns the log of a session, and makes it if necessary; `None` if there is no such session.
    pub(super) fn log_to_write(&self, id: &str) -> Option<Arc<Log>> {
        self.alive(id, |session, _| {
            let log = session.log.get_or_insert_with(|| Log::new(self.clock, session.deadline, &self.logs));
            Some(Arc::clone(log))
        })
    }

    /// Runs `action` on a session, under the lock of its shard. Returns `None` if there is no such session,
    /// and frees the session if it has expired.
    fn alive<T>(&self, id: &str, action: impl FnOnce(&mut Session, &mut ByTime) -> Option<T>) -> Option<T> {
        let now = self.clock.now();
        let mut guard = lock(self.shard(id));
        let shard = &mut *guard;
        let session = shard.by_id.get_mut(id)?;
        if session.deadline > now {
            return action(session, &mut shard.by_time);
        }
        let expired = shard.remove(id);
        drop(guard);
        if let Some(session) = expired {
            self.end(session);
        }
        None
    }

    /// Reserves room for one more session. Returns whether the limit allows it.
    fn reserve(&self) -> bool {
        let more = |count: usize| (count < self.limit).then_some(count + 1);
        self.count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Frees up to [`SWEPT`] expired sessions of the shard of `id`, and the session `id` if it has expired.
    ///
    /// It frees several sessions for each one that is created, so that expired sessions become fewer.
    fn sweep(&self, id: &str) {
        let now = self.clock.now();
        let mut expired = Vec::new();
        {
            let shard = &mut lock(self.shard(id));
            if shard.by_id.get(id).is_some_and(|it| it.deadline <= now) {
                expired.extend(shard.remove(id));
            }
            expired.extend((0..SWEPT).map_while(|_| shard.pop_expired(now)));
        }
        expired.into_iter().for_each(|session| self.end(session));
    }

    /// Frees one expired session of any shard. Returns whether there was one.
    fn make_room(&self) -> bool {
        let now = self.clock.now();
        let expired = self.shards.iter().find_map(|shard| lock(shard).pop_expired(now));
        expired.map(|session| self.end(session)).is_some()
    }

    /// Ends a session that was removed from its shard. No shard may be locked.
    fn end(&self, session: Session) {
        self.count.fetch_sub(1, Ordering::Relaxed);
        if let Some(log) = session.log {
            log.end();
        }
    }

    fn shard(&self, id: &str) -> &Mutex<SessionShard> {
        &self.shards[self.hasher.hash_one(id) as usize % SHARDS]
    }

    #[cfg(test)]
    pub(super) fn bytes_of_logs(&self) -> usize {
        self.logs.bytes()
    }

    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        let kept = self.shards.iter().map(|shard| {
            let shard = lock(shard);
            assert_eq!(shard.by_id.len(), shard.by_time.len());
            shard.by_id.len()
        });
        let kept = kept.sum();
        assert_eq!(self.count.load(Ordering::Relaxed), kept);
        kept
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        for shard in &mut self.shards {
            let shard = shard.get_mut().unwrap_or_else(PoisonError::into_inner);
            shard.by_id.values().filter_map(|session| session.log.as_ref()).for_each(|log| log.end());
        }
    }
}

impl SessionShard {
    fn insert(&mut self, id: Arc<str>, session: Session) {
        self.by_time.insert((session.looked_at, Arc::clone(&id)));
        self.by_id.insert(id, Box::new(session));
    }

    fn remove(&mut self, id: &str) -> Option<Session> {
        let (id, session) = self.by_id.remove_entry(id)?;
        self.by_time.remove(&(session.looked_at, id));
        // Shrinks a table that once had many more sessions.
        if self.by_id.capacity() > 8 * (self.by_id.len() + 8) {
            self.by_id.shrink_to(2 * self.by_id.len());
        }
        Some(*session)
    }

    /// Removes a session that has expired; `None` if none has. Sessions that were touched meanwhile are sorted
    /// by their new deadlines: each at most once for each of its lifetimes.
    fn pop_expired(&mut self, now: Moment) -> Option<Session> {
        loop {
            if self.by_time.first()?.0 > now {
                return None;
            }
            let (_, id) = self.by_time.pop_first()?;
            let session = self.by_id.get_mut(&id)?;
            session.looked_at = session.deadline;
            let has_expired = session.deadline <= now;
            self.by_time.insert((session.looked_at, Arc::clone(&id)));
            if has_expired {
                return self.remove(&id);
            }
        }
    }
}

impl Session {
    /// Moves the deadline. Returns the wakers that the caller has to wake.
    fn set_deadline(&mut self, id: &str, deadline: Moment, by_time: &mut ByTime) -> Vec<Waker> {
        self.deadline = deadline;
        if deadline < self.looked_at
            && let Some((_, id)) = by_time.take(&(self.looked_at, id.into()))
        {
            by_time.insert((deadline, id));
            self.looked_at = deadline;
        }
        self.log.as_ref().map(|log| log.postpone(deadline)).unwrap_or_default()
    }
}

/// The largest number of expired sessions that are freed, besides one of the same id, when a session is
/// created.
const SWEPT: usize = 4;
