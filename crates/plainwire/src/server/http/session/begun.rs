//! Sessions that were begun here and have not ended, so that no caller has them all.
//!
//! In: sessions as they begin, are used and end. Out: a place for each, or none if a caller has too many; and which ones
//! nobody has used for so long that they may have expired: only the store knows. Other replicas count their own.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::server::http::endpoint::{Place, Usage, Who};

/// Sessions that one caller may have at a time. 10,000: a tenth of what a store keeps, and a proxy in front makes one caller
/// of many.
pub(crate) const SESSIONS_PER_CALLER: usize = 10_000;

pub(crate) struct Begun {
    most: usize,
    open: Mutex<Open>,
    usage: Arc<Usage>,
}

#[derive(Default)]
struct Open {
    by_id: HashMap<Arc<str>, Known>,
    /// When to look at each. Invariant: those in `by_id`, at the time that stands there.
    by_time: BTreeSet<(Instant, Arc<str>)>,
}

struct Known {
    looked_at: Instant,
    /// Until then it has not expired.
    until: Instant,
    _place: Place,
}

impl Begun {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, open: Mutex::default(), usage: Arc::default() }
    }

    /// Returns how many sessions a caller may have.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Takes a place for a session of `who`; `None` if they have too many.
    pub(crate) fn place(&self, who: &Who) -> Option<Place> {
        self.usage.take(who, self.most)
    }

    /// Keeps the place of a session until that has ended.
    pub(crate) fn enter(&self, id: &str, place: Place, until: Instant) {
        let (id, mut open) = (Arc::<str>::from(id), self.lock());
        open.by_time.insert((until, Arc::clone(&id)));
        open.by_id.insert(id, Known { looked_at: until, until, _place: place });
    }

    /// Takes note that a session lives on, if it was begun here.
    pub(crate) fn lives(&self, id: &str, until: Instant) {
        if let Some(known) = self.lock().by_id.get_mut(id) {
            known.until = until;
        }
    }

    pub(crate) fn ended(&self, id: &str) {
        let mut open = self.lock();
        if let Some((id, known)) = open.by_id.remove_entry(id) {
            open.by_time.remove(&(known.looked_at, id));
        }
    }

    /// Returns those that may have expired, and does so again after `idle` unless one is said to live or to have ended.
    pub(crate) fn due(&self, now: Instant, idle: Duration) -> Vec<Arc<str>> {
        let mut due = Vec::new();
        let mut guard = self.lock();
        let open = &mut *guard;
        while let Some((at, id)) = open.by_time.pop_first() {
            if at > now {
                open.by_time.insert((at, id));
                break;
            }
            let Some(known) = open.by_id.get_mut(&id) else { continue };
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

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// So that each is looked at once in a turn, however short sessions are.
const MOMENT: Duration = Duration::from_millis(1);

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn asks_about_what_nobody_has_used_and_about_nothing_else() {
        let (begun, who, now) = (Begun::new(3), "ada".into(), Instant::now());
        for id in ["used", "left", "ended"] {
            begun.enter(id, begun.place(&who).expect("a place"), now + IDLE);
        }
        assert!(begun.place(&who).is_none() && begun.place(&"bob".into()).is_some());
        assert!(begun.due(now + IDLE / 2, IDLE).is_empty());
        begun.lives("used", now + 2 * IDLE);
        begun.ended("ended");
        assert_eq!(begun.due(now + IDLE, IDLE), ["left".into()]);
        assert!(begun.due(now + IDLE, IDLE).is_empty(), "it is being asked about");
        assert_eq!(begun.due(now + 2 * IDLE, IDLE).len(), 2);
        begun.ended("used");
        begun.ended("left");
        assert!(begun.is_empty() && begun.lock().by_time.is_empty());
        let again: Vec<_> = (0..3).map(|_| begun.place(&who)).collect();
        assert!(again.iter().all(Option::is_some), "all places are free again");
    }
}
