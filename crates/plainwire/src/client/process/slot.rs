//! The current server process of a client. A restart replaces it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::child::Process;

/// The reason for the end of a connection whose server takes no more input.
pub(crate) const INPUT_CLOSED: &str = "the server closed its input";

/// The reason for the end of a connection whose server writes no more output.
pub(crate) const OUTPUT_CLOSED: &str = "the server closed its output";

/// A slot for the current process. The client and the code that restarts its server share the slot; the
/// process ends when both have dropped it.
#[derive(Clone, Debug)]
pub(crate) struct Slot(Arc<Mutex<Option<Process>>>);

impl Slot {
    pub(crate) fn new(process: Process) -> Self {
        Self(Arc::new(Mutex::new(Some(process))))
    }

    /// Takes the process out of the slot, so that the caller can end it.
    pub(crate) fn take(&self) -> Option<Process> {
        self.process().take()
    }

    pub(crate) fn put(&self, process: Process) {
        *self.process() = Some(process);
    }

    /// Adds to `why` the exit status, if the process has ended or ends in a moment, and its last lines on
    /// stderr. If `why` says that the server closed its input or output, the exit status replaces these words.
    pub(crate) async fn explain(&self, why: &str) -> String {
        let exit_view = self.process().as_ref().map(Process::exit_view);
        match exit_view {
            Some(exit_view) => exit_view.explain(why).await,
            None => why.to_owned(),
        }
    }

    /// Returns the last lines of the process on stderr, escaped; `None` if there are none or they are not kept.
    pub(crate) fn stderr(&self) -> Option<String> {
        self.process().as_ref()?.stderr()
    }

    fn process(&self) -> MutexGuard<'_, Option<Process>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
