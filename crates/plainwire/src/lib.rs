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

#[cfg(feature = "oauth")]
pub mod auth;
mod client;
mod error;
mod log;
pub mod macros;
pub mod prelude;
mod runtime;
pub mod schema;
mod server;
mod stream;
pub mod testing;

pub use client::{
    Client, ClientBuilder, Eras, Listen, Notice, Page, Pages, Progress, Sampling, Stage, Step, Target, Trace,
    config, host, process,
};
pub use error::{Error, Result};
pub use plainwire_macros::{data, prompt, resource, tool};
pub use plainwire_proto as proto;
pub use plainwire_proto::model;
pub use plainwire_proto::peer::Change;
pub use runtime::blocking;
pub use schemars;
pub use serde;
pub use serde_json;
pub use server::asking::{Answer, Confirm};
pub use server::catalog::ServerHandle;
pub use server::context::{Context, Principal, TraceContext};
pub use server::entry::{
    Beside, Completing, Described, Entries, IntoCompletion, IntoEntry, Prompt, Provider, Resource,
    ResourceTemplate, Tagged, Tool, ViaEntry, WithMeta, apps,
};
pub use server::handler::{
    Argument, Audio, BlockingHandler, BlockingWork, Blocks, Call, Fallible, FromCall, Handler, Image,
    IntoPrompt, IntoResource, IntoToolResult, OnCancel, Rejected, Signature, State, ToolError, Value,
    ViaArguments, ViaCall, embed,
};
pub use server::roots::Roots;
#[cfg(feature = "http")]
pub use server::store;
pub use server::{Server, layer};
pub use tracing;

/// Streams, and what carries them: stdio, memory, HTTP.
pub mod transport {
    #[cfg(feature = "http-client")]
    pub use crate::client::http as http_client;
    #[cfg(feature = "http")]
    pub use crate::server::http;
    pub use crate::stream::*;
}

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
