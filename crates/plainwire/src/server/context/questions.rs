//! The questions that handlers can ask, as methods of [`Context`]: `elicit` and its variants, `sample`,
//! `roots`, and `step`.
//!
//! In: a key and the parts of a question. Out: the answer as a Rust value. How a question reaches the client
//! is decided in [`super::ask`].

use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;

use plainwire_proto::codec;
use plainwire_proto::form::Form;
use plainwire_proto::model::{
    ClientCapability, CreateMessage, CreateMessageResult, ElicitResult, Elicitation, InputRequest,
    InputResponse, Root,
};
use plainwire_proto::revision::{Feature, Revision};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};

use super::Context;
use super::ask::invalid_answer;
use crate::runtime::random;
use crate::server::asking::{Answer, IN_STEP, Table, form};
use crate::server::result::ToolError;
use crate::server::roots::Roots;

impl Context {
    /// Asks the user to fill in a form with the fields of `T`.
    ///
    /// `key` names the question within the call; `message` tells the user why you ask. Fields are strings,
    /// numbers, booleans, enums without data, or lists of such enums; each may be optional or have a default.
    /// Doc comments become descriptions. A type other than a struct gives a form with one field. Never ask
    /// for secrets this way; use [`Self::elicit_url`].
    ///
    /// Everything before the question may run again: see [`Self::step`].
    ///
    /// Cancel safe: dropping the future withdraws the question.
    ///
    /// # Errors
    /// - `unsupported` if the client can't ask its user. If your handler returns this error, a client of
    ///   2026-07-28 gets the protocol's error for it.
    /// - `invalid_answer` for an answer that does not match the form.
    /// - `no_answer` if the client refuses, leaves, or does not answer within `Server::ask_timeout`
    ///   (revisions up to 2025-11-25).
    /// - `repeated_key`, `too_many_questions`, `invalid_form` and `question_in_step` for mistakes in the
    ///   handler.
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

    /// Like [`Self::elicit`], with a form schema written by hand. Returns the answer as a JSON object,
    /// checked against the form.
    ///
    /// # Errors
    /// Like [`Self::elicit`].
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

    /// Asks the user to open `url`, for data that must not pass through the client: secrets, payments,
    /// consent on another site.
    ///
    /// [`Answer::Accepted`] means that the user agreed, not that the user is done. Your server has to find
    /// out itself when the user is done, and has to make sure that the user who opens the page is the user
    /// who was asked.
    ///
    /// # Errors
    /// Like [`Self::elicit`].
    pub async fn elicit_url(
        &self,
        key: impl Into<String>,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<Answer<()>, ToolError> {
        // The id is new in each run of the handler. That changes nothing, since it is sent only in revisions
        // without rounds.
        let id: String = random::bytes::<16>().iter().map(|byte| format!("{byte:02x}")).collect();
        self.elicit_url_with_id(key, id, message, url).await
    }

    /// Like [`Self::elicit_url`], with an id of the page that you choose, for
    /// [`Self::notify_elicitation_complete`]. For each page, choose a new id that nobody can guess; the id is
    /// sent in revision 2025-11-25 only.
    ///
    /// # Errors
    /// Like [`Self::elicit`].
    pub async fn elicit_url_with_id(
        &self,
        key: impl Into<String>,
        id: impl Into<String>,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<Answer<()>, ToolError> {
        let key = key.into();
        let asked = Elicitation::Url { id: id.into(), message: message.into(), url: url.into() };
        let result = self.fill_in(&key, asked).await?;
        Answer::of(result, |_| Ok(()))
    }

    /// Returns the error for a call that can only succeed once the user has opened `url`, for example to sign
    /// in. Unlike [`Self::elicit_url`], the call does not wait for the user: the client makes it again later.
    ///
    /// In revision 2025-11-25, a client that declares `elicitation.url` gets the protocol's error -32042 with the
    /// page. Otherwise the error is an ordinary one with the code `url_required`, whose text for the model has
    /// the URL. `id` is for [`Self::notify_elicitation_complete`].
    pub fn url_required(
        &self,
        id: impl Into<String>,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> ToolError {
        let (message, url, revision) = (message.into(), url.into(), self.revision());
        let is_known = revision.has(Feature::UrlElicitationId)
            && ClientCapability::ElicitationUrl.is_in(&self.client().capabilities, revision);
        if !is_known {
            return ToolError::new("url_required", format!("{message}\n\n{url}"));
        }
        let mut params = Vec::new();
        let page = Elicitation::Url { id: id.into(), message: message.clone(), url };
        let written = codec::input_params(&mut params, &InputRequest::Elicit(page), revision);
        match written {
            Ok(()) => ToolError::url_required(message, String::from_utf8(params).unwrap_or_default()),
            Err(text) => ToolError::unsupported(ClientCapability::ElicitationUrl, text),
        }
    }

    /// Notifies the client that the user is done with the web page `id`, from [`Self::elicit_url_with_id`] or
    /// [`Self::url_required`]. A client may then make a call again that was refused for that page.
    ///
    /// The context may be kept for this after its call has ended. Over HTTP, the notification is then lost if the
    /// client has no stream open for messages that belong to no request. It is also lost if the connection or
    /// session has ended meanwhile, or if 1,024 of them wait to be sent. Does nothing in revisions other than
    /// 2025-11-25, which have no such notification.
    pub fn notify_elicitation_complete(&self, id: &str) {
        if self.revision().has(Feature::UrlElicitationId) {
            self.signals().page_complete(self.key(), id);
        }
    }

    /// Asks the client's model to generate a message.
    ///
    /// Deprecated in 2026-07-28 in favour of calling a model directly. Works with every client that declares
    /// sampling. `include_context` is removed for a client that does not declare `sampling.context`, in
    /// revisions with this capability.
    ///
    /// # Errors
    /// Like [`Self::elicit`]. A request with tools needs a client that declares `sampling.tools`.
    /// `invalid_request` for messages that [`CreateMessage::check`] refuses.
    pub async fn sample(
        &self,
        key: impl Into<String>,
        mut request: CreateMessage,
    ) -> Result<CreateMessageResult, ToolError> {
        let key = key.into();
        request.check().map_err(|why| ToolError::new("invalid_request", why))?;
        let takes_context = self.client().capabilities.takes_context(self.asking().revision());
        request.include_context = request.include_context.filter(|_| takes_context);
        match self.ask(&key, &InputRequest::Sample(Box::new(request))).await? {
            InputResponse::Sample(result) => Ok(*result),
            other => Err(invalid_answer(&key, &format!("{other:?}"))),
        }
    }

    /// Returns the directories that the client lets this server work in, as a boundary: see
    /// [`Roots::resolve`].
    ///
    /// The question has the key `roots`, or `roots-2` and so on if the call has used that key already. In the
    /// legacy era, a client that declares `roots.listChanged` is asked once per session, and again after it
    /// has reported a change. All other clients are asked once per call. Deprecated in 2026-07-28 in favour
    /// of arguments and configuration.
    ///
    /// # Errors
    /// Like [`Self::elicit`].
    pub async fn roots(&self) -> Result<Arc<Roots>, ToolError> {
        let (asking, known) = (self.asking(), self.known_roots());
        // One task of the call at a time asks. The others wait, and then use its answer.
        let _turn = asking.roots_turn.lock().await;
        if let Some(roots) = known.get() {
            return Ok(roots);
        }
        let before = known.generation();
        let listed = self.list_roots(asking.table.free_key("roots")).await?;
        // On a blocking thread: it reads the file system, and a root may be on one that does not respond.
        let roots = Arc::new(crate::runtime::blocking(|| Roots::new(listed)).await);
        known.set(before, &roots);
        Ok(roots)
    }

    /// Asks the client for its roots under a key of your own, without caching the answer. Returns the roots
    /// unchecked; [`Self::roots`] checks them.
    ///
    /// # Errors
    /// Like [`Self::elicit`].
    pub async fn list_roots(&self, key: impl Into<String>) -> Result<Vec<Root>, ToolError> {
        let key = key.into();
        match self.ask(&key, &InputRequest::ListRoots).await? {
            InputResponse::ListRoots(roots) => Ok(roots),
            other => Err(invalid_answer(&key, &format!("{other:?}"))),
        }
    }

    /// Runs work that must not run again when the client sends the call again with answers (2026-07-28).
    ///
    /// `work` returns an owned value and must not ask questions, not even from a task that it starts. The end
    /// of a round (a run of the handler) waits for running steps. Other work that runs beside a question, as
    /// in `join!`, is dropped at that point. The returned value is kept with the questions that follow, so
    /// that later rounds get it without running `work`. With a question it is sent to the client as part of
    /// the request state, whose sealed text may have 64 KiB: room for about 48 KiB of kept values, as JSON. A
    /// step does not run exactly once: a client that repeats a round repeats the step. A step that runs when
    /// its call is cancelled has 5 s to end, or longer if [`OnCancel`](crate::handler::OnCancel) lets the
    /// call continue.
    ///
    /// # Errors
    /// `repeated_key` and `too_many_questions` as for questions; `failed` if the value can't be written as
    /// JSON and read back, such as a `NaN`. A question inside of `work` fails with `question_in_step`.
    pub async fn step<T, F, Fut>(&self, key: impl Into<String>, work: F) -> Result<T, ToolError>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce() -> Fut,
        Fut: Future<Output = T>,
    {
        self.try_step(key, || async { Ok::<T, ToolError>(work().await) }).await
    }

    /// Like [`Self::step`], for work that may fail. A failure is not kept: a later round runs `work` again.
    ///
    /// # Errors
    /// Like [`Self::step`], and the error of `work`.
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
                Err(error) => tracing::warn!("the kept result of the step `{key}` has another type: {error}"),
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
        // Checked now: if a later round could not read the value, it would run the work again.
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

/// A guard for a running step, dropped when the step has ended or its future is dropped.
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
