//! From a function's signature to a call: what it takes, what it gives.
//!
//! In: a request's arguments as JSON text. Out: a future of an [`Outcome`], or a [`Rejected`] before any of the
//! user's code ran. Which tool is meant is the catalog's business; running the future is the driver's.

pub(crate) mod arguments;
pub(crate) mod completion;
mod extract;
mod prompt;
mod resource;
pub(crate) mod template;
mod tool;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use plainwire_proto::codec::KeyedRequest;
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::{
    CallToolResult, ClientCapability, Completion, GetPromptResult, ReadResourceResult,
};

pub use completion::{Completing, IntoCompletion};
pub use extract::{Call, FromCall, Handler, Signature, ViaArguments, ViaCall};
pub use prompt::Prompt;
pub use resource::{Resource, ResourceTemplate};
pub use tool::Tool;

use crate::result::ToolError;

/// Arguments that do not fit; the text is for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected(pub String);

/// How a call ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    Completion(Completion),
    /// The protocol itself says no.
    Error(Error),
    /// The client has to be asked first.
    InputRequired {
        requests: Vec<KeyedRequest>,
        state: String,
    },
    Prompt(GetPromptResult),
    Resource(ReadResourceResult),
    Tool(CallToolResult),
    /// The client did not declare what is needed.
    Unsupported {
        capability: ClientCapability,
        /// The answer where the protocol has no error for it.
        otherwise: Box<Self>,
    },
}

impl Outcome {
    /// A failure of a tool, which is a result that the model reads.
    pub(crate) fn tool_failed(error: ToolError) -> Self {
        let capability = error.missing();
        Self::Tool(error.into_result()).unless_missing(capability)
    }

    /// An error where there is no result that could hold it.
    pub(crate) fn refused(error: &ToolError) -> Self {
        let kind =
            if error.code() == "invalid_input" { ErrorKind::InvalidParams } else { ErrorKind::Internal };
        let refused = Self::Error(Error::new(kind, error.text()).with_data(error.to_json()));
        refused.unless_missing(error.missing())
    }

    fn unless_missing(self, capability: Option<ClientCapability>) -> Self {
        match capability {
            Some(capability) => Self::Unsupported { capability, otherwise: Box::new(self) },
            None => self,
        }
    }
}

/// The work of one call.
pub(crate) type Running = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// A function behind a name.
pub(crate) type Run = Arc<dyn Fn(&Call<'_>) -> Result<Running, Rejected> + Send + Sync>;

/// Puts a handler behind a name; `finish` turns what it returns into an outcome. A handler without arguments refuses
/// any that come.
fn run<Takes, H: Handler<Takes>>(handler: H, finish: fn(H::Output) -> Outcome) -> Run {
    let takes_arguments = Signature::of::<Takes, H>().takes_arguments();
    Arc::new(move |call| {
        if !takes_arguments {
            arguments::refuse_any(call.arguments, call.schema)?;
        }
        let returned = handler.call(call)?;
        Ok(Box::pin(async move { finish(returned.await) }))
    })
}
