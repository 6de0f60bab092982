//! The pace of a handler: whether the first step of a call, up to its first wait, is so slow that it would
//! delay other calls.
//!
//! In: the duration of each first step. Out: whether the next call starts on a task of its own. Nothing is
//! scheduled here.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// A measurement of the first steps of an entry's calls, up to their first wait, which tells whether those
/// steps are slow.
///
/// One slow step makes the entry slow, and 64 quick steps make it quick again. So a function that blocks
/// stays slow, and one that the system interrupted once does not.
#[derive(Debug)]
pub(crate) struct Pace {
    /// The number of quick first steps of calls after which the entry is quick again; 0 if it is quick now.
    debt: AtomicU8,
    /// The threshold: a first step that takes longer is slow.
    slow: Duration,
}

/// The number of quick first steps of calls that make an entry quick again after a slow one.
const DEBT: u8 = 64;

impl Pace {
    pub(super) fn new(slow: Duration) -> Arc<Self> {
        Arc::new(Self { debt: AtomicU8::new(0), slow })
    }

    pub(crate) fn is_slow(&self) -> bool {
        self.debt.load(Ordering::Relaxed) > 0
    }

    /// Returns whether the latest first step was slow. For a function that blocks, it always is.
    pub(crate) fn was_slow(&self) -> bool {
        self.debt.load(Ordering::Relaxed) == DEBT
    }

    /// Records the duration of a first step. Two steps recorded at the same moment may count as one: nothing
    /// depends on the exact number.
    pub(crate) fn note(&self, took: Duration) {
        if took > self.slow {
            self.debt.store(DEBT, Ordering::Relaxed);
        } else {
            let debt = self.debt.load(Ordering::Relaxed);
            if debt > 0 {
                self.debt.store(debt - 1, Ordering::Relaxed);
            }
        }
    }
}
