//! From a function's signature to a call: what it takes, what it gives.
//!
//! In: a request's arguments as JSON text. Out: a future of an [`Outcome`], or a [`Rejected`] before any of the
//! user's code ran. Which tool is meant is the catalog's business; running the future is the driver's.

mod arguments;
mod extract;
mod prompt;
mod resource;
pub(crate) mod template;
mod tool;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use plainwire_proto::error::Error;
use plainwire_proto::model::{CallToolResult, GetPromptResult, ReadResourceResult};

pub use extract::{Call, FromCall, Handler, Signature, ViaArguments, ViaContext};
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
    /// The protocol itself says no.
    Error(Error),
    Prompt(GetPromptResult),
    Resource(ReadResourceResult),
    Tool(CallToolResult),
}

impl Outcome {
    /// An error where there is no result that could hold it.
    pub(crate) fn refused(error: &ToolError) -> Self {
        use plainwire_proto::error::ErrorKind;
        let kind =
            if error.code() == "invalid_input" { ErrorKind::InvalidParams } else { ErrorKind::Internal };
        Self::Error(Error::new(kind, error.text()).with_data(error.to_json()))
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
