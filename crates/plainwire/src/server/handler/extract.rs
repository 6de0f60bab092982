//! Handlers and the extraction of their parameters from a call.
//!
//! In: a [`Call`]. Out: the parameters, or [`Rejected`]. Converting the return value is not done here.

use std::future::Future;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::schema::arguments::Rejected;
use crate::schema::{InputSchema, arguments};
use crate::server::context::{Context, ContextRef, NeededState, State};
use crate::server::principal::Principal;

/// A call, from which the parameters of its handler are extracted.
#[derive(Debug)]
pub struct Call<'c> {
    /// The arguments: the text of a JSON object.
    pub(crate) arguments: &'c str,
    pub(crate) context: ContextRef<'c>,
    /// The declared media type of the resource that is read; `None` if it has none, and for other calls.
    pub(crate) mime_type: Option<&'c str>,
    pub(crate) schema: &'c InputSchema,
    /// The `_meta.ui` of the resource that is read, if that is a page of [`crate::server::entry::apps`].
    pub(crate) ui: Option<&'c RawValue>,
    /// The URI of the resource that is read; empty for other calls.
    pub(crate) uri: &'c str,
}

impl Call<'_> {
    /// Returns the arguments as the client sent them: the text of a JSON object.
    pub fn arguments(&self) -> &str {
        self.arguments
    }

    /// Returns the context of the call.
    pub fn context(&self) -> Context {
        self.context.get()
    }

    /// Returns the server's state of type `T`, if it has one.
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<State<T>> {
        self.context.states().get()
    }
}

/// The description of a handler's parameters, made when the handler is given to an entry.
#[derive(Debug, Default)]
pub struct Signature {
    /// The schemas of the parameters that are read from the arguments; more than one is a mistake.
    pub(crate) arguments: Vec<InputSchema>,
    /// The types of the [`State`] parameters.
    pub(crate) needs: Vec<NeededState>,
}

impl Signature {
    /// Declares that the handler needs the state `T`. Declare every state that [`FromCall::from_call`] reads
    /// with [`Call::state`]: when serving begins, the server checks that it has each of these states.
    pub fn needs<T: Send + Sync + 'static>(&mut self) {
        self.needs.push(NeededState::of::<T>());
    }

    pub(crate) fn of<T, H: Handler<T>>() -> Self {
        let mut signature = Self::default();
        H::declare(&mut signature);
        signature
    }

    pub(crate) fn takes_arguments(&self) -> bool {
        !self.arguments.is_empty()
    }

    /// Combines the descriptions of the parameters into one. A mistake, such as two parameters that take the
    /// arguments, is stored in [`Input::problem`].
    pub(crate) fn input(mut self) -> Input {
        let (schema, others) = (self.arguments.pop(), self.arguments.len());
        let problem = match &schema {
            Some(_) if others > 0 => {
                Some(format!("expected one parameter that takes the arguments, but found {}", others + 1))
            }
            Some(schema) if !schema.is_object() => {
                Some("expected the arguments to be a struct with named fields".to_owned())
            }
            Some(schema) => schema.problem().map(ToOwned::to_owned),
            None => None,
        };
        let schema = schema.filter(|_| problem.is_none()).unwrap_or_else(InputSchema::empty);
        Input { needs: self.needs, problem, schema }
    }
}

/// The combined description of a handler's parameters.
pub(crate) struct Input {
    pub(crate) needs: Vec<NeededState>,
    /// The first mistake in the parameters, if there is one.
    pub(crate) problem: Option<String>,
    /// The schema of the arguments; that of an object without properties if the handler takes no arguments or
    /// there is a mistake.
    pub(crate) schema: InputSchema,
}

/// The marker, in [`FromCall`], of parameters that are read from the arguments.
#[derive(Debug)]
pub enum ViaArguments {}

/// The marker, in [`FromCall`], of parameters that are made from other parts of the call than its arguments.
#[derive(Debug)]
pub enum ViaCall {}

/// A type that an argument can have. `#[tool]` and the other attributes require it for each parameter, so
/// that compiler errors name the type.
///
/// Implemented for every type that derives `Deserialize` and `JsonSchema`; there is no need to implement it
/// yourself.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an argument",
    label = "expected a type that is read from JSON and has a schema",
    note = "write `#[data]` above `{Self}`, or derive `serde::Deserialize` and `schemars::JsonSchema` for it",
    note = "if it comes from the call and not from its arguments, write `#[extract]` before the parameter"
)]
pub trait Argument: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Argument for T {}

/// A type that can be a parameter of a handler: a struct for the arguments, or a value made from the call.
///
/// Implemented for [`Context`], [`State`], [`Principal`] and `Option<Principal>`. You can add a type of your
/// own as below. In a function with `#[tool]`, give its parameter the attribute `#[extract]`:
///
/// ```
/// use plainwire::prelude::*;
/// use plainwire::handler::{Call, FromCall, Rejected, Signature, ViaCall};
///
/// struct ClientName(String);
///
/// impl FromCall<ViaCall> for ClientName {
///     fn declare(_: &mut Signature) {}
///
///     fn from_call(call: &Call<'_>) -> Result<Self, Rejected> {
///         let client = call.context().client();
///         Ok(Self(client.info.as_ref().map_or("somebody", |info| &info.name).to_owned()))
///     }
/// }
///
/// /// Returns a greeting.
/// #[tool]
/// async fn greet(#[extract] client: ClientName) -> String {
///     format!("Hello, {}!", client.0)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter of a handler",
    label = "a parameter is a struct for the arguments, `Context`, `State<T>` or `Principal`",
    note = "for arguments, derive `serde::Deserialize` and `schemars::JsonSchema` for `{Self}`",
    note = "for anything else, implement `plainwire::handler::FromCall<plainwire::handler::ViaCall>` for `{Self}`"
)]
pub trait FromCall<Via>: Sized {
    /// Adds the states or arguments that the parameter needs to the description of its handler.
    fn declare(signature: &mut Signature);

    /// Makes the parameter from a call.
    ///
    /// # Errors
    /// [`Rejected`] for arguments that do not match, and for calls that are not allowed.
    fn from_call(call: &Call<'_>) -> Result<Self, Rejected>;
}

impl FromCall<ViaCall> for Context {
    fn declare(_: &mut Signature) {}

    fn from_call(call: &Call<'_>) -> Result<Self, Rejected> {
        Ok(call.context())
    }
}

impl<T: Send + Sync + 'static> FromCall<ViaCall> for State<T> {
    fn declare(signature: &mut Signature) {
        signature.needs::<T>();
    }

    fn from_call(call: &Call<'_>) -> Result<Self, Rejected> {
        Ok(call.state().expect("the server checked at its start that it has the states of all handlers"))
    }
}

impl FromCall<ViaCall> for Principal {
    fn declare(_: &mut Signature) {}

    fn from_call(call: &Call<'_>) -> Result<Self, Rejected> {
        let nobody = || Rejected("expected a client that has proved who it is, but found none".to_owned());
        call.context().principal().cloned().ok_or_else(nobody)
    }
}

impl FromCall<ViaCall> for Option<Principal> {
    fn declare(_: &mut Signature) {}

    fn from_call(call: &Call<'_>) -> Result<Self, Rejected> {
        Ok(call.context().principal().cloned())
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

/// An async function or closure that handles calls.
///
/// It takes up to eight parameters in any order: at most one struct for the arguments, and any other types
/// that implement [`FromCall`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler",
    label = "a handler is an `async fn`, or a closure that returns a future",
    note = "its parameters are a struct with `Deserialize` and `JsonSchema`, `Context`, `State<T>`, `Principal`, or none",
    note = "its future has to be `Send`: hold no `Rc` and no lock guard across an `.await`"
)]
pub trait Handler<Takes>: Send + Sync + 'static {
    /// The return type of the function.
    type Output: 'static;
    /// The future that the function returns.
    type Future: Future<Output = Self::Output> + Send + 'static;

    /// Adds a description of the parameters to `signature`.
    fn declare(signature: &mut Signature);

    /// Makes the parameters from `call`, calls the function with them, and returns its future unpolled.
    ///
    /// # Errors
    /// [`Rejected`] if a parameter can't be made, for example because the arguments do not match.
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
handler!(A ViaA, B ViaB, C ViaC);
handler!(A ViaA, B ViaB, C ViaC, D ViaD);
handler!(A ViaA, B ViaB, C ViaC, D ViaD, E ViaE);
handler!(A ViaA, B ViaB, C ViaC, D ViaD, E ViaE, G ViaG);
handler!(A ViaA, B ViaB, C ViaC, D ViaD, E ViaE, G ViaG, H ViaH);
handler!(A ViaA, B ViaB, C ViaC, D ViaD, E ViaE, G ViaG, H ViaH, I ViaI);
