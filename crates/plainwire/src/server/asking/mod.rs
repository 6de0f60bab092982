//! Questions to the user, the model or the client in the middle of a call, written once for both eras.
//!
//! In: a key, which names the question within its call, and the question. Out: the answer. In the legacy era
//! a question is a request to the client, and the handler waits for the answer. In the modern era the request
//! is answered with the questions, and the client sends it again with their answers. The handler then runs
//! again from its beginning; each run is a round. Work that must not run again belongs in a
//! [`step`](crate::Context::step). `docs/asking.md` explains this for users.
//!
//! Nothing here talks to a connection: the connection sends the questions, which it gets as signals (legacy)
//! or as the outcome of a round (modern).

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
    /// The id of the [`Table`] of the call whose step ([`crate::Context::step`]) runs in this task; not set
    /// outside of steps.
    pub(crate) static IN_STEP: usize;
}

/// The state of one call that is needed to ask questions and run steps.
#[derive(Debug)]
pub(crate) struct Asking {
    /// The request that the call's request state is bound to; `None` in the legacy era, which has no request
    /// state.
    origin: Option<Origin>,
    revision: Revision,
    /// The lock that a task of the call holds while it asks for the roots, so that other tasks of the call
    /// wait and use the same answer.
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

    /// Sets the waker of the task that runs the call. New questions and finished steps wake it.
    pub(crate) fn watch(&self, waker: &Waker) {
        self.table.watch(waker);
    }

    /// Wakes the task that runs the call.
    pub(crate) fn wake(&self) {
        self.table.wake();
    }

    /// Returns whether a step of the call is running. The call should not end before its steps.
    pub(crate) fn has_steps(&self) -> bool {
        self.table.has_steps()
    }

    /// Returns how long the call has waited for answers. This time does not count toward its deadline.
    pub(crate) fn waited(&self) -> Duration {
        self.table.waited()
    }

    /// Marks the call as one that gets no more answers, because it was cancelled, although its handler
    /// continues.
    pub(crate) fn expect_no_answers(&self) {
        self.table.expect_no_answers();
    }

    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// Marks the handler's future as dropped, so that tasks of the handler that wait for an answer end.
    pub(crate) fn release(&self) {
        self.table.release();
    }

    /// Ends the round if there are open questions and no step runs. Returns the outcome of the round: the
    /// questions and the sealed state, or an error. `None` if the round continues, and always in the legacy
    /// era. `unix` returns the time since 1970.
    pub(crate) fn take_round(&self, sealer: &Sealer, unix: fn() -> Duration) -> Option<Outcome> {
        let origin = self.origin.as_ref()?;
        let sealed = self.table.take_round()?.and_then(|(requests, state)| {
            let state = sealer.seal(origin, &state, unix())?;
            Ok(Outcome::InputRequired { requests, state })
        });
        Some(sealed.unwrap_or_else(Outcome::Error))
    }
}
