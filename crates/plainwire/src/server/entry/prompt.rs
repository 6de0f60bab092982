//! Prompts: texts with blanks that a person picks and fills in.

use std::future::Future;
use std::panic::Location;
use std::sync::Arc;

use plainwire_proto::model::{self, ClientCapability, PromptArgument};
use serde_json::Value;

use super::completion::{self, Completers, Completing, IntoCompletion};
use crate::schema::InputSchema;
use crate::server::handler::{Handler, Input, IntoPrompt, Needed, Outcome, Run, Signature, run};
use crate::server::layer::Layer;

/// A prompt: a name, its arguments, and the function that fills it in.
///
/// The arguments are the fields of the handler's struct; the wire has them as strings, and a field of another type
/// is read from its string.
#[derive(Clone)]
pub struct Prompt {
    pub(crate) at: &'static Location<'static>,
    pub(crate) completers: Completers,
    pub(crate) entry: model::Prompt,
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    pub(crate) needs: Vec<Needed>,
    pub(crate) problem: Option<String>,
    pub(crate) requires: Vec<ClientCapability>,
    pub(crate) run: Run,
    pub(crate) schema: InputSchema,
}

impl Prompt {
    /// Makes the prompt `name` of an async function or closure.
    #[track_caller]
    pub fn new<Takes, H>(name: impl Into<String>, handler: H) -> Self
    where
        H: Handler<Takes>,
        H::Output: IntoPrompt,
    {
        let Input { needs, problem, schema } = Signature::of::<Takes, H>().input();
        let run = run(handler, |returned| Outcome::of(returned.into_prompt()));
        let arguments = schema.properties().into_iter().map(|(name, schema, required)| PromptArgument {
            description: schema.get("description").and_then(Value::as_str).map(ToOwned::to_owned),
            name: name.to_owned(),
            required,
            title: None,
        });
        let entry =
            model::Prompt { arguments: arguments.collect(), name: name.into(), ..model::Prompt::default() };
        let (completers, layers, requires) = (Completers::new(), Vec::new(), Vec::new());
        Self { at: Location::caller(), completers, entry, layers, needs, problem, requires, run, schema }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Says what the prompt is for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.entry.description = Some(description.into());
        self
    }

    /// Puts a layer around the prompt: see [`crate::server::layer`]. The first one added is the outermost.
    #[must_use]
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.layers.push(Arc::new(layer));
        self
    }

    /// Refuses clients that can't be asked for `capability`, before any work is done.
    #[must_use]
    pub fn requires(mut self, capability: ClientCapability) -> Self {
        self.requires.push(capability);
        self
    }

    /// Gives the prompt a name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.entry.title = Some(title.into());
        self
    }

    /// Offers values for an argument while a person types.
    ///
    /// ```
    /// use plainwire::prelude::*;
    /// # use plainwire::Completing;
    ///
    /// #[derive(Deserialize, JsonSchema)]
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
    /// The best values come first; of more than 100 the client gets the first 100 and how many there are.
    #[must_use]
    pub fn complete<F, Fut>(mut self, argument: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Completing) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoCompletion> + Send + 'static,
    {
        let known = self.entry.arguments.iter().map(|it| it.name.as_str());
        if let Some(problem) = completion::add(&mut self.completers, known, argument.into(), handler) {
            self.problem.get_or_insert(problem);
        }
        self
    }
}

impl std::fmt::Debug for Prompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prompt").field("entry", &self.entry).finish_non_exhaustive()
    }
}
