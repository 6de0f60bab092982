//! Questions to the user, the model or the client in the middle of a call, written once for both eras.
//!
//! In: a key and a question. Out: the answer. In the legacy era a question is a request to the client, and
//! the handler waits for it. In the modern era the call ends with its questions, and the client sends it
//! again with the answers, so that everything before a question runs again. Work that must not run again
//! belongs in a [`step`](crate::Context::step). `docs/asking.md` explains this for users.
//!
//! Nothing here talks to a connection: questions leave as signals, or with the end of a round, which the
//! connection sends.

use std::task::Waker;
use std::time::Duration;

use plainwire_proto::revision::Revision;

use super::result::Outcome;

mod answer;
pub(crate) mod form;
mod state;
mod table;

pub use answer::{Answer, Confirm};
pub(crate) use state::{Carried, Origin, Sealer};
pub(crate) use table::Table;

tokio::task_local! {
    /// The id of the table of the call whose step runs in this task.
    pub(crate) static IN_STEP: usize;
}

/// The state of one call that is needed to ask questions and run steps.
#[derive(Debug)]
pub(crate) struct Asking {
    /// The request that request state is bound to; `None` in the legacy era.
    origin: Option<Origin>,
    revision: Revision,
    /// Held while the call asks for the roots.
    pub(crate) roots_turn: tokio::sync::Mutex<()>,
    pub(crate) table: Table,
}

impl Asking {
    pub(crate) fn new(
        revision: Revision,
        max_keys: usize,
        origin: Option<Origin>,
        carried: Option<Carried>,
    ) -> Self {
        let (roots_turn, table) = (tokio::sync::Mutex::default(), Table::new(max_keys, carried));
        Self { origin, revision, roots_turn, table }
    }

    /// Sets the waker for new questions and finished steps.
    pub(crate) fn watch(&self, waker: &Waker) {
        self.table.watch(waker);
    }

    /// Wakes the task that runs the call.
    pub(crate) fn wake(&self) {
        self.table.wake();
    }

    /// Returns whether a step runs, which should end before the call does.
    pub(crate) fn has_steps(&self) -> bool {
        self.table.has_steps()
    }

    /// Returns how long the call has waited for answers. This time does not count toward its deadline.
    pub(crate) fn waited(&self) -> Duration {
        self.table.waited()
    }

    /// Marks the call as one that gets no more answers, although the handler continues.
    pub(crate) fn expect_no_answers(&self) {
        self.table.expect_no_answers();
    }

    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// Marks the handler's future as dropped.
    pub(crate) fn release(&self) {
        self.table.release();
    }

    /// Ends the round if the handler can't continue without answers.
    pub(crate) fn take_round(&self, sealer: &Sealer, unix: fn() -> Duration) -> Option<Outcome> {
        let origin = self.origin.as_ref()?;
        let sealed = self.table.take_round()?.and_then(|(requests, state)| {
            let state = sealer.seal(origin, &state, unix())?;
            Ok(Outcome::InputRequired { requests, state })
        });
        Some(sealed.unwrap_or_else(Outcome::Error))
    }
}
