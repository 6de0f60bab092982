//! The process of a client, which may be another one after a while.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::child::Process;

/// Shared by a client and by what starts its server again; the process ends when both are gone.
#[derive(Clone, Debug)]
pub(crate) struct Slot(Arc<Mutex<Option<Process>>>);

impl Slot {
    pub(crate) fn new(process: Process) -> Self {
        Self(Arc::new(Mutex::new(Some(process))))
    }

    /// Hands the process over to whoever ends it.
    pub(crate) fn take(&self) -> Option<Process> {
        self.process().take()
    }

    pub(crate) fn put(&self, process: Process) {
        *self.process() = Some(process);
    }

    /// Adds to `why` how the process ended, if it has or does in a moment, and what it said last.
    pub(crate) async fn explain(&self, why: &str) -> String {
        let witness = self.process().as_ref().map(Process::witness);
        match witness {
            Some(witness) => witness.explain(why).await,
            None => why.to_owned(),
        }
    }

    fn process(&self) -> MutexGuard<'_, Option<Process>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
