//! Counts of what each caller has open, for example bodies being received, requests in flight and sessions.
//!
//! Callers without a principal are distinguished by address.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::memory::Claim;

/// The identity of a caller: the name of the principal, or an address; empty if neither is known.
pub(crate) type CallerId = Arc<str>;

/// The number of slots that each caller has taken, for one kind of limited thing, such as requests in flight.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    by_caller: Mutex<HashMap<CallerId, usize>>,
}

impl Usage {
    /// Takes a slot for `caller`; `None` if the caller has `limit` slots already.
    pub(crate) fn take(self: &Arc<Self>, caller: &CallerId, limit: usize) -> Option<Slot> {
        self.take_many(caller, 1, limit)
    }

    /// Takes `count` slots for `caller`; `None` if the caller would then have more than `limit`. `count` is at
    /// least 1.
    pub(crate) fn take_many(self: &Arc<Self>, caller: &CallerId, count: usize, limit: usize) -> Option<Slot> {
        let mut by_caller = self.lock();
        let taken = by_caller.get(caller).copied().unwrap_or(0);
        // This check comes before the caller is inserted: only a slot removes a caller again.
        if limit.checked_sub(taken).is_none_or(|free| free < count) {
            return None;
        }
        by_caller.insert(Arc::clone(caller), taken + count);
        Some(Slot { caller: Arc::clone(caller), count, usage: Arc::clone(self) })
    }

    /// Returns the caller with the most slots, if it has at least `more` slots more than `than`.
    pub(crate) fn largest(&self, than: &CallerId, more: usize) -> Option<CallerId> {
        let by_caller = self.lock();
        let taken = by_caller.get(than).copied().unwrap_or(0);
        let (largest, most) = by_caller.iter().max_by_key(|(_, count)| **count)?;
        (*most >= taken + more).then(|| Arc::clone(largest))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CallerId, usize>> {
        self.by_caller.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut by_caller = self.usage.lock();
        if let Some(taken) = by_caller.get_mut(&self.caller) {
            *taken -= self.count;
            if *taken == 0 {
                by_caller.remove(&self.caller);
            }
        }
    }
}

/// The place of one request, subscription or stream: a slot of its caller, and the memory that it takes.
#[derive(Debug)]
pub(crate) struct Place {
    _memory: Option<Claim>,
    _slot: Slot,
}

impl Place {
    pub(crate) fn new(slot: Slot, memory: Option<Claim>) -> Self {
        Self { _memory: memory, _slot: slot }
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
