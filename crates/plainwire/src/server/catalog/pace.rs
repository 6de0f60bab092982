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
/// stays slow, and a function that the system interrupted once becomes quick again.
#[derive(Debug)]
pub(crate) struct Pace {
    /// The number of quick first steps of calls after which the entry is quick again; 0 if it is quick now,
    /// [`BLOCKS`] if the entry probably blocks.
    debt: AtomicU8,
    /// The threshold: a first step that takes longer is slow.
    slow: Duration,
}

/// The number of quick first steps of calls that make an entry quick again after a slow one.
const DEBT: u8 = 64;

/// The mark of an entry whose latest two calls had slow first steps, or whose latest call had a very slow one.
const BLOCKS: u8 = DEBT + 1;

/// The multiple of the threshold above which one slow step is very slow. 40: with the default threshold this is
/// 10 ms, longer than the system usually interrupts a thread.
const VERY: u32 = 40;

impl Pace {
    pub(crate) fn new(slow: Duration) -> Arc<Self> {
        Arc::new(Self { debt: AtomicU8::new(0), slow })
    }

    pub(crate) fn is_slow(&self) -> bool {
        self.debt.load(Ordering::Relaxed) > 0
    }

    /// Returns whether the next first step will probably block its thread: the latest two were slow, or the
    /// latest one was very slow. A single slow one may have been interrupted by the system.
    pub(crate) fn blocks(&self) -> bool {
        self.debt.load(Ordering::Relaxed) == BLOCKS
    }

    /// Records the duration of a first step. Two steps recorded at the same moment may count as one: nothing
    /// depends on the exact number.
    pub(crate) fn note(&self, took: Duration) {
        let debt = self.debt.load(Ordering::Relaxed);
        if took > self.slow {
            let blocks = debt >= DEBT || took > self.slow.saturating_mul(VERY);
            self.debt.store(if blocks { BLOCKS } else { DEBT }, Ordering::Relaxed);
        } else if debt > 0 {
            self.debt.store(debt.min(DEBT) - 1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: Duration = Duration::from_micros(250);
    const INTERRUPTED: Duration = Duration::from_millis(3);
    const BLOCKED: Duration = Duration::from_millis(11);

    #[test]
    fn an_entry_is_slow_until_so_many_steps_were_quick() {
        let pace = Pace::new(SLOW);
        for slow in [INTERRUPTED, BLOCKED] {
            assert!(!pace.is_slow());
            pace.note(slow);
            for _ in 0..DEBT {
                assert!(pace.is_slow());
                pace.note(SLOW);
            }
        }
        assert!(!pace.is_slow());
    }

    #[test]
    fn an_entry_blocks_after_two_slow_steps_in_a_row_or_a_very_slow_one() {
        let pace = Pace::new(SLOW);
        for (took, blocks) in [
            (INTERRUPTED, false),
            (SLOW, false),
            (INTERRUPTED, false),
            (INTERRUPTED, true),
            (INTERRUPTED, true),
            (SLOW, false),
            (INTERRUPTED, false),
            (SLOW, false),
            (BLOCKED, true),
            (SLOW, false),
        ] {
            pace.note(took);
            assert_eq!(pace.blocks(), blocks, "{took:?}");
        }
    }
}
