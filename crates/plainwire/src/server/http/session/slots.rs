//! The slots of the sessions that began at this replica, which limit the sessions of one caller.
//!
//! In: sessions as they begin, are used and end. Out: a slot for each session, or none if its caller has too
//! many; and the sessions that were unused for so long that they may have expired. Only the store knows
//! whether they have. Other replicas count their own sessions.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::server::http::endpoint::{CallerId, Claim, OverMemory, Slot, Usage};

/// Default limit of sessions of one caller. 10,000: a tenth of what a store keeps by default, and behind a
/// proxy many callers count as one.
pub(crate) const SESSIONS_PER_CALLER: usize = 10_000;

pub(crate) struct SessionSlots {
    /// The largest number of sessions that one caller may have.
    most: usize,
    open: Mutex<Slots>,
    usage: Arc<Usage>,
}

#[derive(Default)]
struct Slots {
    by_id: HashMap<Arc<str>, HeldSlot>,
    /// Invariant: the sessions in `by_id`, sorted by their `looked_at`.
    by_time: BTreeSet<(Instant, Arc<str>)>,
}

struct HeldSlot {
    /// The time at which [`SessionSlots::due`] looks at this session next.
    looked_at: Instant,
    /// The memory that the session takes.
    memory: Claim,
    slot: Slot,
    /// The earliest time at which the session may have expired, or at which it is to be checked again.
    until: Instant,
}

impl SessionSlots {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, open: Mutex::default(), usage: Arc::default() }
    }

    /// Returns the largest number of sessions that one caller may have.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Takes a slot for a session of `caller`; `None` if the caller has too many.
    pub(crate) fn slot(&self, caller: &CallerId) -> Option<Slot> {
        self.usage.take(caller, self.most)
    }

    /// Keeps the slot of a session and its memory until [`Self::ended`].
    pub(crate) fn enter(&self, id: &str, (slot, memory): (Slot, Claim), until: Instant) {
        let (id, mut open) = (Arc::<str>::from(id), self.lock());
        open.by_time.insert((until, Arc::clone(&id)));
        open.by_id.insert(id, HeldSlot { looked_at: until, memory, slot, until });
    }

    /// Returns the session that should end when the store is full, so that `caller` can begin another one,
    /// whose slot is already taken: of the caller with the most sessions, the one that may expire first.
    /// `None` if that caller would then have fewer sessions than `caller`, so that callers can't take sessions
    /// from each other in turns.
    pub(crate) fn to_evict(&self, caller: &CallerId) -> Option<Arc<str>> {
        let largest = self.usage.largest(caller, 1)?;
        let open = self.lock();
        let of_largest =
            |id: &Arc<str>| open.by_id.get(id).is_some_and(|held| *held.slot.caller() == largest);
        open.by_time.iter().map(|(_, id)| id).find(|id| of_largest(id)).cloned()
    }

    /// Claims memory for a session that now takes `bytes`, if it began at this replica.
    ///
    /// # Errors
    /// The limit that would be exceeded.
    pub(crate) fn grow(&self, id: &str, bytes: usize) -> Result<(), OverMemory> {
        self.lock().by_id.get_mut(id).map_or(Ok(()), |known| known.memory.grow_to(bytes))
    }

    /// Records that a session lives until `until`, if it began at this replica.
    pub(crate) fn lives(&self, id: &str, until: Instant) {
        if let Some(known) = self.lock().by_id.get_mut(id) {
            known.until = until;
        }
    }

    /// Frees the slot of a session that has ended, if it began at this replica.
    pub(crate) fn ended(&self, id: &str) {
        let mut open = self.lock();
        if let Some((id, known)) = open.by_id.remove_entry(id) {
            open.by_time.remove(&(known.looked_at, id));
        }
    }

    /// Returns the sessions that may have expired by `now`. Later calls return such a session again once
    /// `idle` has passed, unless [`Self::lives`] or [`Self::ended`] is called for it. `live_until` returns the
    /// end of a session that is in memory, where it is kept up to date.
    pub(crate) fn due(
        &self,
        now: Instant,
        idle: Duration,
        live_until: impl Fn(&str) -> Option<Instant>,
    ) -> Vec<Arc<str>> {
        let mut due = Vec::new();
        let mut guard = self.lock();
        let open = &mut *guard;
        while let Some((at, id)) = open.by_time.pop_first() {
            if at > now {
                open.by_time.insert((at, id));
                break;
            }
            let Some(known) = open.by_id.get_mut(&id) else { continue };
            known.until = known.until.max(live_until(&id).unwrap_or(known.until));
            if known.until <= now {
                known.until = now + idle.max(MOMENT);
                due.push(Arc::clone(&id));
            }
            known.looked_at = known.until;
            open.by_time.insert((known.until, id));
        }
        due
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().by_id.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shortest time between two checks of a session. Since it is not 0, one call of [`SessionSlots::due`]
/// returns a session only once, even if `idle` is 0.
const MOMENT: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::http::endpoint::Memory;

    const IDLE: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn the_caller_with_the_most_sessions_gives_the_one_that_expires_first() {
        let (slots, memory, now) = (SessionSlots::new(9), Arc::new(Memory::new(None)), Instant::now());
        let enter = |caller: &str, id: &str, seconds| {
            let caller = caller.into();
            let memory = memory.claim(&caller, 1).expect("room");
            let until = now + Duration::from_secs(seconds);
            slots.enter(id, (slots.slot(&caller).expect("a slot"), memory), until);
        };
        enter("bob", "b", 1);
        enter("eve", "e1", 3);
        enter("eve", "e2", 2);
        let evicted = |caller: &str| {
            let _begun = slots.slot(&caller.into()).expect("a slot");
            slots.to_evict(&caller.into())
        };
        assert_eq!(evicted("ada"), Some("e2".into()));
        assert_eq!(evicted("bob"), None, "eve would have fewer");
        assert_eq!(evicted("eve"), None);
        enter("eve", "e3", 4);
        assert_eq!(evicted("bob"), Some("e2".into()));
        slots.ended("e2");
        assert_eq!(evicted("ada"), Some("e1".into()));
    }

    #[tokio::test(start_paused = true)]
    async fn asks_about_what_nobody_has_used_and_about_nothing_else() {
        let (slots, caller, now) = (SessionSlots::new(4), "ada".into(), Instant::now());
        let memory = Arc::new(Memory::new(None));
        for id in ["used", "left", "live", "ended"] {
            let memory = memory.claim(&caller, 1).expect("room");
            slots.enter(id, (slots.slot(&caller).expect("a slot"), memory), now + IDLE);
        }
        assert!(slots.slot(&caller).is_none() && slots.slot(&"bob".into()).is_some());
        let due = |after| slots.due(now + after, IDLE, |id| (id == "live").then_some(now + 3 * IDLE));
        assert!(due(IDLE / 2).is_empty());
        slots.lives("used", now + 2 * IDLE);
        slots.ended("ended");
        assert_eq!(due(IDLE), ["left".into()]);
        assert!(due(IDLE).is_empty(), "it is being asked about");
        assert_eq!(due(2 * IDLE).len(), 2);
        assert_eq!(due(3 * IDLE).len(), 3, "and the one that was in memory until now");
        slots.ended("live");
        slots.ended("used");
        slots.ended("left");
        assert!(slots.is_empty() && slots.lock().by_time.is_empty());
        let again: Vec<_> = (0..4).map(|_| slots.slot(&caller)).collect();
        assert!(again.iter().all(Option::is_some), "all slots are free again");
    }
}
