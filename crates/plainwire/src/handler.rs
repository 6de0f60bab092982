//! The traits and types of handlers: what they take, what they return, and what happens to a cancelled call.
//!
//! - A parameter is made from the call: [`FromCall`] lists the types that a parameter can have; [`Signature`]
//!   is what a handler declares about itself.
//! - [`IntoToolResult`], [`IntoResource`] and [`IntoPrompt`] list the types that handlers can return;
//!   [`WithMeta`] adds `_meta` to a returned value; [`IntoToolError`] converts what a handler fails with.
//! - [`Confirm`] and [`Answer`] are the answers of a user to [`crate::Context::elicit`].
//! - [`blocking()`] runs blocking work off the async threads, [`BlockingHandler`] is a handler that consists
//!   of blocking work only.
//! - [`Mounted`] is a server that another one mounts. [`Subscriptions`] are the resources that clients are
//!   subscribed to.
//! - [`IntoEntry`], [`Described`] and [`Tagged`] are how a function with an attribute describes its entry;
//!   [`Provider`] is the trait that `#[server]` implements.

pub use crate::json::Json;
pub use crate::runtime::blocking;
pub use crate::schema::arguments::Rejected;
pub use crate::server::asking::{Answer, Confirm};
pub use crate::server::context::OnCancel;
pub use crate::server::entry::{
    AnyResource, Beside, Completing, Described, IntoCompletion, IntoEntry, Provider, Tagged, ViaEntry,
    WithMeta,
};
pub use crate::server::handler::{
    Argument, BlockingHandler, BlockingWork, Call, FromCall, Handler, Pictured, Signature, ViaArguments,
    ViaCall, WithBlocks,
};
pub use crate::server::result::{
    Audio, Blocks, Fallible, HandlerError, Image, IntoPrompt, IntoResource, IntoToolError, IntoToolResult,
    Structured, embed,
};
pub use crate::server::{Mounted, Subscriptions};
pub use crate::trace_context::TraceContext;
