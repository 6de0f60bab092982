//! From a function's signature to a call: what it takes, what it gives.
//!
//! In: a request's arguments as JSON text. Out: a future of an [`Outcome`], or a [`Rejected`] before any of the
//! user's code ran. Which tool is meant is the catalog's business; running the future is the driver's.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

mod blocking;
mod extract;
mod on_cancel;
mod outcome;
mod result;
mod state;

pub(crate) use blocking::Blocking;
pub use blocking::{BlockingHandler, Work as BlockingWork};
pub(crate) use extract::Input;
pub use extract::{Argument, Call, FromCall, Handler, Signature, ViaArguments, ViaCall};
pub use on_cancel::OnCancel;
pub(crate) use outcome::{Failing, Outcome, Refusal};
pub use result::{
    Audio, Blocks, Fallible, Image, IntoPrompt, IntoResource, IntoToolResult, ToolError, Value, embed,
};
pub use state::State;
pub(crate) use state::{Needed, States};

/// Arguments that do not fit; the text is for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected(pub String);

/// The work of one call.
pub(crate) type Running = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// A function behind a name.
pub(crate) type Run = Arc<dyn Fn(&Call<'_>) -> Result<Running, Rejected> + Send + Sync>;

/// Puts a handler behind a name; `finish` turns what it returns into an outcome. A handler without arguments refuses
/// any that come.
pub(crate) fn run<Takes, H: Handler<Takes>>(handler: H, finish: fn(H::Output) -> Outcome) -> Run {
    let takes_arguments = Signature::of::<Takes, H>().takes_arguments();
    Arc::new(move |call| {
        if !takes_arguments {
            crate::schema::arguments::refuse_any(call.arguments, call.schema)?;
        }
        let returned = handler.call(call)?;
        Ok(Box::pin(async move { finish(returned.await) }))
    })
}
