//! Asks one question: checks it, then takes its answer from an earlier round or sends it to the client.
//!
//! In: a key and a question. Out: the client's answer, or an error for the handler. The methods that handlers
//! call are in [`super::questions`].

use std::fmt::Display;

use plainwire_proto::codec;
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::{ClientCapability, InputMethod, InputRequest, InputResponse, RawJson};
use plainwire_proto::revision::{Feature, Revision};

use super::Context;
use super::signals::Question;
use crate::server::asking::{IN_STEP, Table};
use crate::server::result::ToolError;

impl Context {
    /// Returns an error if the client lacks `capability`.
    pub(crate) fn require(&self, capability: ClientCapability) -> Result<(), ToolError> {
        let (revision, name) = (self.asking().revision(), capability.as_str());
        if capability.is_in(&self.client().capabilities, revision) {
            return Ok(());
        }
        let text = if capability.exists_in(revision) {
            format!("expected a client that declares `{name}`, but found one that does not")
        } else {
            let first = Revision::ALL.into_iter().find(|it| capability.exists_in(*it));
            let first = first.unwrap_or(Revision::NEWEST);
            format!("expected a client of {first} or newer, which has `{name}`, but found one of {revision}")
        };
        Err(ToolError::unsupported(capability, text))
    }

    /// Asks a question and waits for its answer. In the legacy era, the question is a request to the client.
    /// In the modern era, the question ends the round (the run of the handler), or its answer came with the
    /// request that began the round.
    pub(crate) async fn ask(&self, key: &str, request: &InputRequest) -> Result<InputResponse, ToolError> {
        let asking = self.asking();
        if self.is_cancelled() {
            // If this returned an error at once, the handler would continue and drop a step that still has
            // time to end.
            return Err(asking.table.released(key).await);
        }
        if IN_STEP.try_with(|&step| step == asking.table.id()).unwrap_or(false) {
            // A round waits for its steps, so a question inside a step would wait for itself.
            let text = format!("expected to ask `{key}` outside of steps, but found it inside of one");
            return Err(ToolError::new("question_in_step", text));
        }
        let capability = request.requires();
        self.require(capability)?;
        let mut params = Vec::new();
        codec::input_params(&mut params, request, asking.revision())
            .map_err(|text| ToolError::unsupported(capability, text))?;
        let params = String::from_utf8(params).unwrap_or_default();
        asking.table.reserve(key)?;
        let method = request.method();
        let json = if asking.revision().has(Feature::InputRequired) {
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
                ErrorKind::Late { .. } => "none within `ask_timeout`".to_owned(),
                _ if error.message().is_empty() => "an error without a message".to_owned(),
                _ => error.to_string(),
            };
            ToolError::new("no_answer", format!("expected an answer to `{key}`, but found: {found}"))
        })
    }
}

pub(super) fn invalid_answer(key: &str, found: &dyn Display) -> ToolError {
    ToolError::new("invalid_answer", format!("the answer to `{key}`: {found}"))
}

/// A guard for an open question (modern era). Dropping the guard withdraws the question, if it has not been
/// sent yet.
struct OpenQuestion<'t> {
    key: &'t str,
    table: &'t Table,
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        self.table.withdraw(self.key);
    }
}

/// A guard that counts the time until it is dropped as time in which the call waits for an answer.
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
