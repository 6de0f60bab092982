//! Asking the user, the model or the client in the middle of a call: written once, for both eras.
//!
//! In: a key and a question. Out: the answer. In the old revisions a question is a request to the client, and the
//! handler waits for it. In the new one the call ends with its questions and is made again with the answers, so that
//! everything before a question runs again; what must not is a [`step`](Context::step). `docs/asking.md` explains it.
//!
//! Nothing here talks to a connection: questions leave as signals, or with the end of a round, which the driver sees.

mod answer;
mod state;
mod table;

use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use plainwire_proto::codec;
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::{
    ClientCapability, CreateMessage, CreateMessageResult, ElicitResult, Elicitation, InputMethod,
    InputRequest, InputResponse, RawJson, Root,
};
use plainwire_proto::revision::{Feature, Revision};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};

pub use answer::{Answer, Confirm};
pub(crate) use state::{Carried, Origin, Sealer};

use crate::context::{Context, Question};
use crate::form;
use crate::handler::Outcome;
use crate::result::ToolError;
use crate::roots::Roots;
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

    /// Takes note that the call is over.
    pub(crate) fn close(&self) {
        self.table.close();
    }

    /// Takes note that the handler's future is gone.
    pub(crate) fn release(&self) {
        self.table.release();
    }

    /// Ends the round, if it can go no further without answers.
    pub(crate) fn take_round(&self, sealer: &Sealer, unix: Duration) -> Option<Outcome> {
        let origin = self.origin.as_ref()?;
        let sealed = self.table.take_round()?.and_then(|(requests, state)| {
            let state = sealer.seal(origin, &state, unix)?;
            Ok(Outcome::InputRequired { requests, state })
        });
        Some(sealed.unwrap_or_else(Outcome::Error))
    }
}

impl Context {
    /// Asks the user to fill in a form, whose fields are those of `T`.
    ///
    /// `key` names the question within the call; `message` says why it is asked. Fields are strings, numbers,
    /// booleans and enums without data, or lists of such enums, each perhaps optional or with a default; doc comments
    /// become descriptions. A type that is no struct is a form with one field. Never ask for secrets this way:
    /// [`Self::elicit_url`] is for those.
    ///
    /// Everything before the question may run again: see [`Self::step`].
    ///
    /// Cancel safe: a question whose future is dropped is withdrawn.
    ///
    /// # Errors
    /// - `unsupported` if the client can't ask its user. Passed on, it becomes the error that the protocol has for it.
    /// - `invalid_answer` for an answer that is none of the form.
    /// - `no_answer` if the client refuses, leaves, or lets the time of `Server::ask_timeout` pass.
    /// - `repeated_key`, `too_many_questions`, `invalid_form` for mistakes in the handler.
    pub async fn elicit<T: DeserializeOwned + JsonSchema>(
        &self,
        key: impl Into<String>,
        message: impl Into<String>,
    ) -> Result<Answer<T>, ToolError> {
        let form = form::of::<T>().map_err(|text| ToolError::new("invalid_form", text))?;
        let mut schema = Vec::new();
        form.write(&mut schema, Revision::NEWEST).map_err(|error| invalid_form(&error))?;
        let schema = String::from_utf8(schema).unwrap_or_default();
        let key = key.into();
        let result = self.fill_in(&key, Elicitation::Form { message: message.into(), schema }).await?;
        Answer::of(result, |result| {
            form::read(&form, &result.content.unwrap_or_default()).map_err(|text| invalid_answer(&key, &text))
        })
    }

    /// As [`Self::elicit`], with a form that is written by hand and an answer as it came, checked against the form.
    ///
    /// # Errors
    /// As [`Self::elicit`].
    pub async fn elicit_form(
        &self,
        key: impl Into<String>,
        message: impl Into<String>,
        schema: &Value,
    ) -> Result<Answer<Map<String, Value>>, ToolError> {
        let schema = schema.to_string();
        let form = plainwire_proto::form::Form::parse(&schema).map_err(|error| invalid_form(&error))?;
        let key = key.into();
        let result = self.fill_in(&key, Elicitation::Form { message: message.into(), schema }).await?;
        Answer::of(result, |result| {
            let content = result.content.unwrap_or_default();
            form.check(&content).map_err(|error| invalid_answer(&key, &error))?;
            Ok(content)
        })
    }

    /// Asks the user to open `url`, for what must not pass through the client: secrets, payments, consent elsewhere.
    ///
    /// [`Answer::Accepted`] says that they agreed, not that they are done; the server has to find that out itself, and
    /// has to make sure that whoever opens the page is whoever was asked.
    ///
    /// # Errors
    /// As [`Self::elicit`].
    pub async fn elicit_url(
        &self,
        key: impl Into<String>,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<Answer<()>, ToolError> {
        let key = key.into();
        // Another one in each round, but it stands only where there are no rounds.
        let id = state::random::<16>().iter().map(|byte| format!("{byte:02x}")).collect();
        let asked = Elicitation::Url { id, message: message.into(), url: url.into() };
        let result = self.fill_in(&key, asked).await?;
        Answer::of(result, |_| Ok(()))
    }

    /// Asks the model behind the client.
    ///
    /// Deprecated in 2026-07-28 in favour of calling a model directly; works wherever the client declares it.
    ///
    /// # Errors
    /// As [`Self::elicit`]. Tools need a client that declares `sampling.tools`.
    pub async fn sample(
        &self,
        key: impl Into<String>,
        request: CreateMessage,
    ) -> Result<CreateMessageResult, ToolError> {
        let key = key.into();
        match self.ask(&key, &InputRequest::Sample(Box::new(request))).await? {
            InputResponse::Sample(result) => Ok(*result),
            other => Err(invalid_answer(&key, &format!("{other:?}"))),
        }
    }

    /// Returns where the client lets this server work, as a boundary: see [`Roots::resolve`].
    ///
    /// The question has the key `roots`, and `roots-2` and so on if a call asks again. An old client is asked once until it
    /// says that they have changed.
    /// Deprecated in 2026-07-28 in favour of arguments and configuration.
    ///
    /// # Errors
    /// As [`Self::elicit`].
    pub async fn roots(&self) -> Result<Arc<Roots>, ToolError> {
        let (asking, known) = (self.asking(), self.known_roots());
        // One at a time: whoever wants them meanwhile wants the same.
        let _turn = asking.roots_turn.lock().await;
        if let Some(roots) = known.get() {
            return Ok(roots);
        }
        let before = known.generation();
        let roots = Arc::new(Roots::new(self.list_roots(asking.table.free_key("roots")).await?));
        known.set(before, &roots);
        Ok(roots)
    }

    /// Asks for the roots under a key of your own, and remembers nothing.
    ///
    /// # Errors
    /// As [`Self::elicit`].
    pub async fn list_roots(&self, key: impl Into<String>) -> Result<Vec<Root>, ToolError> {
        let key = key.into();
        match self.ask(&key, &InputRequest::ListRoots).await? {
            InputResponse::ListRoots(roots) => Ok(roots),
            other => Err(invalid_answer(&key, &format!("{other:?}"))),
        }
    }

    /// Does work that must not be done again when the call is made again with answers.
    ///
    /// `work` returns an owned value, asks nothing, and is waited for at the end of a round; other work that runs beside a
    /// question, as in a `join!`, is dropped there. What `work` returns is kept with the questions that follow, so that a later round gets it without doing the work.
    /// It is sent to the client, sealed, and has to fit into 64 KiB with everything else that is kept. Not exactly
    /// once: a client that repeats the same round repeats the step. A step that runs when its call is cancelled has 5 s
    /// to end.
    ///
    /// # Errors
    /// `repeated_key` and `too_many_questions` as for questions; `failed` if the value has no JSON. A question inside of
    /// `work` gets `question_in_step`.
    pub async fn step<T, F, Fut>(&self, key: impl Into<String>, work: F) -> Result<T, ToolError>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce() -> Fut,
        Fut: Future<Output = T>,
    {
        self.try_step(key, || async { Ok::<T, ToolError>(work().await) }).await
    }

    /// As [`Self::step`], for work that may fail. A failure is not kept: a later round tries again.
    ///
    /// # Errors
    /// As [`Self::step`], and what `work` says.
    pub async fn try_step<T, E, F, Fut>(&self, key: impl Into<String>, work: F) -> Result<T, ToolError>
    where
        T: Serialize + DeserializeOwned,
        E: Into<ToolError>,
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        let key = key.into();
        let table = &self.asking().table;
        if self.is_cancelled() {
            return Err(table.released(&key).await);
        }
        table.reserve(&key)?;
        if let Some(value) = table.result(&key) {
            match serde_json::from_str(value.get()) {
                Ok(value) => return Ok(value),
                Err(error) => tracing::warn!("the step `{key}` had another kind of result: {error}"),
            }
        }
        let running = RunningStep::begin(table);
        let value = IN_STEP.scope(table.id(), work()).await;
        if self.is_cancelled() {
            drop(running);
            // The step has ended, and nothing after it may run.
            return Err(table.released(&key).await);
        }
        let value = value.map_err(Into::into)?;
        let json = to_raw_value(&value).map_err(|error| {
            ToolError::failed(format!("the result of the step `{key}` has no JSON: {error}"))
        })?;
        table.keep(&key, json);
        drop(running);
        Ok(value)
    }

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

    async fn fill_in(&self, key: &str, asked: Elicitation) -> Result<ElicitResult, ToolError> {
        match self.ask(key, &InputRequest::Elicit(asked)).await? {
            InputResponse::Elicit(result) => Ok(result),
            other => Err(invalid_answer(key, &format!("{other:?}"))),
        }
    }

    /// Asks, whichever way the client is asked.
    async fn ask(&self, key: &str, request: &InputRequest) -> Result<InputResponse, ToolError> {
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

fn invalid_form(found: &dyn Display) -> ToolError {
    ToolError::new("invalid_form", found.to_string())
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

/// A step that runs; dropped when it has ended or was given up.
struct RunningStep<'t>(&'t Table);

impl<'t> RunningStep<'t> {
    fn begin(table: &'t Table) -> Self {
        table.step_begins();
        Self(table)
    }
}

impl Drop for RunningStep<'_> {
    fn drop(&mut self) {
        self.0.step_ends();
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
