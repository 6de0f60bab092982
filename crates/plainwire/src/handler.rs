//! The traits and types of handlers: what they take, what they return, and what happens to a cancelled call.
//!
//! - A parameter is made from the call: [`FromCall`] lists what can be one, [`Signature`] is what a handler declares of itself.
//! - [`IntoToolResult`], [`IntoResource`] and [`IntoPrompt`] list what handlers return; [`WithMeta`] adds `_meta` to it.
//! - [`Confirm`] and [`Answer`] are what a user answers to [`crate::Context::elicit`].
//! - [`blocking()`] runs blocking work off the async threads, [`BlockingHandler`] is a handler that does nothing else.
//! - [`IntoEntry`], [`Described`] and [`Tagged`] are how a function with an attribute describes itself; [`Provider`] is what
//!   `#[server]` implements.

pub use crate::runtime::blocking;
pub use crate::schema::arguments::Rejected;
pub use crate::server::asking::{Answer, Confirm};
pub use crate::server::context::{OnCancel, TraceContext};
pub use crate::server::entry::{
    Beside, Completing, Described, IntoCompletion, IntoEntry, Provider, Tagged, ViaEntry, WithMeta,
};
pub use crate::server::handler::{
    Argument, BlockingHandler, BlockingWork, Call, FromCall, Handler, Signature, ViaArguments, ViaCall,
};
pub use crate::server::result::{
    Audio, Blocks, Fallible, Image, IntoPrompt, IntoResource, IntoToolResult, Structured, embed,
};
