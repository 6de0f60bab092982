//! A framework for servers and clients of the Model Context Protocol.
//!
//! An async function becomes a tool; it works with all five revisions of the protocol, without a word about any of
//! them.
//!
//! ```no_run
//! use plainwire::prelude::*;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Add {
//!     /// First addend.
//!     a: f64,
//!     /// Second addend.
//!     b: f64,
//! }
//!
//! #[tokio::main]
//! async fn main() -> plainwire::Result<()> {
//!     Server::new("calculator")
//!         .tool(Tool::new("add", |it: Add| async move { it.a + it.b }).description("Adds two numbers."))
//!         .stdio()
//!         .await
//! }
//! ```
//!
//! - [`Server`] declares what there is and serves it; [`Tool`], [`Resource`], [`ResourceTemplate`] and [`Prompt`] are
//!   what it has.
//! - Handlers take a struct, a [`Context`], both or none, and return what [`IntoToolResult`], [`IntoResource`] and
//!   [`IntoPrompt`] list; [`ToolError`] says what went wrong.
//! - [`Roots`] keeps paths inside the directories that a client allows.
//! - [`ServerHandle`] changes a server while it serves, and says what has changed; [`Completing`] is what a completion
//!   completes.
//! - [`Client`] asks a server; [`testing::client`] does it inside a test.
//! - [`transport`] has streams and the [`transport::tap`] that shows every byte.
//! - [`model`] and [`proto`] are the protocol underneath.

mod asking;
mod bus;
mod catalog;
mod client;
mod context;
mod declaration;
mod driver;
mod error;
mod form;
mod handle;
mod handler;
mod log;
pub mod prelude;
mod result;
mod roots;
mod schema;
mod server;
pub mod testing;
pub mod transport;

pub use asking::{Answer, Confirm};
pub use client::{Client, ClientBuilder, Listen, Notice, Progress, Sampling};
pub use context::{Context, Principal};
pub use error::{Error, Result};
pub use handle::ServerHandle;
pub use handler::{
    Call, Completing, FromCall, Handler, IntoCompletion, Prompt, Rejected, Resource, ResourceTemplate,
    Signature, Tool, ViaArguments, ViaContext,
};
pub use plainwire_proto as proto;
pub use plainwire_proto::model;
pub use plainwire_proto::peer::Change;
pub use result::{
    Audio, Blocks, Fallible, Image, IntoPrompt, IntoResource, IntoToolResult, ToolError, Value, embed,
};
pub use roots::Roots;
pub use server::Server;
pub use {schemars, serde, serde_json, tracing};
