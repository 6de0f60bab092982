//! Blocking handlers: plain functions, run off the async threads.
//!
//! In: a function and its parameters. Out: a [`Handler`] whose future waits for the function. A function
//! can't be stopped, so it continues when its call is cancelled.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::{Call, FromCall, Handler, Signature};
use crate::schema::arguments::Rejected;

/// A plain function or closure that handles calls of a tool and may block.
///
/// Its parameters are those of a [`Handler`]. It can't ask the client questions, since that needs an
/// `.await`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a blocking handler",
    label = "a blocking handler is a plain `fn`, or a closure that returns a value and not a future",
    note = "its parameters are a struct with `Deserialize` and `JsonSchema`, `Context`, `State<T>`, `Principal`, or none",
    note = "parameters and result go to another thread: they have to be `Send`"
)]
pub trait BlockingHandler<Takes>: Send + Sync + 'static {
    /// The return type of the function.
    type Output: Send + 'static;

    /// Adds a description of the parameters to `signature`.
    fn declare(signature: &mut Signature);

    /// Makes the parameters from `call`. The function is not called yet.
    ///
    /// # Errors
    /// [`Rejected`] if a parameter can't be made, for example because the arguments do not match.
    fn prepare(self: Arc<Self>, call: &Call<'_>) -> Result<Work<Self::Output>, Rejected>;
}

/// A function with its parameters, ready to be called once.
pub type Work<T> = Box<dyn FnOnce() -> T + Send>;

macro_rules! blocking_handler {
    ($($parameter:ident $via:ident),*) => {
        impl<F, T, $($parameter, $via),*> BlockingHandler<($(($parameter, $via),)*)> for F
        where
            F: Fn($($parameter),*) -> T + Send + Sync + 'static,
            T: Send + 'static,
            $($parameter: FromCall<$via> + Send + 'static),*
        {
            type Output = T;

            fn declare(signature: &mut Signature) {
                $($parameter::declare(signature);)*
                let _ = signature;
            }

            #[allow(non_snake_case, reason = "a parameter is called like its type; the first of these has none")]
            fn prepare(self: Arc<Self>, call: &Call<'_>) -> Result<Work<T>, Rejected> {
                let _ = call;
                $(let $parameter = $parameter::from_call(call)?;)*
                Ok(Box::new(move || self($($parameter),*)))
            }
        }
    };
}

blocking_handler!();
blocking_handler!(A ViaA);
blocking_handler!(A ViaA, B ViaB);
blocking_handler!(A ViaA, B ViaB, C ViaC);
blocking_handler!(A ViaA, B ViaB, C ViaC, D ViaD);
blocking_handler!(A ViaA, B ViaB, C ViaC, D ViaD, E ViaE);
blocking_handler!(A ViaA, B ViaB, C ViaC, D ViaD, E ViaE, G ViaG);
blocking_handler!(A ViaA, B ViaB, C ViaC, D ViaD, E ViaE, G ViaG, H ViaH);
blocking_handler!(A ViaA, B ViaB, C ViaC, D ViaD, E ViaE, G ViaG, H ViaH, I ViaI);

/// An adapter from a blocking handler to a [`Handler`], which runs the function on another thread and waits
/// for it.
pub(crate) struct Blocking<F>(pub(crate) Arc<F>);

impl<Takes, F: BlockingHandler<Takes>> Handler<Takes> for Blocking<F> {
    type Output = F::Output;
    type Future = Pin<Box<dyn Future<Output = F::Output> + Send>>;

    fn declare(signature: &mut Signature) {
        F::declare(signature);
    }

    fn call(&self, call: &Call<'_>) -> Result<Self::Future, Rejected> {
        let work = Arc::clone(&self.0).prepare(call)?;
        Ok(Box::pin(crate::runtime::blocking(work)))
    }
}
