//! The client's handlers for the questions of servers (elicitation, sampling and roots requests), with the
//! checks of each question and of its answer.
//!
//! In: one decoded question. Out: its answer, as a future that the connection task runs; or the error that is
//! sent to the server, or that fails the call for which the server asked. This module does not depend on era
//! and transport.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::form::Form;
use plainwire_proto::model::{
    Capabilities, ElicitAction, ElicitResult, Elicitation, InputRequest, InputResponse, Root,
};
use plainwire_proto::revision::Revision;
use serde_json::json;

use super::sampling::Sampling;
use super::url;

/// The future of the client's answer to a question of the server.
pub(crate) type Answer = Pin<Box<dyn Future<Output = Result<InputResponse, Error>> + Send>>;

type Elicit = Arc<dyn Fn(Elicitation) -> Pin<Box<dyn Future<Output = ElicitResult> + Send>> + Send + Sync>;

/// The client's handlers for the questions of a server, and its roots. The client declares only the kinds of
/// questions that it can answer, so that servers ask no others.
#[derive(Clone, Default)]
pub(crate) struct Asked {
    pub(super) elicit: Option<Elicit>,
    /// The roots with which the client answers `roots/list`; `None` if it does not declare the capability
    /// `roots`. With `Some`, the client also declares `listChanged`.
    pub(super) roots: Option<Vec<Root>>,
    pub(super) sampling: Option<Sampling>,
}

impl Asked {
    pub(super) fn on_elicit<F, Fut>(&mut self, handler: F)
    where
        F: Fn(Elicitation) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ElicitResult> + Send + 'static,
    {
        self.elicit = Some(Arc::new(move |question| Box::pin(handler(question))));
    }

    pub(crate) fn set_roots(&mut self, roots: Vec<Root>) {
        self.roots = Some(roots);
    }

    /// Returns the capabilities that the client declares. They have the settings of the newest revision, whatever
    /// the revision of the connection: an older revision does not define all of these settings, but allows
    /// additional ones.
    pub(crate) fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::default();
        if self.elicit.is_some() {
            capabilities.declare("elicitation", json!({ "form": {}, "url": {} }));
        }
        if self.roots.is_some() {
            capabilities.declare("roots", json!({ "listChanged": true }));
        }
        if let Some(sampling) = &self.sampling {
            capabilities.declare("sampling", sampling.settings());
        }
        capabilities
    }

    /// Checks that a server of `revision` may ask this question.
    ///
    /// # Errors
    /// `InvalidParams` if the client does not declare the capability that the question needs; the message
    /// names it.
    pub(crate) fn check(&self, question: &InputRequest, revision: Revision) -> Result<(), Error> {
        let needed = question.requires();
        if needed.is_in(&self.capabilities(), revision) {
            return Ok(());
        }
        let text = format!(
            "expected the server to ask for what this client declares, but found `{}`, which needs `{}`",
            question.method().as_str(),
            needed.as_str()
        );
        Err(Error::new(ErrorKind::InvalidParams, text))
    }

    /// Returns the future that answers `question`, a question of the server that [`Self::check`] has accepted.
    pub(crate) fn answer(&self, question: InputRequest) -> Answer {
        match (question, self) {
            (InputRequest::Elicit(it), Self { elicit: Some(handler), .. }) => {
                let handler = handler.clone();
                Box::pin(async move { elicited(&handler, it).await.map(InputResponse::Elicit) })
            }
            (InputRequest::ListRoots, Self { roots: Some(roots), .. }) => {
                let roots = roots.clone();
                Box::pin(async move { Ok(InputResponse::ListRoots(roots)) })
            }
            (InputRequest::Sample(it), Self { sampling: Some(sampling), .. }) => {
                let sampling = sampling.clone();
                Box::pin(async move {
                    let answer = sampling.answer(*it).await?;
                    Ok(InputResponse::Sample(Box::new(answer)))
                })
            }
            (question, _) => {
                let text = format!("expected a handler for `{}`", question.method().as_str());
                Box::pin(async { Err(Error::new(ErrorKind::Internal, text)) })
            }
        }
    }
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked")
            .field("elicit", &self.elicit.is_some())
            .field("roots", &self.roots)
            .field("sampling", &self.sampling)
            .finish()
    }
}

/// Answers an elicitation by its handler.
///
/// # Errors
/// `InvalidParams` for an invalid question, which the handler does not get; `Internal` if the handler returns
/// an invalid answer.
async fn elicited(handler: &Elicit, question: Elicitation) -> Result<ElicitResult, Error> {
    let refuse = |what: &str, why: String| {
        Error::new(ErrorKind::InvalidParams, format!("`elicitation/create`, `{what}`: {why}"))
    };
    match &question {
        Elicitation::Form { schema, .. } => {
            let form = Form::parse(schema).map_err(|why| refuse("requestedSchema", why))?;
            let result = handler(question).await;
            checked(&form, result).map_err(|why| {
                Error::new(ErrorKind::Internal, format!("the handler of `elicitation/create`: {why}"))
            })
        }
        Elicitation::Url { url: page, .. } => {
            url::check(page).map_err(|why| refuse("url", why))?;
            let action = handler(question).await.action;
            // Spec: "URL Mode": the answer has no content, whatever the user did.
            Ok(ElicitResult { action, content: None })
        }
    }
}

/// Adds the defaults of `form` to the content that the user accepted, and checks the content. Removes the content if
/// the user declined or cancelled.
fn checked(form: &Form, result: ElicitResult) -> Result<ElicitResult, String> {
    if result.action != ElicitAction::Accept {
        return Ok(ElicitResult { content: None, ..result });
    }
    let content = form.with_defaults(result.content.unwrap_or_default());
    form.check(&content)?;
    Ok(ElicitResult::accept(content))
}
