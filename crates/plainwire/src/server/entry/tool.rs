//! Tools: functions that a model may call.

use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use plainwire_proto::model::{self, ClientCapability, Icon, RawJson, ToolAnnotations};

use super::attribute::IntoEntry;
use crate::schema::{self, InputSchema, IntoSchema};
use crate::server::handler::{
    Blocking, BlockingHandler, Handler, Input, IntoToolResult, Needed, OnCancel, Outcome, Run, Signature, run,
};
use crate::server::layer::Layer;

/// A tool: a name, a description, and the function behind it.
///
/// ```
/// use plainwire::prelude::*;
///
/// #[derive(Deserialize, JsonSchema)]
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
    pub(crate) at: &'static Location<'static>,
    /// Gives the schema of what is returned, with all descriptions; `None` if there is one by hand.
    described_output: Option<fn() -> Option<RawJson>>,
    pub(crate) entry: model::Tool,
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    pub(crate) on_cancel: OnCancel,
    pub(crate) needs: Vec<Needed>,
    pub(crate) output_problem: Option<String>,
    pub(crate) problem: Option<String>,
    pub(crate) requires: Vec<ClientCapability>,
    pub(crate) run: Run,
    pub(crate) schema: InputSchema,
    pub(crate) timeout: Option<Duration>,
    #[cfg(feature = "validate")]
    validates: bool,
}

impl Tool {
    /// Makes the tool `name` of an async function or closure.
    ///
    /// Name: 1 to 128 of `A-Z a-z 0-9 _ . -`. Schemas come from the types. What is wrong with the name or the types
    /// is reported when the server starts, with this line.
    #[track_caller]
    pub fn new<Takes, Gives, H>(name: impl Into<String>, handler: H) -> Self
    where
        H: Handler<Takes>,
        H::Output: IntoToolResult<Gives>,
    {
        let Input { needs, problem, schema } = Signature::of::<Takes, H>().input();
        let run = run(handler, |returned| Outcome::of(returned.into_tool_result()));
        let entry = model::Tool {
            annotations: None,
            description: None,
            icons: Vec::new(),
            input_schema: schema.to_raw(),
            meta: None,
            name: name.into(),
            output_schema: H::Output::output_schema().as_ref().map(schema::undescribed),
            title: None,
        };
        Self {
            at: Location::caller(),
            described_output: Some(H::Output::output_schema),
            entry,
            layers: Vec::new(),
            needs,
            on_cancel: OnCancel::default(),
            output_problem: None,
            problem,
            requires: Vec::new(),
            run,
            schema,
            timeout: None,
            #[cfg(feature = "validate")]
            validates: false,
        }
    }

    /// Returns the tool that `#[tool]` makes of `function`, to change what the attribute says.
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

    /// Makes the tool `name` of a plain function or closure, which runs off the async threads and may take its time.
    ///
    /// A function can't be stopped. When its call is cancelled it runs on, as by [`OnCancel::Finish`]; it may look at
    /// [`crate::Context::is_cancelled`] and return. For a part of an async handler there is [`crate::blocking()`].
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

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Says what the tool accepts, returns and is for. Models read this on every turn.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.entry.description = Some(description.into());
        self
    }

    /// Gives the tool a name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.entry.title = Some(title.into());
        self
    }

    /// Adds a picture.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.entry.icons.push(icon);
        self
    }

    /// Says that the tool changes nothing.
    #[must_use]
    pub fn read_only(self) -> Self {
        self.annotate(|hints| hints.read_only_hint = Some(true))
    }

    /// Says that the tool adds to what is there and destroys nothing. Without this clients assume the worst.
    #[must_use]
    pub fn additive(self) -> Self {
        self.annotate(|hints| hints.destructive_hint = Some(false))
    }

    /// Says that the tool may destroy something.
    #[must_use]
    pub fn destructive(self) -> Self {
        self.annotate(|hints| hints.destructive_hint = Some(true))
    }

    /// Says that calling the tool again changes nothing more.
    #[must_use]
    pub fn idempotent(self) -> Self {
        self.annotate(|hints| hints.idempotent_hint = Some(true))
    }

    /// Says that the tool deals with things that anybody may change, such as the web.
    #[must_use]
    pub fn open_world(self) -> Self {
        self.annotate(|hints| hints.open_world_hint = Some(true))
    }

    /// Says that the tool deals with nothing outside a closed set of things.
    #[must_use]
    pub fn closed_world(self) -> Self {
        self.annotate(|hints| hints.open_world_hint = Some(false))
    }

    /// Sends `schema` instead of the one from the types, to the letter. Its root has to be an object's.
    ///
    /// Text keeps the order of its keys and all that it says; only white space between tokens goes. Arguments are still
    /// read into the handler's type; take a `serde_json::Map<String, Value>` to see all of them. What a derived schema
    /// can say is checked; for the rest of JSON Schema there is `Tool::validate`, behind the feature `validate`.
    #[must_use]
    pub fn input_schema(mut self, schema: impl IntoSchema) -> Self {
        match schema.into_schema() {
            Ok(text) => {
                self.schema = InputSchema::by_hand(text);
                self.problem = self.schema.problem().map(ToOwned::to_owned);
                self.entry.input_schema = self.schema.to_raw();
            }
            Err(problem) => self.problem = Some(problem),
        }
        #[cfg(feature = "validate")]
        if self.validates {
            return self.validate();
        }
        self
    }

    /// Sends `schema` for the structured content instead of the one from the type, to the letter, as with
    /// [`Self::input_schema`]. What the handler returns is not checked against it.
    #[must_use]
    pub fn output_schema(mut self, schema: impl IntoSchema) -> Self {
        (self.described_output, self.output_problem) = (None, None);
        match schema.into_schema() {
            Ok(text) => self.entry.output_schema = Some(text),
            Err(problem) => self.output_problem = Some(problem),
        }
        self
    }

    /// Keeps the descriptions in the output schema, which come from doc comments. Without this it has names and types only:
    /// models read results, not their schema. For clients that write programs by it.
    #[must_use]
    pub fn describe_output(mut self) -> Self {
        if let Some(described) = self.described_output {
            self.entry.output_schema = described();
        }
        self
    }

    /// Checks arguments against all of the input schema before the handler runs, whatever its type makes of them.
    ///
    /// The schema is compiled once: one that is wrong, refers to other documents or has more than 256 KiB is an error of the
    /// declaration. Arguments of more than 1 MiB are refused. Patterns take linear time, so that look-around does not exist.
    #[cfg(feature = "validate")]
    #[must_use]
    pub fn validate(mut self) -> Self {
        self.validates = true;
        if self.problem.is_none()
            && let Err(problem) = self.schema.compile()
        {
            self.problem = Some(problem);
        }
        self
    }

    /// Puts a layer around the tool: see [`crate::server::layer`]. The first one added is the outermost.
    #[must_use]
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.layers.push(Arc::new(layer));
        self
    }

    /// Says what becomes of a call that the client cancels. It is dropped by default.
    #[must_use]
    pub fn on_cancel(mut self, on_cancel: OnCancel) -> Self {
        self.on_cancel = on_cancel;
        self
    }

    /// Refuses clients that can't be asked for `capability`, before any work is done.
    ///
    /// Without this the handler runs until it asks.
    #[must_use]
    pub fn requires(mut self, capability: ClientCapability) -> Self {
        self.requires.push(capability);
        self
    }

    /// Ends a call that takes longer: the model is told so, the work is dropped. Time in which the call waits for an
    /// answer of the client does not count.
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
