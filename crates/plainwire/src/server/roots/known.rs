//! Roots that are remembered until the client says that they have changed.

use std::sync::{Arc, Mutex, PoisonError};

use super::Roots;

/// What is known of a session's roots. All clones are the same session.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownRoots(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    /// How often they have changed.
    generation: u64,
    roots: Option<Arc<Roots>>,
}

impl KnownRoots {
    pub(crate) fn get(&self) -> Option<Arc<Roots>> {
        self.with(|it| it.roots.clone())
    }

    /// Returns what [`Self::set`] wants to know from before the client was asked.
    pub(crate) fn generation(&self) -> u64 {
        self.with(|it| it.generation)
    }

    /// Remembers roots, unless they have changed while they were on their way.
    pub(crate) fn set(&self, asked_at: u64, roots: &Arc<Roots>) {
        self.with(|it| {
            if it.generation == asked_at {
                it.roots = Some(Arc::clone(roots));
            }
        });
    }

    /// Forgets them.
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
