//! Asking the user, the model or the client in the middle of a call: written once, for both eras.
//!
//! In: a key and a question. Out: the answer. In the old revisions a question is a request to the client, and the
//! handler waits for it. In the new one the call ends with its questions and is made again with the answers, so that
//! everything before a question runs again; what must not is a [`step`](Context::step). `docs/asking.md` explains it.
//!
//! Nothing here talks to a connection: questions leave as signals, or with the end of a round, which the driver sees.

use std::fmt::Display;
use std::task::Waker;
use std::time::Duration;

use plainwire_proto::codec;
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::{ClientCapability, InputMethod, InputRequest, InputResponse, RawJson};
use plainwire_proto::revision::{Feature, Revision};

use super::context::{Context, Question};
use super::handler::{Outcome, ToolError};

mod answer;
mod form;
mod methods;
mod state;
mod table;

pub use answer::{Answer, Confirm};
pub(crate) use state::{Carried, Origin, Sealer};
use table::Table;

tokio::task_local! {
    /// The table of the call whose step runs here.
    static IN_STEP: usize;
}

/// What a call needs to ask.
#[derive(Debug)]
pub(crate) struct Asking {
    /// Where the call came from, if it is asked for more by its result.
    origin: Option<Origin>,
    revision: Revision,
    /// Held by whoever asks for the roots.
    roots_turn: tokio::sync::Mutex<()>,
    table: Table,
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

    /// Remembers whom to wake when a question was asked or a step has ended.
    pub(crate) fn watch(&self, waker: &Waker) {
        self.table.watch(waker);
    }

    /// Wakes whoever runs the call.
    pub(crate) fn wake(&self) {
        self.table.wake();
    }

    /// Whether a step runs, which should end before the call does.
    pub(crate) fn has_steps(&self) -> bool {
        self.table.has_steps()
    }

    /// How long the call has waited for answers; its own time does not pass meanwhile.
    pub(crate) fn waited(&self) -> Duration {
        self.table.waited()
    }

    /// Takes note that nobody will answer any more, although the handler goes on.
    pub(crate) fn forgo(&self) {
        self.table.forgo();
    }

    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// Takes note that the handler's future is gone.
    pub(crate) fn release(&self) {
        self.table.release();
    }

    /// Ends the round, if it can go no further without answers.
    pub(crate) fn take_round(&self, sealer: &Sealer, unix: fn() -> Duration) -> Option<Outcome> {
        let origin = self.origin.as_ref()?;
        let sealed = self.table.take_round()?.and_then(|(requests, state)| {
            let state = sealer.seal(origin, &state, unix())?;
            Ok(Outcome::InputRequired { requests, state })
        });
        Some(sealed.unwrap_or_else(Outcome::Error))
    }
}

impl Context {
    /// Refuses to go on without `capability`.
    pub(crate) fn require(&self, capability: ClientCapability) -> Result<(), ToolError> {
        let (revision, name) = (self.asking().revision, capability.as_str());
        if capability.is_in(&self.client().capabilities, revision) {
            return Ok(());
        }
        let text = if capability.exists_in(revision) {
            format!("expected a client that declares `{name}`, but found one that does not")
        } else {
            format!("expected a client of a revision with `{name}`, but found one of {revision}")
        };
        Err(ToolError::unsupported(capability, text))
    }

    /// Asks, whichever way the client is asked.
    pub(crate) async fn ask(&self, key: &str, request: &InputRequest) -> Result<InputResponse, ToolError> {
        let asking = self.asking();
        if self.is_cancelled() {
            // An error would let the handler go on, and drop a step that still has time to end.
            return Err(asking.table.released(key).await);
        }
        if IN_STEP.try_with(|&step| step == asking.table.id()).unwrap_or(false) {
            // A round waits for its steps, so that this one would wait for itself.
            let text = format!("expected to ask `{key}` outside of steps, but found it inside of one");
            return Err(ToolError::new("question_in_step", text));
        }
        let capability = request.requires();
        self.require(capability)?;
        let mut params = Vec::new();
        codec::input_params(&mut params, request, asking.revision)
            .map_err(|text| ToolError::unsupported(capability, text))?;
        let params = String::from_utf8(params).unwrap_or_default();
        asking.table.reserve(key)?;
        let method = request.method();
        let json = if asking.revision.has(Feature::InputRequired) {
            match asking.table.answer(key, method, &params) {
                Some(json) => json,
                None => {
                    let _open = OpenQuestion { key, table: &asking.table };
                    return Err(asking.table.released(key).await);
                }
            }
        } else {
            self.ask_by_request(key, method, params).await?
        };
        codec::read_input_response(method, json.get()).map_err(|error| invalid_answer(key, &error))
    }

    async fn ask_by_request(
        &self,
        key: &str,
        method: InputMethod,
        params: String,
    ) -> Result<RawJson, ToolError> {
        let _waiting = Waiting::begin(&self.asking().table);
        let question = Question { call: self.key(), method, params };
        let answer = self.signals().ask(question).await;
        if self.is_cancelled() {
            return Err(self.asking().table.released(key).await);
        }
        answer.map_err(|error: Error| {
            let found = match error.kind() {
                ErrorKind::Overloaded => "none within `ask_timeout`".to_owned(),
                _ if error.message().is_empty() => "an error without a word".to_owned(),
                _ => error.to_string(),
            };
            ToolError::new("no_answer", format!("expected an answer to `{key}`, but found: {found}"))
        })
    }
}

fn invalid_answer(key: &str, found: &dyn Display) -> ToolError {
    ToolError::new("invalid_answer", format!("the answer to `{key}`: {found}"))
}

/// A question that ends the round unless its asker goes away before.
struct OpenQuestion<'t> {
    key: &'t str,
    table: &'t Table,
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        self.table.withdraw(self.key);
    }
}

/// The time in which a call waits for an answer.
struct Waiting<'t>(&'t Table);

impl<'t> Waiting<'t> {
    fn begin(table: &'t Table) -> Self {
        table.wait_begins();
        Self(table)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.wait_ends();
    }
}
