//! The cached roots of a session, kept until the client says that they have changed.
//!
//! In: roots from the client, and notifications that they changed. Out: the cached roots, if they are
//! current. Asking the client is not done here.

use std::sync::{Arc, Mutex, PoisonError};

use super::Roots;

/// The cached roots of a session. Clones share one cache.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownRoots(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    /// The number of times that the client has reported a change of its roots.
    generation: u64,
    /// The roots from the client's last answer; `None` if the client has to be asked.
    roots: Option<Arc<Roots>>,
}

impl KnownRoots {
    pub(crate) fn get(&self) -> Option<Arc<Roots>> {
        self.with(|it| it.roots.clone())
    }

    /// Returns the current generation. Read it before asking the client, and pass it to [`Self::set`].
    pub(crate) fn generation(&self) -> u64 {
        self.with(|it| it.generation)
    }

    /// Stores roots, unless they changed after the client was asked: `asked_at` is the generation of that
    /// time.
    pub(crate) fn set(&self, asked_at: u64, roots: &Arc<Roots>) {
        self.with(|it| {
            if it.generation == asked_at {
                it.roots = Some(Arc::clone(roots));
            }
        });
    }

    /// Drops the cached roots, because the client says that they have changed.
    pub(crate) fn changed(&self) {
        self.with(|it| *it = Known { generation: it.generation + 1, roots: None });
    }

    fn with<T>(&self, work: impl FnOnce(&mut Known) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_that_changed_on_their_way_are_not_remembered() {
        let known = KnownRoots::default();
        let asked_at = known.generation();
        known.changed();
        known.set(asked_at, &Arc::default());
        assert!(known.get().is_none());
        known.set(known.generation(), &Arc::default());
        assert!(known.get().is_some());
        known.changed();
        assert!(known.get().is_none());
    }
}
