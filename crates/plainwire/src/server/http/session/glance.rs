//! The facts about a session that others may see without locking it.
//!
//! In: the state of the session, each time its lock is released. Out: the few facts that the table of all
//! sessions needs. The table is locked while it looks, so it must not wait for a session.

use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::Core;

/// Facts about a session, as of the last time its lock was released.
#[derive(Debug, Default)]
pub(super) struct Glance {
    generation: AtomicU64,
    /// Whether a call runs or a message waits to be written.
    is_busy: AtomicBool,
    is_initialized: AtomicBool,
    /// Whether the pump runs or has something to do.
    needs_pump: AtomicBool,
}

impl Glance {
    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    pub(super) fn is_busy(&self) -> bool {
        self.is_busy.load(Ordering::Acquire)
    }

    pub(super) fn is_idle(&self) -> bool {
        !self.needs_pump.load(Ordering::Acquire)
    }

    pub(super) fn is_initialized(&self) -> bool {
        self.is_initialized.load(Ordering::Acquire)
    }

    fn note(&self, core: Option<&Core>) {
        let peer = core.map(|core| &core.calls.peer);
        let has_due = core.is_some_and(|core| !core.due.is_empty());
        let runs = core.is_some_and(|core| core.calls.running() > 0);
        self.generation.store(peer.map_or(0, |peer| peer.session_generation()), Ordering::Release);
        self.is_busy.store(has_due || runs, Ordering::Release);
        self.is_initialized.store(peer.is_some_and(|peer| peer.is_initialized()), Ordering::Release);
        self.needs_pump.store(has_due || core.is_some_and(|core| core.is_pumped), Ordering::Release);
    }
}

/// The state of a session, locked. Its [`Glance`] is brought up to date when this is dropped.
pub(super) struct Locked<'s> {
    pub(super) core: MutexGuard<'s, Option<Core>>,
    pub(super) glance: &'s Glance,
}

impl Deref for Locked<'_> {
    type Target = Option<Core>;

    fn deref(&self) -> &Self::Target {
        &self.core
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.core
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        self.glance.note(self.core.as_ref());
    }
}
