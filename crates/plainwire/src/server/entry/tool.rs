//! Tools: functions that a model may call.
//!
//! In: a name and a handler. Out: a [`Tool`] for a server. Calling the handler is the work of the connection.

use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use plainwire_proto::json::shorten;
use plainwire_proto::model::{self, ClientCapability, RawJson, ToolAnnotations};

use super::attribute::IntoEntry;
use super::core::Core;
use crate::schema::{self, InputSchema, IntoSchema};
use crate::server::context::OnCancel;
use crate::server::handler::{Blocking, BlockingHandler, Handler, Signature, run};
use crate::server::layer::Layer;
use crate::server::result::{IntoToolResult, Outcome};

/// A tool: a name, a description, and the handler that models call.
///
/// ```
/// use plainwire::prelude::*;
///
/// #[data]
/// struct Add {
///     /// First addend.
///     a: f64,
///     /// Second addend.
///     b: f64,
/// }
///
/// let add = Tool::new("add", |it: Add| async move { it.a + it.b })
///     .description("Adds two numbers and returns the sum.")
///     .read_only();
/// assert_eq!(add.name(), "add");
/// ```
#[derive(Clone)]
pub struct Tool {
    pub(crate) core: Core,
    /// The function that returns the derived output schema with all descriptions; `None` if the schema was
    /// set by hand.
    described_output: Option<fn() -> Option<RawJson>>,
    pub(crate) entry: model::Tool,
    pub(crate) on_cancel: OnCancel,
    /// The mistake in an output schema that was set by hand, if there is one.
    pub(crate) output_problem: Option<String>,
    pub(crate) timeout: Option<Duration>,
    /// Whether [`Self::validate`] was called.
    #[cfg(feature = "validate")]
    validates: bool,
}

impl Tool {
    /// Creates the tool `name` from an async function or closure.
    ///
    /// A name has 1 to 128 characters of `A-Z a-z 0-9 _ . -`. Schemas are derived from the types. Mistakes in
    /// the name or the types are reported when the server starts, with the line of this call.
    #[track_caller]
    pub fn new<Takes, Gives, H>(name: impl Into<String>, handler: H) -> Self
    where
        H: Handler<Takes>,
        H::Output: IntoToolResult<Gives>,
    {
        let input = Signature::of::<Takes, H>().input();
        let run = run(handler, |returned| Outcome::of(returned.into_tool_result()));
        let entry = model::Tool {
            annotations: None,
            description: None,
            icons: Vec::new(),
            input_schema: input.schema.to_raw(),
            meta: None,
            name: name.into(),
            output_schema: H::Output::output_schema().as_ref().map(schema::undescribed),
            title: None,
        };
        Self {
            core: Core::new(Location::caller(), input, run),
            described_output: Some(H::Output::output_schema),
            entry,
            on_cancel: OnCancel::default(),
            output_problem: None,
            timeout: None,
            #[cfg(feature = "validate")]
            validates: false,
        }
    }

    /// Returns the tool that `#[tool]` makes of `function`, so that you can change what the attribute set.
    ///
    /// ```
    /// use plainwire::prelude::*;
    ///
    /// /// Adds two numbers and returns the sum.
    /// #[tool]
    /// async fn add(a: f64, b: f64) -> f64 {
    ///     a + b
    /// }
    ///
    /// let server = plainwire::server!("calculator").tool(Tool::of(add).title("Addition"));
    /// # drop(server);
    /// ```
    pub fn of<Via>(function: impl IntoEntry<Self, Via>) -> Self {
        function.into_entry()
    }

    /// Creates the tool `name` from a plain function or closure. It runs on a thread for blocking work.
    ///
    /// A function can't be stopped. When its call is cancelled it continues, as with [`OnCancel::Finish`]; it
    /// can check [`crate::Context::is_cancelled`] and return. To block in only a part of an async handler,
    /// use [`crate::runtime::blocking()`].
    ///
    /// ```
    /// use plainwire::prelude::*;
    ///
    /// let tool = Tool::blocking("kernel", || -> Result<String, ToolError> {
    ///     Ok(std::fs::read_to_string("/proc/version")?)
    /// });
    /// assert_eq!(tool.name(), "kernel");
    /// ```
    #[track_caller]
    pub fn blocking<Takes, Gives, H>(name: impl Into<String>, handler: H) -> Self
    where
        H: BlockingHandler<Takes>,
        H::Output: IntoToolResult<Gives>,
        Takes: 'static,
    {
        Self::new(name, Blocking(Arc::new(handler))).on_cancel(OnCancel::Finish)
    }

    /// Returns the name of the tool.
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Sets the description: what the tool accepts, returns and is for. Models read it on every turn.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.entry.description = Some(description.into());
        self
    }

    /// Sets the display name of the tool for users.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.entry.title = Some(title.into());
        self
    }

    /// Marks the tool as one that changes nothing (`readOnlyHint`).
    #[must_use]
    pub fn read_only(self) -> Self {
        self.annotate(|hints| hints.read_only_hint = Some(true))
    }

    /// Marks the tool as one that adds data but destroys none (`destructiveHint: false`). Without it, clients
    /// assume that a tool may destroy data.
    #[must_use]
    pub fn additive(self) -> Self {
        self.annotate(|hints| hints.destructive_hint = Some(false))
    }

    /// Marks the tool as one that may destroy data (`destructiveHint`).
    #[must_use]
    pub fn destructive(self) -> Self {
        self.annotate(|hints| hints.destructive_hint = Some(true))
    }

    /// Marks the tool as idempotent: repeating a call has no further effect (`idempotentHint`).
    #[must_use]
    pub fn idempotent(self) -> Self {
        self.annotate(|hints| hints.idempotent_hint = Some(true))
    }

    /// Marks the tool as one that reaches outside systems, such as the web (`openWorldHint`).
    #[must_use]
    pub fn open_world(self) -> Self {
        self.annotate(|hints| hints.open_world_hint = Some(true))
    }

    /// Marks the tool as one that only touches a closed set of things (`openWorldHint: false`).
    #[must_use]
    pub fn closed_world(self) -> Self {
        self.annotate(|hints| hints.open_world_hint = Some(false))
    }

    /// Sends `schema` as the input schema instead of the one derived from the types. Its root must describe
    /// an object.
    ///
    /// The text of the schema keeps the order of its keys and all of its members; only white space between
    /// tokens is removed. Arguments are still deserialized into the handler's type; take a
    /// `serde_json::Map<String, Value>` to get all of them. They are also checked against the keywords of
    /// `schema` that derived schemas use. To check all of JSON Schema, use `Tool::validate`, behind the
    /// feature `validate`.
    #[must_use]
    pub fn input_schema(mut self, schema: impl IntoSchema) -> Self {
        match schema.into_schema() {
            Ok(text) => {
                self.core.schema = InputSchema::by_hand(text);
                self.core.problem = self.core.schema.problem().map(ToOwned::to_owned);
                self.entry.input_schema = self.core.schema.to_raw();
            }
            Err(problem) => self.core.problem = Some(problem),
        }
        #[cfg(feature = "validate")]
        if self.validates {
            return self.validate();
        }
        self
    }

    /// Allows only `values` for the argument `name`, a text: for values that are known when the server starts, and not when it
    /// is compiled.
    ///
    /// ```
    /// use plainwire::prelude::*;
    ///
    /// #[data]
    /// struct Wanted {
    ///     shelf: String,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let shelves = ["garden", "sea"]; // perhaps from a file
    /// let books = Tool::new("books", |it: Wanted| async move { format!("books of {}", it.shelf) });
    /// let server = plainwire::server!("library").tool(books.choices("shelf", shelves));
    /// let client = plainwire::testing::client(server).await?;
    /// let result = client.call_tool("books", json!({ "shelf": "see" })).await?;
    /// assert!(result.is_error && result.content[0].as_text().unwrap().contains("sea"));
    /// # Ok(()) }
    /// ```
    ///
    /// A name that is no argument is reported when the server starts.
    #[must_use]
    pub fn choices(mut self, name: &str, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        match self.core.schema.with_choices(name, values.into_iter().map(Into::into).collect()) {
            Some(schema) => {
                self.entry.input_schema = schema.to_raw();
                self.core.schema = schema;
            }
            None => {
                let found = shorten(name);
                self.core.problem =
                    Some(format!("`choices`: expected the name of an argument, but found `{found}`"));
            }
        }
        self
    }

    /// Sends `schema` as the output schema instead of the one derived from the type, with its text kept as in
    /// [`Self::input_schema`]. The returned value is not checked against it.
    #[must_use]
    pub fn output_schema(mut self, schema: impl IntoSchema) -> Self {
        (self.described_output, self.output_problem) = (None, None);
        match schema.into_schema() {
            Ok(text) if text.get().starts_with('{') => self.entry.output_schema = Some(text),
            Ok(text) => {
                let found = shorten(text.get());
                self.output_problem =
                    Some(format!("expected the output schema to be an object, but found {found}"));
            }
            Err(problem) => self.output_problem = Some(problem),
        }
        self
    }

    /// Keeps descriptions, which come from doc comments, in the output schema. By default the schema has
    /// names and types only, because models read results and not their schema. Use this method for clients
    /// that generate code from schemas.
    #[must_use]
    pub fn describe_output(mut self) -> Self {
        if let Some(described) = self.described_output {
            self.entry.output_schema = described();
        }
        self
    }

    /// Checks arguments against the whole input schema before the handler runs, in addition to deserializing
    /// them.
    ///
    /// The schema is compiled once. A schema that is invalid, refers to other documents or has more than 256
    /// KiB is reported when the server starts. Arguments of more than 1 MiB are refused. Patterns run in
    /// linear time, and therefore have no look-around.
    #[cfg(feature = "validate")]
    #[must_use]
    pub fn validate(mut self) -> Self {
        self.validates = true;
        if self.core.problem.is_none()
            && let Err(problem) = self.core.schema.compile()
        {
            self.core.problem = Some(problem);
        }
        self
    }

    /// Adds a layer around the tool: see [`crate::server::layer`]. The first layer added is the outermost.
    #[must_use]
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.core.layers.push(Arc::new(layer));
        self
    }

    /// Sets what happens to a call that the client cancels. By default its future is dropped.
    #[must_use]
    pub fn on_cancel(mut self, on_cancel: OnCancel) -> Self {
        self.on_cancel = on_cancel;
        self
    }

    /// Refuses calls of clients that do not declare `capability`, before the handler runs.
    ///
    /// Without this method, the handler runs until it asks a question that needs the capability, and gets the
    /// error `unsupported` there.
    #[must_use]
    pub fn requires(mut self, capability: ClientCapability) -> Self {
        self.core.requires.push(capability);
        self
    }

    /// Sets the deadline of calls of this tool. A call that exceeds it is dropped, and the model gets an
    /// error. Time in which the call waits for an answer of the client does not count.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    fn annotate(mut self, set: impl FnOnce(&mut ToolAnnotations)) -> Self {
        set(self.entry.annotations.get_or_insert_default());
        self
    }
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool").field("entry", &self.entry).finish_non_exhaustive()
    }
}
