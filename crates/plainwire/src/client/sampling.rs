//! A model for servers to ask, and who has to allow it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::{CreateMessage, CreateMessageResult, Role, SamplingContent, SamplingMessage};

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Model = Arc<dyn Fn(CreateMessage) -> Boxed<Result<CreateMessageResult, String>> + Send + Sync>;
type Consent = Arc<dyn Fn(CreateMessage) -> Boxed<bool> + Send + Sync>;

/// A model that servers may ask, if a person allows it.
///
/// Nothing is ever sampled without [`Self::consent`]. A legacy server is told that it was rejected; a modern one can't
/// be told, and the call for which it asked fails with [`crate::Error::Unanswered`].
#[derive(Clone)]
pub struct Sampling {
    consent: Option<Consent>,
    context: bool,
    max_tokens: u64,
    model: Model,
    tools: bool,
}

impl Sampling {
    /// How many tokens a server gets at most, unless [`Self::max_tokens`] says otherwise: a few pages of text.
    pub const MAX_TOKENS: u64 = 4_096;

    /// Has questions answered by `model`; an `Err` is what the server is told, or the call fails with.
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

    /// Asks `consent` each time, with what the model would be asked.
    #[must_use]
    pub fn consent<F, Fut>(mut self, consent: F) -> Self
    where
        F: Fn(CreateMessage) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = bool> + Send + 'static,
    {
        self.consent = Some(Arc::new(move |request| Box::pin(consent(request))));
        self
    }

    /// Lowers what servers ask for to `max_tokens`, before anybody here sees it. 4,096 by default.
    #[must_use]
    pub fn max_tokens(mut self, max_tokens: u64) -> Self {
        self.max_tokens = max_tokens;
        self
    }

    /// Declares that the model can use tools. Without it, questions with tools are refused.
    #[must_use]
    pub fn tools(mut self) -> Self {
        self.tools = true;
        self
    }

    /// Declares that the model can be given context of the conversation. Without it, `include_context` is left out.
    #[must_use]
    pub fn context(mut self) -> Self {
        self.context = true;
        self
    }

    /// The settings of the capability.
    pub(super) fn settings(&self) -> serde_json::Value {
        let mut settings = serde_json::Map::new();
        for (name, on) in [("context", self.context), ("tools", self.tools)] {
            if on {
                settings.insert(name.to_owned(), serde_json::json!({}));
            }
        }
        settings.into()
    }

    /// Answers a question.
    ///
    /// # Errors
    /// `Application(-1)` if it is not allowed; `InvalidParams` for a conversation that is none; `Internal` for what
    /// the model says went wrong.
    pub(super) async fn answer(&self, mut request: CreateMessage) -> Result<CreateMessageResult, Error> {
        check(&request.messages).map_err(|why| Error::new(ErrorKind::InvalidParams, why))?;
        request.max_tokens = request.max_tokens.min(self.max_tokens);
        request.include_context = request.include_context.filter(|_| self.context);
        let allowed = match &self.consent {
            Some(consent) => consent(request.clone()).await,
            None => false,
        };
        if !allowed {
            // Spec: 2025-11-25 `sampling` "Error Handling".
            let text = "expected the user to allow `sampling/createMessage`, but it was rejected";
            return Err(Error::new(ErrorKind::Application(-1), text));
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

/// Spec: 2025-11-25 `sampling` "Message Content Constraints": results of tools stand alone, and follow their uses.
fn check(messages: &[SamplingMessage]) -> Result<(), String> {
    let mut due: Vec<&str> = Vec::new();
    for (n, message) in messages.iter().enumerate() {
        let results: Vec<&str> = message
            .content
            .iter()
            .filter_map(|block| match block {
                SamplingContent::ToolResult(it) => Some(it.tool_use_id.as_str()),
                _ => None,
            })
            .collect();
        if !results.is_empty() && (results.len() < message.content.len() || message.role != Role::User) {
            return Err(format!("expected `messages[{n}]` to have nothing beside results of tools"));
        }
        if let Some(id) = due.iter().find(|id| !results.contains(id)) {
            return Err(format!("expected `messages[{n}]` to have the result of {id:?}, but found none"));
        }
        if let Some(id) = results.iter().find(|id| !due.contains(id)) {
            return Err(format!("expected `messages[{n}]` to answer a use of a tool, but found {id:?}"));
        }
        due = message
            .content
            .iter()
            .filter_map(|block| match block {
                SamplingContent::ToolUse(it) => Some(it.id.as_str()),
                _ => None,
            })
            .collect();
    }
    match due.first() {
        Some(id) => Err(format!("expected a result of {id:?} in `messages`, but found none")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_tools_stand_alone_and_follow_their_uses() {
        let usage = r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{}}]}"#;
        let ended = r#"{"role":"user","content":[{"type":"tool_result","toolUseId":"1","content":[]}]}"#;
        let mixed = r#"{"role":"user","content":[{"type":"tool_result","toolUseId":"1","content":[]},{"type":"text","text":"x"}]}"#;
        let text = r#"{"role":"user","content":{"type":"text","text":"x"}}"#;
        let legal = |messages: &[&str]| {
            let messages = format!("[{}]", messages.join(","));
            check(&serde_json::from_str::<Vec<SamplingMessage>>(&messages).expect("messages")).is_ok()
        };
        assert!(legal(&[]) && legal(&[text, text]) && legal(&[text, usage, ended]));
        assert!(legal(&[usage, ended, text, usage, ended]));
        assert!(!legal(&[usage]), "no result");
        assert!(!legal(&[usage, text]), "something else instead of the result");
        assert!(!legal(&[usage, mixed]), "something else beside the result");
        assert!(!legal(&[text, ended]), "a result of nothing");
        assert!(!legal(&[usage, ended, ended]), "a result twice");
    }
}
