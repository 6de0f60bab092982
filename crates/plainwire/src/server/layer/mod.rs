//! Layers: code that runs around every call, whatever its entry.
//!
//! In: a [`Request`], and [`Next`], which runs the inner layers and the handler. Out: a [`Response`] or a
//! [`ToolError`]. A layer is an async function of these two parameters. It can inspect the request, change
//! its arguments, run `next`, and change the response; or it can answer without running `next`. A layer does
//! not see frames.
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
//! let result = client.call_tool("buy", json!({})).await?;
//! assert_eq!(result.content[0].as_text(), Some("buy is closed by now"));
//! # Ok(()) }
//! ```
//!
//! [`crate::Server::layer`] adds a layer around every tool, resource and prompt; tools, resources, templates
//! and prompts also have a `layer` method of their own. The first layer added is the outermost, and the
//! layers of the server are outside of those of the entry. Layers run after `requires`, and before the
//! arguments are checked. They do not run around completions, lists and subscriptions.
//!
//! A layer is guarded like a handler: a panic becomes an error, and the layer is dropped with its call. In
//! 2026-07-28 a call that asks the client questions is sent again with the answers, and its layers run once
//! per round.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::to_raw_value;

use super::context::Context;
use super::result::ToolError;
use crate::schema::arguments;

mod chain;
mod concurrency;
mod mask;
mod own_name;
pub(crate) mod timeout;
mod trace;

pub use super::result::{Kind, Response};
pub(crate) use chain::Chain;
pub use concurrency::{Concurrency, concurrency};
pub use mask::{MaskErrors, mask_errors};
pub(crate) use own_name::OwnName;
pub use timeout::{Timeout, timeout};
pub use trace::{Trace, trace};

/// The future of one run of a layer.
pub type LayerFuture = Pin<Box<dyn Future<Output = Result<Response, ToolError>> + Send>>;

/// Code around calls: an `async fn(Request, Next) -> Result<Response, ToolError>`, or a closure of that
/// shape.
///
/// One layer handles many calls at once, so put its shared state behind an `Arc`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a layer",
    label = "a layer is an `async fn(Request, Next) -> Result<Response, ToolError>`",
    note = "a closure names its parameters' types: `|request: Request, next: Next| async move {{ … }}`",
    note = "its future has to be `Send`: hold no `Rc` and no lock guard across an `.await`"
)]
pub trait Layer: Send + Sync + 'static {
    /// Answers `request`, usually by running `next`.
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

/// A call, as it passes through the layers to its handler.
#[derive(Clone, Debug)]
pub struct Request {
    /// The arguments, or the variables of a resource template: the text of a JSON object.
    arguments: String,
    context: Context,
    kind: Kind,
    name: String,
}

impl Request {
    /// Returns the kind of entry that is called: a tool, a resource or a prompt.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the name of the tool or prompt, or the URI of the resource.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the arguments, or the variables of a resource template: the text of a JSON object.
    ///
    /// They have not been checked yet against the parameters of the handler.
    pub fn arguments(&self) -> &str {
        &self.arguments
    }

    /// Deserializes the arguments into a type of the layer. Unknown members are ignored, if `T` ignores them.
    ///
    /// # Errors
    /// `invalid_input` for arguments that do not match.
    pub fn read_arguments<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        let tree: Value = serde_json::from_str(&self.arguments).unwrap_or_default();
        arguments::typed(&tree).map_err(|misfit| ToolError::invalid_input(misfit.of_arguments()))
    }

    /// Replaces the arguments that the client sent.
    ///
    /// # Errors
    /// `failed` for a value that is not a JSON object.
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

    /// Returns the context of the call, which has its principal, client and trace.
    pub fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn context_mut(&mut self) -> &mut Context {
        &mut self.context
    }
}

/// The rest of the chain: the inner layers, and finally the handler.
///
/// A clone can run a request again, for example to retry. A question or step in the second run needs another
/// key than those of the first run.
#[derive(Clone)]
pub struct Next {
    /// The index of the layer that runs next, in the layers of the chain. The handler runs if no layer has
    /// this index.
    at: usize,
    chain: Arc<Chain>,
}

impl Next {
    /// Runs the inner layers and the handler with `request`. Dropping the future drops the rest of the call.
    ///
    /// # Errors
    /// The error of the handler or of an inner layer; also `invalid_input` for arguments that do not match.
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
