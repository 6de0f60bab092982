//! The readers of a session's streams at this replica, and the streams that end although the store does not
//! say so.
//!
//! In: readers that come and go. Out: a signal to waiting readers that nothing more will come, because the
//! store could not record the end of their stream, or the session has ended at this replica.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

#[derive(Default)]
pub(super) struct Readers {
    /// The number of readers.
    count: AtomicUsize,
    state: Mutex<ReadersState>,
}

#[derive(Default)]
struct ReadersState {
    /// The numbers of the streams that have ended for their readers although the store does not say so. They
    /// are never more than the streams that the session has in the store.
    cut: HashSet<u64>,
    /// Whether all streams have ended for their readers, because the session has ended at this replica.
    is_over: bool,
    /// The number that the newest reader of the session got; 0 before the first.
    last: u64,
    /// The readers, by the number of the stream and their own number; each with its waker, if it waits.
    reading: BTreeMap<(u64, u64), Option<Waker>>,
}

impl ReadersState {
    fn is_cut(&self, stream: u64) -> bool {
        self.is_over || self.cut.contains(&stream)
    }
}

impl Readers {
    /// Adds a reader of a stream, and returns its number.
    pub(super) fn enter(&self, stream: u64) -> u64 {
        let mut state = self.lock();
        state.last += 1;
        let number = state.last;
        state.reading.insert((stream, number), None);
        self.count.store(state.reading.len(), Ordering::Release);
        number
    }

    pub(super) fn leave(&self, stream: u64, number: u64) {
        let mut state = self.lock();
        let waker = state.reading.remove(&(stream, number));
        self.count.store(state.reading.len(), Ordering::Release);
        drop(state);
        drop(waker);
    }

    /// Ends a stream for its readers at this replica, also for those that come later.
    pub(super) fn cut(&self, stream: u64) {
        self.lock().cut.insert(stream);
        self.wake();
    }

    /// Ends all streams for their readers at this replica, also for those that come later.
    pub(super) fn cut_all(&self) {
        self.lock().is_over = true;
        self.wake();
    }

    /// Returns whether [`Self::cut`] or [`Self::cut_all`] has ended the stream. If not, the task of the
    /// reader `number` is woken when that happens.
    pub(super) fn poll_cut(&self, stream: u64, number: u64, cx: &mut Context<'_>) -> bool {
        let mut state = self.lock();
        if state.is_cut(stream) {
            return true;
        }
        if let Some(waker) = state.reading.get_mut(&(stream, number)) {
            waker.get_or_insert_with(|| cx.waker().clone()).clone_from(cx.waker());
        }
        false
    }

    pub(super) fn is_read(&self, stream: u64) -> bool {
        self.lock().reading.range((stream, 0)..=(stream, u64::MAX)).next().is_some()
    }

    /// Returns whether no stream is read. Does not wait for a lock.
    pub(super) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    fn wake(&self) {
        let woken: Vec<Waker> = self.lock().reading.values_mut().filter_map(Option::take).collect();
        woken.into_iter().for_each(Waker::wake);
    }

    fn lock(&self) -> MutexGuard<'_, ReadersState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
