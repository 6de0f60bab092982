//! What handlers call: `elicit` and its kind, `sample`, `roots`, `step`.

use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;

use plainwire_proto::form::Form;
use plainwire_proto::model::{
    CreateMessage, CreateMessageResult, ElicitResult, Elicitation, InputRequest, InputResponse, Root,
};
use plainwire_proto::revision::Revision;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};

use super::table::Table;
use super::{Answer, IN_STEP, form, invalid_answer};
use crate::runtime::random;
use crate::server::context::Context;
use crate::server::handler::ToolError;
use crate::server::roots::Roots;

impl Context {
    /// Asks the user to fill in a form, whose fields are those of `T`.
    ///
    /// `key` names the question within the call; `message` says why it is asked. Fields are strings, numbers,
    /// booleans and enums without data, or lists of such enums, each perhaps optional or with a default; doc
    /// comments become descriptions. A type that is no struct is a form with one field. Never ask for secrets this
    /// way: [`Self::elicit_url`] is for those.
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
        let form = Form::parse(&schema).map_err(|error| invalid_form(&error))?;
        let key = key.into();
        let result = self.fill_in(&key, Elicitation::Form { message: message.into(), schema }).await?;
        Answer::of(result, |result| {
            let content = result.content.unwrap_or_default();
            form.check(&content).map_err(|error| invalid_answer(&key, &error))?;
            Ok(content)
        })
    }

    /// Asks the user to open `url`, for what must not pass through the client: secrets, payments, consent
    /// elsewhere.
    ///
    /// [`Answer::Accepted`] says that they agreed, not that they are done; the server has to find that out itself,
    /// and has to make sure that whoever opens the page is whoever was asked.
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
        let id = random::bytes::<16>().iter().map(|byte| format!("{byte:02x}")).collect();
        let asked = Elicitation::Url { id, message: message.into(), url: url.into() };
        let result = self.fill_in(&key, asked).await?;
        Answer::of(result, |_| Ok(()))
    }

    /// Asks the model behind the client.
    ///
    /// Deprecated in 2026-07-28 in favour of calling a model directly; works wherever the client declares it.
    ///
    /// # Errors
    /// As [`Self::elicit`]. Tools need a client that declares `sampling.tools`. `invalid_request` for messages that
    /// [`CreateMessage::check`] refuses. `include_context` is left out for a client that does not declare it.
    pub async fn sample(
        &self,
        key: impl Into<String>,
        mut request: CreateMessage,
    ) -> Result<CreateMessageResult, ToolError> {
        let key = key.into();
        request.check().map_err(|why| ToolError::new("invalid_request", why))?;
        let takes_context = self.client().capabilities.takes_context(self.asking().revision);
        request.include_context = request.include_context.filter(|_| takes_context);
        match self.ask(&key, &InputRequest::Sample(Box::new(request))).await? {
            InputResponse::Sample(result) => Ok(*result),
            other => Err(invalid_answer(&key, &format!("{other:?}"))),
        }
    }

    /// Returns where the client lets this server work, as a boundary: see [`Roots::resolve`].
    ///
    /// The question has the key `roots`, and `roots-2` and so on if a call asks again. An old client is asked once
    /// until it says that they have changed. Deprecated in 2026-07-28 in favour of arguments and configuration.
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
        let listed = self.list_roots(asking.table.free_key("roots")).await?;
        // It asks the file system, and a root may be on one that does not answer.
        let roots = Arc::new(crate::runtime::blocking(|| Roots::new(listed)).await);
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
    /// `work` returns an owned value, asks nothing, not in a task of its own either, and is waited for at the end
    /// of a round; other work that runs beside a question, as in a `join!`, is dropped there. What `work` returns
    /// is kept with the questions that follow, so that a later round gets it without doing the work. It is sent to
    /// the client, sealed, and has to fit into 64 KiB with everything else that is kept. Not exactly once: a client
    /// that repeats the same round repeats the step. A step that runs when its call is cancelled has 5 s to end.
    ///
    /// # Errors
    /// `repeated_key` and `too_many_questions` as for questions; `failed` if the value does not survive JSON, as a
    /// number that is none. A question inside of `work` gets `question_in_step`.
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
        if self.is_cancelled() && !self.runs_on() {
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
        if self.is_cancelled() && !self.runs_on() {
            drop(running);
            // The step has ended, and nothing after it may run.
            return Err(table.released(&key).await);
        }
        let value = value.map_err(Into::into)?;
        let unkept = |error: serde_json::Error| {
            let text = format!(
                "expected the result of the step `{key}` to come back from JSON as it went, but found: {error}"
            );
            ToolError::failed(text)
        };
        let json = to_raw_value(&value).map_err(unkept)?;
        // What a later round could not read would make it do the work again.
        serde_json::from_str::<T>(json.get()).map_err(unkept)?;
        table.keep(&key, json);
        drop(running);
        Ok(value)
    }

    async fn fill_in(&self, key: &str, asked: Elicitation) -> Result<ElicitResult, ToolError> {
        match self.ask(key, &InputRequest::Elicit(asked)).await? {
            InputResponse::Elicit(result) => Ok(result),
            other => Err(invalid_answer(key, &format!("{other:?}"))),
        }
    }
}

fn invalid_form(found: &dyn Display) -> ToolError {
    ToolError::new("invalid_form", found.to_string())
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
