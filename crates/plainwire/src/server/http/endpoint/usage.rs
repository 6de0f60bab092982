//! How much each principal has open: bodies that are read, requests in flight and streams that are listened to.
//!
//! Who has not proved who they are is told apart by address.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Who is counted: the name of a principal, or an address.
pub(crate) type Who = Arc<str>;

/// What is open now, by whom.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    by_whom: Mutex<HashMap<Who, usize>>,
}

impl Usage {
    /// Takes a place of `who`; `None` if there are `limit` taken.
    pub(crate) fn take(self: &Arc<Self>, who: &Who, limit: usize) -> Option<Place> {
        let mut by_whom = self.lock();
        let taken = by_whom.get(who).copied().unwrap_or(0);
        // Before anything is entered that no place would take out again.
        if taken >= limit {
            return None;
        }
        by_whom.insert(Arc::clone(who), taken + 1);
        Some(Place { usage: Arc::clone(self), who: Arc::clone(who) })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Who, usize>> {
        self.by_whom.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place that is taken until this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    usage: Arc<Usage>,
    who: Who,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut by_whom = self.usage.lock();
        if let Some(taken) = by_whom.get_mut(&self.who) {
            *taken -= 1;
            if *taken == 0 {
                by_whom.remove(&self.who);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again_once_it_is_dropped_and_nobody_is_remembered() {
        let usage = Arc::<Usage>::default();
        let (ada, bob): (Who, Who) = ("ada".into(), "bob".into());
        let first = usage.take(&ada, 1).expect("a place");
        assert!(usage.take(&ada, 1).is_none());
        drop(usage.take(&bob, 1).expect("a place of his own"));
        assert!(usage.take(&"eve".into(), 0).is_none());
        drop(first);
        drop(usage.take(&ada, 1).expect("the place again"));
        assert!(usage.lock().is_empty());
    }
}
