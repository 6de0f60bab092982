//! The bytes of all logs of a store, and which log has the most.
//!
//! In: the number of bytes of each log, whenever it changes. Out: the log that has to drop events, while all of
//! them together are over the limit.
//!
//! Lock order: a log before the sizes. So no log gets locked while the sizes are locked.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, Weak};

use super::lock;
use super::log::Log;

/// The sizes of the logs of a store.
#[derive(Default)]
pub(super) struct Logs {
    sizes: Mutex<Sizes>,
}

#[derive(Default)]
struct Sizes {
    /// The sum of the bytes of all logs.
    bytes: usize,
    /// The logs that have bytes, by number.
    by_number: HashMap<u64, Weak<Log>>,
    /// Invariant: the bytes and the numbers of the logs in `by_number`.
    by_size: BTreeSet<(usize, u64)>,
    /// The number that the newest log got.
    last: u64,
}

impl Logs {
    /// Returns a number for a new log.
    pub(super) fn number(&self) -> u64 {
        let sizes = &mut lock(&self.sizes);
        sizes.last += 1;
        sizes.last
    }

    /// Notes that the log `number` now has `now` bytes, after it had `before` bytes.
    pub(super) fn changed(&self, number: u64, log: &Weak<Log>, before: usize, now: usize) {
        if before == now {
            return;
        }
        let sizes = &mut lock(&self.sizes);
        sizes.bytes = sizes.bytes - before + now;
        sizes.by_size.remove(&(before, number));
        if now == 0 {
            sizes.by_number.remove(&number);
        } else {
            sizes.by_size.insert((now, number));
            if before == 0 {
                sizes.by_number.insert(number, Weak::clone(log));
            }
        }
    }

    /// Drops the oldest events of the largest logs, until all logs together have at most `most` bytes. The log
    /// `writer` keeps its newest event.
    pub(super) fn make_room(&self, most: usize, writer: u64) {
        let mut kept_by_writer = false;
        loop {
            let (largest, number) = {
                let sizes = &lock(&self.sizes);
                if sizes.bytes <= most {
                    return;
                }
                let mut largest_first = sizes.by_size.iter().rev();
                let largest = largest_first.find(|(_, number)| *number != writer || !kept_by_writer);
                let Some(&(_, number)) = largest else { return };
                (sizes.by_number.get(&number).and_then(Weak::upgrade), number)
            };
            // A log that is being dropped takes its bytes off the sum at that moment.
            let dropped = largest.is_some_and(|log| log.drop_the_oldest(number != writer));
            if !dropped {
                if number != writer {
                    return;
                }
                kept_by_writer = true;
            }
        }
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let sizes = lock(&self.sizes);
        assert_eq!(sizes.by_size.len(), sizes.by_number.len());
        assert_eq!(sizes.by_size.iter().map(|(bytes, _)| bytes).sum::<usize>(), sizes.bytes);
        sizes.bytes
    }
}
