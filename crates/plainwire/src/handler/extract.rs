//! What a handler's parameters are filled in from.

use std::future::Future;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{Rejected, arguments};
use crate::context::{Context, ContextSource};
use crate::schema::InputSchema;

/// One call, as the parameters of a handler see it.
#[derive(Debug)]
pub struct Call<'c> {
    /// A JSON object.
    pub(crate) arguments: &'c str,
    pub(crate) context: &'c ContextSource<'c>,
    /// What the resource that is read is declared as.
    pub(crate) mime_type: Option<&'c str>,
    pub(crate) schema: &'c InputSchema,
    /// The resource that is read; empty for anything else.
    pub(crate) uri: &'c str,
}

/// What a handler says of itself before it is ever called.
#[derive(Debug, Default)]
pub struct Signature {
    pub(crate) arguments: Vec<InputSchema>,
}

impl Signature {
    pub(crate) fn of<T, H: Handler<T>>() -> Self {
        let mut signature = Self::default();
        H::declare(&mut signature);
        signature
    }

    pub(crate) fn takes_arguments(&self) -> bool {
        !self.arguments.is_empty()
    }

    /// The schema of the one parameter that takes arguments, or of none at all; and what is wrong with it.
    pub(crate) fn input(mut self) -> (InputSchema, Option<String>) {
        let (schema, others) = (self.arguments.pop(), self.arguments.len());
        let problem = match &schema {
            Some(_) if others > 0 => {
                Some(format!("expected one parameter that takes the arguments, but found {}", others + 1))
            }
            Some(schema) if !schema.is_object() => {
                Some("expected the arguments to be a struct with named fields".to_owned())
            }
            _ => None,
        };
        (schema.filter(|_| problem.is_none()).unwrap_or_else(InputSchema::empty), problem)
    }
}

/// Marks parameters that are filled in from the arguments.
#[derive(Debug)]
pub enum ViaArguments {}

/// Marks the parameter that is the call's [`Context`].
#[derive(Debug)]
pub enum ViaContext {}

/// What can be a parameter of a handler: a struct for the arguments, or [`Context`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter of a handler",
    label = "a parameter is a struct for the arguments, or `plainwire::Context`",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` for `{Self}`"
)]
pub trait FromCall<Via>: Sized {
    /// Adds what the parameter takes to the handler's description.
    fn declare(signature: &mut Signature);

    /// Makes the parameter.
    ///
    /// # Errors
    /// [`Rejected`] for arguments that do not fit.
    fn from_call(call: &Call<'_>) -> Result<Self, Rejected>;
}

impl FromCall<ViaContext> for Context {
    fn declare(_: &mut Signature) {}

    fn from_call(call: &Call<'_>) -> Result<Self, Rejected> {
        Ok(call.context.get())
    }
}

impl<T: DeserializeOwned + JsonSchema> FromCall<ViaArguments> for T {
    fn declare(signature: &mut Signature) {
        signature.arguments.push(InputSchema::of::<Self>());
    }

    fn from_call(call: &Call<'_>) -> Result<Self, Rejected> {
        arguments::read(call.arguments, call.schema)
    }
}

/// An async function or closure that answers calls.
///
/// Its parameters are at most one struct for the arguments and a [`Context`], in any order.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no handler",
    label = "a handler is an `async fn`, or a closure that returns a future",
    note = "its parameters are a struct with `Deserialize` and `JsonSchema`, `plainwire::Context`, both or none",
    note = "its future has to be `Send`: hold no `Rc` and no lock guard across an `.await`"
)]
pub trait Handler<Takes>: Send + Sync + 'static {
    /// What the function returns.
    type Output: 'static;
    /// The future of it.
    type Future: Future<Output = Self::Output> + Send + 'static;

    /// Describes the parameters.
    fn declare(signature: &mut Signature);

    /// Makes the parameters and calls the function. The future has not run yet.
    ///
    /// # Errors
    /// [`Rejected`] for arguments that do not fit.
    fn call(&self, call: &Call<'_>) -> Result<Self::Future, Rejected>;
}

macro_rules! handler {
    ($($parameter:ident $via:ident),*) => {
        impl<F, Fut, $($parameter, $via),*> Handler<($(($parameter, $via),)*)> for F
        where
            F: Fn($($parameter),*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output: 'static> + Send + 'static,
            $($parameter: FromCall<$via>),*
        {
            type Output = Fut::Output;
            type Future = Fut;

            fn declare(signature: &mut Signature) {
                $($parameter::declare(signature);)*
                let _ = signature;
            }

            fn call(&self, call: &Call<'_>) -> Result<Fut, Rejected> {
                let _ = call;
                Ok(self($($parameter::from_call(call)?),*))
            }
        }
    };
}

handler!();
handler!(A ViaA);
handler!(A ViaA, B ViaB);
