//! From a function's signature to a call: what it takes, what it gives.
//!
//! In: a request's arguments as JSON text. Out: a future of an [`Outcome`], or a [`Rejected`] before any of the
//! user's code ran. Which tool is meant is the catalog's business; running the future is the driver's.

pub(crate) mod arguments;
mod blocking;
pub(crate) mod completion;
mod extract;
mod on_cancel;
mod outcome;
mod prompt;
mod resource;
pub(crate) mod template;
mod tool;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub use blocking::{BlockingHandler, Work as BlockingWork};
pub use completion::{Completing, IntoCompletion};
pub use extract::{Argument, Call, FromCall, Handler, Signature, ViaArguments, ViaCall};
pub use on_cancel::OnCancel;
pub(crate) use outcome::{Failing, Outcome, Refusal};
pub use prompt::Prompt;
pub use resource::{Resource, ResourceTemplate};
pub use tool::Tool;

/// Arguments that do not fit; the text is for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected(pub String);

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
