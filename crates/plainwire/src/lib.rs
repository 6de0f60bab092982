//! A framework for servers and clients of the Model Context Protocol.
//!
//! An async function becomes a tool; it works with all five revisions of the protocol, without a word about any of
//! them.
//!
//! ```no_run
//! use plainwire::prelude::*;
//!
//! /// Adds two numbers and returns the sum.
//! #[tool(read_only)]
//! async fn add(a: f64, b: f64) -> f64 {
//!     a + b
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<()> {
//!     plainwire::server!("calculator").tool(add).stdio().await
//! }
//! ```
//!
//! - [`Server`] declares what there is and serves it; [`Tool`], [`Resource`], [`ResourceTemplate`] and [`Prompt`] are
//!   what it has.
//! - [`macros`] explains `#[tool]`, `#[resource]`, `#[prompt]` and `#[server]`, which call these builders.
//! - [`Entries`] are added together: those of a file, or the methods of a type.
//! - With an attribute, the parameters of a function are its arguments; without one, they stand in a struct. Beside them
//!   it takes a [`Context`], [`State`] and what else [`FromCall`] lists.
//! - It returns what [`IntoToolResult`], [`IntoResource`] and [`IntoPrompt`] list; [`ToolError`] says what went wrong.
//! - [`layer`] puts code around calls; [`OnCancel`] says what becomes of a cancelled one; [`blocking()`] does what
//!   blocks off the async threads.
//! - [`Roots`] keeps paths inside the directories that a client allows.
//! - [`ServerHandle`] changes a server while it serves, and says what has changed; [`Completing`] is what a completion
//!   completes.
//! - [`apps`] shows results on pages, in hosts that can; [`WithMeta`] puts data beside a result.
//! - [`Client`] asks a server; [`testing::client`] does it inside a test; a [`host::Host`] has many servers. [`config`] reads the files in which clients keep
//!   their servers; [`process`] starts a server as a child of a client, and leaves nothing of it.
//! - [`schema`] makes JSON Schemas of types lean, and fits them to clients.
//! - [`transport`] has streams and the [`transport::tap`] that shows every byte.
//! - [`model`] and [`proto`] are the protocol underneath.

pub mod apps;
mod asking;
#[cfg(feature = "oauth")]
pub mod auth;
mod bus;
mod catalog;
mod client;
pub mod config;
mod context;
mod declaration;
mod driver;
mod entries;
mod entry;
mod error;
mod form;
mod handle;
mod handler;
pub mod host;
pub mod layer;
mod log;
pub mod macros;
mod meta;
pub mod prelude;
pub mod process;
mod random;
mod result;
mod roots;
pub mod schema;
mod server;
mod state;
#[cfg(feature = "http")]
pub mod store;
pub mod testing;
pub mod transport;

pub use asking::{Answer, Confirm};
pub use client::{
    Client, ClientBuilder, Eras, Listen, Notice, Page, Pages, Progress, Sampling, Stage, Step, Target, Trace,
};
pub use context::{Context, Principal, TraceContext};
pub use driver::blocking;
pub use entries::{Entries, Provider};
pub use entry::{Described, IntoEntry, Tagged, ViaEntry};
pub use error::{Error, Result};
pub use handle::ServerHandle;
pub use handler::{
    Argument, BlockingHandler, BlockingWork, Call, Completing, FromCall, Handler, IntoCompletion, OnCancel,
    Prompt, Rejected, Resource, ResourceTemplate, Signature, Tool, ViaArguments, ViaCall,
};
pub use meta::{Beside, WithMeta};
pub use plainwire_macros::{data, prompt, resource, tool};
pub use plainwire_proto as proto;
pub use plainwire_proto::model;
pub use plainwire_proto::peer::Change;
pub use result::{
    Audio, Blocks, Fallible, Image, IntoPrompt, IntoResource, IntoToolResult, ToolError, Value, embed,
};
pub use roots::Roots;
pub use server::Server;
pub use state::State;
pub use {schemars, serde, serde_json, tracing};

/// Begins a [`Server`] with the version of the program: `plainwire::server!("calculator")`.
///
/// Without a name it is the name of the package.
#[macro_export]
macro_rules! server {
    () => {
        $crate::server!(env!("CARGO_PKG_NAME"))
    };
    ($name:expr) => {
        $crate::Server::new($name).version(env!("CARGO_PKG_VERSION"))
    };
}

/// Returns the pattern that it is given, where the feature `pattern` checks patterns; without it, it does not compile.
/// `#[pattern("…")]` says this.
#[cfg(feature = "pattern")]
#[macro_export]
macro_rules! pattern {
    ($pattern:literal) => {
        $pattern
    };
}

/// Does not compile: patterns are checked by the feature `pattern`.
#[cfg(not(feature = "pattern"))]
#[macro_export]
macro_rules! pattern {
    ($pattern:literal) => {
        compile_error!(
            "expected the feature `pattern`, which checks patterns: write `features = [\"pattern\"]` into the entry of \
             `plainwire` in Cargo.toml"
        )
    };
}
