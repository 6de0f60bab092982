//! Handlers: the async functions behind entries, their parameters and their return values.
//!
//! In: a call with its arguments as JSON text. Out: a future of an [`Outcome`], or a [`Rejected`] if the
//! parameters can't be made from the call; the handler has then not run. Looking up the entry is the work of
//! the catalog; polling the future is the work of the connection.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::result::Outcome;
use crate::schema::arguments::Rejected;

mod blocking;
mod blocks;
mod extract;

pub(crate) use blocking::Blocking;
pub use blocking::{BlockingHandler, Work as BlockingWork};
pub use blocks::{Pictured, WithBlocks};
pub(crate) use extract::Input;
pub use extract::{Argument, Call, FromCall, Handler, Signature, ViaArguments, ViaCall};

/// The future of one call of a handler.
pub(crate) type Running = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// A handler with its type erased: a function that starts a call and returns its future, or rejects the
/// arguments.
pub(crate) type Run = Arc<dyn Fn(&Call<'_>) -> Result<Running, Rejected> + Send + Sync>;

/// Erases the type of a handler; `finish` converts its return value into an outcome. If the handler has no
/// parameter for the arguments, a call with any argument is refused.
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
