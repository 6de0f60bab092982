//! Counts of what each caller has open, for example requests in flight, subscriptions and sessions.
//!
//! Callers without a principal are distinguished by address.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::caller_id::{ByCaller, CallerId};
use super::memory::Claim;

/// The number of slots that each caller has taken, for one kind of limited thing, such as requests in flight.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    by_caller: Mutex<ByCaller<usize>>,
}

impl Usage {
    /// Takes a slot for `caller`; `None` if the caller has `limit` slots already.
    pub(crate) fn take(self: &Arc<Self>, caller: &CallerId, limit: usize) -> Option<Slot> {
        self.take_many(caller, 1, limit)
    }

    /// Takes `count` slots for `caller`; `None` if the caller would then have more than `limit`. `count` is at
    /// least 1.
    pub(crate) fn take_many(self: &Arc<Self>, caller: &CallerId, count: usize, limit: usize) -> Option<Slot> {
        let has_room = |taken: usize| limit.checked_sub(taken).is_some_and(|free| count <= free);
        let mut by_caller = self.lock();
        match by_caller.get_mut(caller) {
            Some(taken) if has_room(*taken) => *taken += count,
            // A caller is inserted only with a slot: only a slot removes a caller again.
            None if has_room(0) => drop(by_caller.insert(caller.clone(), count)),
            _ => return None,
        }
        drop(by_caller);
        Some(Slot { caller: caller.clone(), count, usage: Arc::clone(self) })
    }

    /// Returns the caller with the most slots, if it has at least `more` slots more than `than`.
    pub(crate) fn largest(&self, than: &CallerId, more: usize) -> Option<CallerId> {
        let by_caller = self.lock();
        let taken = by_caller.get(than).copied().unwrap_or(0);
        let (largest, most) = by_caller.iter().max_by_key(|(_, count)| **count)?;
        (*most >= taken + more).then(|| largest.clone())
    }

    fn lock(&self) -> MutexGuard<'_, ByCaller<usize>> {
        self.by_caller.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Subtracts `count` from the count of `caller`, which is forgotten when nothing is left.
pub(super) fn give_back(by_caller: &mut ByCaller<usize>, caller: &CallerId, count: usize) {
    let Some(taken) = by_caller.get_mut(caller) else { return };
    *taken -= count;
    if *taken == 0 {
        by_caller.remove(caller);
    }
}

/// Some of a caller's limited slots, in use until this is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    caller: CallerId,
    /// The number of slots.
    count: usize,
    usage: Arc<Usage>,
}

impl Slot {
    pub(crate) fn caller(&self) -> &CallerId {
        &self.caller
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        give_back(&mut self.usage.lock(), &self.caller, self.count);
    }
}

/// The place of one request, subscription or stream: a slot of its caller, and the memory that it takes.
#[derive(Debug)]
pub(crate) struct Place {
    _memory: Option<Claim>,
    slot: Slot,
}

impl Place {
    pub(crate) fn new(slot: Slot, memory: Option<Claim>) -> Self {
        Self { _memory: memory, slot }
    }

    pub(crate) fn caller(&self) -> &CallerId {
        self.slot.caller()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again_once_it_is_dropped_and_nobody_is_remembered() {
        let usage = Arc::<Usage>::default();
        let (ada, bob): (CallerId, CallerId) = ("ada".into(), "bob".into());
        let first = usage.take(&ada, 1).expect("a slot");
        assert!(usage.take(&ada, 1).is_none());
        drop(usage.take(&bob, 1).expect("a slot of his own"));
        assert!(usage.take(&"eve".into(), 0).is_none());
        drop(first);
        drop(usage.take(&ada, 1).expect("the slot again"));
        assert!(usage.lock().is_empty());
    }
}
