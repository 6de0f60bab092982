//! Sampling: a model that answers the sampling requests of servers, with the user's consent.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::{CreateMessage, CreateMessageResult};

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Model = Arc<dyn Fn(CreateMessage) -> Boxed<Result<CreateMessageResult, String>> + Send + Sync>;
type Consent = Arc<dyn Fn(CreateMessage) -> Boxed<bool> + Send + Sync>;

/// A model that servers may ask, if the user allows it.
///
/// Without [`Self::consent`] the model is never asked. If a question is rejected, a legacy server gets an
/// error. In 2026-07-28 the client can't send an error: the call for which the server asked fails with
/// [`crate::Error::Unanswered`].
#[derive(Clone)]
pub struct Sampling {
    consent: Option<Consent>,
    context: bool,
    max_tokens: u64,
    model: Model,
    tools: bool,
}

impl Sampling {
    /// The default of [`Self::max_tokens`]: a few pages of text.
    pub const MAX_TOKENS: u64 = 4_096;

    /// Describes a model: `model` answers each question that the user allows. If it returns an `Err`, a
    /// legacy server gets the text as an error; in 2026-07-28 the call for which the server asked fails with
    /// it.
    pub fn new<F, Fut>(model: F) -> Self
    where
        F: Fn(CreateMessage) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<CreateMessageResult, String>> + Send + 'static,
    {
        Self {
            consent: None,
            context: false,
            max_tokens: Self::MAX_TOKENS,
            model: Arc::new(move |request| Box::pin(model(request))),
            tools: false,
        }
    }

    /// Sets the callback that allows or rejects each question; it gets the request for the model. Without the
    /// callback, every question is rejected.
    #[must_use]
    pub fn consent<F, Fut>(mut self, consent: F) -> Self
    where
        F: Fn(CreateMessage) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = bool> + Send + 'static,
    {
        self.consent = Some(Arc::new(move |request| Box::pin(consent(request))));
        self
    }

    /// Sets the most tokens of an answer, 4,096 by default. A question that asks for more gets this limit,
    /// before `consent` and the model see it.
    #[must_use]
    pub fn max_tokens(mut self, max_tokens: u64) -> Self {
        self.max_tokens = max_tokens;
        self
    }

    /// Declares that the model can use tools. Without this declaration, questions with tools are refused.
    #[must_use]
    pub fn tools(mut self) -> Self {
        self.tools = true;
        self
    }

    /// Declares that the model accepts context of the conversation. Without this declaration,
    /// `include_context` is removed from questions.
    #[must_use]
    pub fn context(mut self) -> Self {
        self.context = true;
        self
    }

    /// Returns the settings of the capability `sampling`.
    pub(super) fn settings(&self) -> serde_json::Value {
        let mut settings = serde_json::Map::new();
        for (name, on) in [("context", self.context), ("tools", self.tools)] {
            if on {
                settings.insert(name.to_owned(), serde_json::json!({}));
            }
        }
        settings.into()
    }

    /// Answers a sampling request by the model, if the user allows it.
    ///
    /// # Errors
    /// `Application(-1)` if the question is rejected; `InvalidParams` for an invalid conversation; `Internal`
    /// for an error of the model.
    pub(super) async fn answer(&self, mut request: CreateMessage) -> Result<CreateMessageResult, Error> {
        request.check().map_err(|why| Error::new(ErrorKind::InvalidParams, why))?;
        request.max_tokens = request.max_tokens.min(self.max_tokens);
        request.include_context = request.include_context.filter(|_| self.context);
        // Spec: 2025-11-25 `sampling` "Error Handling".
        let reject = |text| Err(Error::new(ErrorKind::Application(-1), text));
        let Some(consent) = &self.consent else {
            return reject(
                "expected a consent callback for `sampling/createMessage`, but found none: `Sampling::consent` sets it",
            );
        };
        if !consent(request.clone()).await {
            return reject("expected the user to allow `sampling/createMessage`, but it was rejected");
        }
        (self.model)(request).await.map_err(|why| Error::new(ErrorKind::Internal, why))
    }
}

impl fmt::Debug for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampling")
            .field("consent", &self.consent.is_some())
            .field("context", &self.context)
            .field("max_tokens", &self.max_tokens)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}
