//! Layers: code around every call, whatever it calls.
//!
//! In: a [`Request`], and [`Next`], which is everything further in. Out: a [`Response`] or a [`ToolError`]. A layer is
//! an async function of these two. It may look at the request, change its arguments, go on, and change what comes
//! back; or it answers by itself and never goes on.
//!
//! ```
//! use plainwire::layer::{Next, Request, Response};
//! use plainwire::prelude::*;
//!
//! async fn only_in_the_morning(request: Request, next: Next) -> Result<Response, ToolError> {
//!     # fn is_morning() -> bool { false }
//!     if !is_morning() {
//!         return Err(ToolError::new("closed", format!("{} is closed by now", request.name())));
//!     }
//!     next.run(request).await
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> plainwire::Result<()> {
//! let server = Server::new("bakery").layer(only_in_the_morning).tool(Tool::new("buy", || async { "a loaf" }));
//! let client = plainwire::testing::client(server).await?;
//! let result = client.call_tool("buy", serde_json::json!({})).await?;
//! assert_eq!(result.content[0].as_text(), Some("buy is closed by now"));
//! # Ok(()) }
//! ```
//!
//! [`crate::Server::layer`] puts one around every tool, resource and prompt; entries have a `layer` of their own. The
//! first one added is the outermost, and those of the server are outside of those of the entry. Layers come after
//! `requires`, and before the arguments are checked. They are not around completions, lists and subscriptions.
//!
//! A layer is guarded like a handler: its panic is an answer, and it is dropped with its call. In 2026-07-28 a call
//! that asks the client is made again with the answers, and its layers run once per round.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use plainwire_proto::model::{CallToolResult, GetPromptResult, ReadResourceResult};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;

use super::context::Context;
use super::handler::ToolError;

mod chain;
mod concurrency;
mod mask;
pub(crate) mod timeout;
mod trace;

pub(crate) use chain::Chain;
pub use concurrency::{Concurrency, concurrency};
pub use mask::{MaskErrors, mask_errors};
pub use timeout::{Timeout, timeout};
pub use trace::{Trace, trace};

/// What a layer gives in the end.
pub type LayerFuture = Pin<Box<dyn Future<Output = Result<Response, ToolError>> + Send>>;

/// Code around calls: an `async fn(Request, Next) -> Result<Response, ToolError>`, or a closure of that shape.
///
/// One layer serves many calls at once, so that what it shares is behind an `Arc`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no layer",
    label = "a layer is an `async fn(Request, Next) -> Result<Response, ToolError>`",
    note = "a closure names its parameters' types: `|request: Request, next: Next| async move {{ … }}`",
    note = "its future has to be `Send`: hold no `Rc` and no lock guard across an `.await`"
)]
pub trait Layer: Send + Sync + 'static {
    /// Answers `request`, most often by way of `next`.
    fn call(&self, request: Request, next: Next) -> LayerFuture;
}

impl<F, Fut> Layer for F
where
    F: Fn(Request, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Response, ToolError>> + Send + 'static,
{
    fn call(&self, request: Request, next: Next) -> LayerFuture {
        Box::pin(self(request, next))
    }
}

/// What a request calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `prompts/get`
    Prompt,
    /// `resources/read`, by a resource or by a template.
    Resource,
    /// `tools/call`
    Tool,
}

impl Kind {
    /// Returns the method that calls it.
    pub fn method(self) -> &'static str {
        match self {
            Self::Prompt => "prompts/get",
            Self::Resource => "resources/read",
            Self::Tool => "tools/call",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Tool => "tool",
        })
    }
}

/// A call on its way to its handler.
#[derive(Clone, Debug)]
pub struct Request {
    /// A JSON object.
    arguments: String,
    context: Context,
    kind: Kind,
    name: String,
}

impl Request {
    /// Returns what is called: a tool, a resource or a prompt.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the name of the tool or the prompt, or the URI of the resource.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the arguments, or the variables of a resource template: the text of a JSON object.
    ///
    /// Nobody has checked it yet against what the handler takes.
    pub fn arguments(&self) -> &str {
        &self.arguments
    }

    /// Reads the arguments into a type of the layer's own. What they have besides is ignored, if `T` ignores it.
    ///
    /// # Errors
    /// `invalid_input` for arguments that do not fit.
    pub fn read_arguments<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        let unfit =
            |error| ToolError::invalid_input(format!("expected the arguments to fit, but found: {error}"));
        serde_json::from_str(&self.arguments).map_err(unfit)
    }

    /// Puts other arguments in the place of those that the client sent.
    ///
    /// # Errors
    /// `failed` for a value that is no JSON object.
    pub fn replace_arguments(&mut self, arguments: &impl Serialize) -> Result<(), ToolError> {
        let json = to_raw_value(arguments)
            .map_err(|error| ToolError::displayed(format!("the arguments have no JSON: {error}")))?;
        if !json.get().starts_with('{') {
            return Err(ToolError::failed(
                "expected the arguments to be a JSON object, but found another value",
            ));
        }
        self.arguments = Box::<str>::from(json).into_string();
        Ok(())
    }

    /// Returns the call: who asks, what the client is, where the trace goes on.
    pub fn context(&self) -> &Context {
        &self.context
    }
}

/// Everything further in: the other layers, and at last the handler.
///
/// A clone can run the same request again, as a layer that tries twice does. Keys of questions and steps are used up
/// by the first run.
#[derive(Clone)]
pub struct Next {
    /// How many layers have been passed.
    at: usize,
    chain: Arc<Chain>,
}

impl Next {
    /// Goes on with `request`. Dropping the future drops the rest of the call.
    ///
    /// # Errors
    /// What the handler or a layer further in says; arguments that do not fit.
    pub async fn run(self, request: Request) -> Result<Response, ToolError> {
        match self.chain.layers.get(self.at) {
            Some(layer) => {
                let layer = Arc::clone(layer);
                layer.call(request, Self { at: self.at + 1, ..self }).await
            }
            None => self.chain.handle(&request).await,
        }
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").field("layers", &(self.chain.layers.len() - self.at)).finish_non_exhaustive()
    }
}

/// What a call gives, as it goes back through the layers.
#[derive(Clone, Debug)]
pub enum Response {
    /// For [`Kind::Prompt`].
    Prompt(GetPromptResult),
    /// For [`Kind::Resource`].
    Resource(ReadResourceResult),
    /// For [`Kind::Tool`]. A value of a handler stands in `structured_content`; its text is made when it is sent.
    Tool(CallToolResult),
}

impl Response {
    /// Returns what it answers.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Prompt(_) => Kind::Prompt,
            Self::Resource(_) => Kind::Resource,
            Self::Tool(_) => Kind::Tool,
        }
    }

    /// Returns whether it is a tool's result that says of itself that the tool failed. Handlers that return an error
    /// are [`ToolError`]s at this point.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Tool(result) if result.is_error)
    }
}

impl From<CallToolResult> for Response {
    fn from(result: CallToolResult) -> Self {
        Self::Tool(result)
    }
}

impl From<GetPromptResult> for Response {
    fn from(result: GetPromptResult) -> Self {
        Self::Prompt(result)
    }
}

impl From<ReadResourceResult> for Response {
    fn from(result: ReadResourceResult) -> Self {
        Self::Resource(result)
    }
}
