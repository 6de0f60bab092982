//! Prompts: message templates that a user picks and fills in.
//!
//! In: a name and a handler. Out: a [`Prompt`] for a server. Calling the handler is the work of the
//! connection.

use std::future::Future;
use std::panic::Location;
use std::sync::Arc;

use plainwire_proto::model::{self, ClientCapability, PromptArgument};
use serde_json::Value;

use super::completion::{self, Completers, Completing, IntoCompletion};
use super::core::Core;
use crate::server::handler::{Handler, Signature, run};
use crate::server::layer::Layer;
use crate::server::result::{IntoPrompt, Outcome};

/// A prompt: a name, arguments, and the handler that returns its messages.
///
/// The arguments are the fields of the handler's struct. The protocol sends them as strings; a field of
/// another type is parsed from its string. The doc comment of a field is the description of its argument, and
/// `#[schemars(title = "…")]` its display name.
#[derive(Clone)]
pub struct Prompt {
    pub(crate) completers: Completers,
    pub(crate) core: Core,
    pub(crate) entry: model::Prompt,
}

impl Prompt {
    /// Creates the prompt `name` from an async function or closure.
    #[track_caller]
    pub fn new<Takes, H>(name: impl Into<String>, handler: H) -> Self
    where
        H: Handler<Takes>,
        H::Output: IntoPrompt,
    {
        let input = Signature::of::<Takes, H>().input();
        let run = run(handler, |returned| Outcome::of(returned.into_prompt()));
        let arguments =
            input.schema.properties().into_iter().map(|(name, schema, required)| PromptArgument {
                description: schema.get("description").and_then(Value::as_str).map(ToOwned::to_owned),
                name: name.to_owned(),
                required,
                title: input.schema.title(name).map(ToOwned::to_owned),
            });
        let entry =
            model::Prompt { arguments: arguments.collect(), name: name.into(), ..model::Prompt::default() };
        Self { completers: Completers::new(), core: Core::new(Location::caller(), input, run), entry }
    }

    /// Returns the name of the prompt.
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Sets the description: what the prompt is for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.entry.description = Some(description.into());
        self
    }

    /// Adds a layer around the prompt: see [`crate::server::layer`]. The first layer added is the outermost.
    #[must_use]
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.core.layers.push(Arc::new(layer));
        self
    }

    /// Refuses calls of clients that do not declare `capability`, before the handler runs.
    #[must_use]
    pub fn requires(mut self, capability: ClientCapability) -> Self {
        self.core.requires.push(capability);
        self
    }

    /// Sets the display name of the prompt for users.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.entry.title = Some(title.into());
        self
    }

    /// Adds a completion: `handler` suggests values for `argument` while the user types.
    ///
    /// ```
    /// use plainwire::prelude::*;
    /// # use plainwire::handler::Completing;
    ///
    /// #[data]
    /// struct Review {
    ///     language: String,
    /// }
    ///
    /// let prompt = Prompt::new("review", |it: Review| async move { format!("Review this {}.", it.language) })
    ///     .complete("language", |it: Completing| async move {
    ///         let known = ["rust", "ruby", "go"].map(String::from);
    ///         known.into_iter().filter(|name| name.starts_with(&it.value)).collect::<Vec<_>>()
    ///     });
    /// ```
    ///
    /// The best values come first. If there are more than 100, the client gets the first 100 and the total
    /// number.
    #[must_use]
    pub fn complete<F, Fut>(mut self, argument: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Completing) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoCompletion> + Send + 'static,
    {
        let known = self.entry.arguments.iter().map(|it| it.name.as_str());
        if let Some(problem) = completion::add(&mut self.completers, known, argument.into(), handler) {
            self.core.problem.get_or_insert(problem);
        }
        self
    }
}

impl std::fmt::Debug for Prompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prompt").field("entry", &self.entry).finish_non_exhaustive()
    }
}
