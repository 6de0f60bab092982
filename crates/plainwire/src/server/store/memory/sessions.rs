//! Who has a session, its record, and when it ends.
//!
//! In: ids and durations. Out: records, and the log of a session once something is written to it. A session is in one
//! of several parts, by the hash of its id. Each part keeps its sessions by id and by deadline, so that the next one to
//! expire is found at once: nothing here ever walks over all of them.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasher as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;

use super::clock::{Clock, Moment};
use super::log::Log;
use super::{PARTS, lock};
use crate::server::store::StoreError;

/// All sessions of a store.
pub(super) struct Sessions {
    clock: Clock,
    /// Invariant: the sessions of all parts, and those that are being created.
    count: AtomicUsize,
    hasher: RandomState,
    limit: usize,
    parts: [Mutex<Part>; PARTS],
}

/// The sessions of one part.
#[derive(Default)]
struct Part {
    /// Invariant: the sessions in `by_id`, those that expire first in front.
    by_deadline: BTreeSet<(Moment, Arc<str>)>,
    /// In boxes, so that the free places of the table are small.
    by_id: HashMap<Arc<str>, Box<Session>>,
}

struct Session {
    deadline: Moment,
    /// `None` until the first event.
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
            parts: Default::default(),
        }
    }

    pub(super) fn create(&self, id: &str, record: &[u8], idle: Duration) -> Result<(), StoreError> {
        self.sweep(id);
        while !self.reserve() {
            if !self.make_room() {
                return Err(StoreError::Full { limit: self.limit });
            }
        }
        let session = Session { deadline: self.clock.after(idle), log: None, record: record.into() };
        let part = &mut lock(self.part(id));
        if part.by_id.contains_key(id) {
            self.count.fetch_sub(1, Ordering::Relaxed);
            return Err(StoreError::failed("expected the id of a new session, but found one that is taken"));
        }
        part.insert(id.into(), session);
        Ok(())
    }

    pub(super) fn load(&self, id: &str) -> Option<Vec<u8>> {
        let now = self.clock.now();
        // What every request does looks the id up once.
        if let Some(session) = lock(self.part(id)).by_id.get(id).filter(|it| it.deadline > now) {
            return Some(session.record.to_vec());
        }
        self.alive(id, |part| part.by_id.get(id).map(|it| it.record.to_vec()))
    }

    pub(super) fn save(&self, id: &str, record: &[u8]) -> bool {
        let record = record.into();
        let replaced =
            self.alive(id, |part| part.by_id.get_mut(id).map(|it| std::mem::replace(&mut it.record, record)));
        replaced.is_some()
    }

    pub(super) fn touch(&self, id: &str, idle: Duration) -> bool {
        let deadline = self.clock.after(idle);
        let woken = self.alive(id, |part| part.postpone(id, deadline));
        woken.map(|woken| woken.into_iter().for_each(Waker::wake)).is_some()
    }

    pub(super) fn remove(&self, id: &str) -> bool {
        let removed = self.alive(id, |part| part.remove(id));
        removed.map(|session| self.end(session)).is_some()
    }

    /// Returns the log of a session, if anything was ever written to it.
    pub(super) fn log(&self, id: &str) -> Option<Arc<Log>> {
        self.alive(id, |part| part.by_id.get(id)?.log.clone())
    }

    /// Returns the log of a session, a new one if there was none; `None` if there is no such session.
    pub(super) fn log_to_write(&self, id: &str) -> Option<Arc<Log>> {
        self.alive(id, |part| {
            let session = part.by_id.get_mut(id)?;
            let log = session.log.get_or_insert_with(|| Arc::new(Log::new(self.clock, session.deadline)));
            Some(Arc::clone(log))
        })
    }

    /// Does something with the part that a session is in, unless it has expired.
    fn alive<T>(&self, id: &str, action: impl FnOnce(&mut Part) -> Option<T>) -> Option<T> {
        let now = self.clock.now();
        let mut part = lock(self.part(id));
        if part.by_id.get(id)?.deadline > now {
            return action(&mut part);
        }
        let expired = part.remove(id);
        drop(part);
        if let Some(session) = expired {
            self.end(session);
        }
        None
    }

    /// Takes a place for a session. Returns whether there was one.
    fn reserve(&self) -> bool {
        let more = |count: usize| (count < self.limit).then_some(count + 1);
        self.count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Gives back some of what has expired where `id` belongs, and a session of this id if that has.
    ///
    /// Several for each one that is created, so that those that have expired become fewer.
    fn sweep(&self, id: &str) {
        let now = self.clock.now();
        let mut expired = Vec::new();
        {
            let part = &mut lock(self.part(id));
            if part.by_id.get(id).is_some_and(|it| it.deadline <= now) {
                expired.extend(part.remove(id));
            }
            expired.extend((0..SWEPT).map_while(|_| part.pop_expired(now)));
        }
        expired.into_iter().for_each(|session| self.end(session));
    }

    /// Gives back one session that has expired, wherever it is. Returns whether there was one.
    fn make_room(&self) -> bool {
        let now = self.clock.now();
        let expired = self.parts.iter().find_map(|part| lock(part).pop_expired(now));
        expired.map(|session| self.end(session)).is_some()
    }

    /// Ends a session that is in no part any more. No part may be locked.
    fn end(&self, session: Session) {
        self.count.fetch_sub(1, Ordering::Relaxed);
        if let Some(log) = session.log {
            log.end();
        }
    }

    fn part(&self, id: &str) -> &Mutex<Part> {
        &self.parts[self.hasher.hash_one(id) as usize % PARTS]
    }

    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        let kept = self.parts.iter().map(|part| {
            let part = lock(part);
            assert_eq!(part.by_id.len(), part.by_deadline.len());
            part.by_id.len()
        });
        let kept = kept.sum();
        assert_eq!(self.count.load(Ordering::Relaxed), kept);
        kept
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        for part in &mut self.parts {
            let part = part.get_mut().unwrap_or_else(PoisonError::into_inner);
            part.by_id.values().filter_map(|session| session.log.as_ref()).for_each(|log| log.end());
        }
    }
}

impl Part {
    fn insert(&mut self, id: Arc<str>, session: Session) {
        self.by_deadline.insert((session.deadline, Arc::clone(&id)));
        self.by_id.insert(id, Box::new(session));
    }

    fn remove(&mut self, id: &str) -> Option<Session> {
        let (id, session) = self.by_id.remove_entry(id)?;
        self.by_deadline.remove(&(session.deadline, id));
        // A table that was full once does not stay large for ever.
        if self.by_id.capacity() > 8 * (self.by_id.len() + 8) {
            self.by_id.shrink_to(2 * self.by_id.len());
        }
        Some(*session)
    }

    /// Takes the session that has expired first, if any has.
    fn pop_expired(&mut self, now: Moment) -> Option<Session> {
        let (deadline, id) = self.by_deadline.first()?;
        if *deadline > now {
            return None;
        }
        let id = Arc::clone(id);
        self.remove(&id)
    }

    /// Moves the deadline of a session. Returns whom to wake; `None` if there is no such session.
    fn postpone(&mut self, id: &str, deadline: Moment) -> Option<Vec<Waker>> {
        let key = Arc::clone(self.by_id.get_key_value(id)?.0);
        let session = self.by_id.get_mut(id)?;
        let mut place = (session.deadline, key);
        self.by_deadline.remove(&place);
        place.0 = deadline;
        self.by_deadline.insert(place);
        session.deadline = deadline;
        Some(session.log.as_ref().map(|log| log.postpone(deadline)).unwrap_or_default())
    }
}

/// Expired sessions that are given back for each one that is created.
const SWEPT: usize = 4;
