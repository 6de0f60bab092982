//! A framework for servers and clients of the Model Context Protocol.
//!
//! An async function becomes a tool. The tool works with all five revisions of the protocol, without code for
//! any of them.
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
//! The server half:
//!
//! - [`Server`] declares [`Tool`]s, [`Resource`]s, [`ResourceTemplate`]s and [`Prompt`]s and serves them;
//!   [`Entries`] are several of these, added in one call; a [`ServerHandle`] changes a server while it
//!   serves.
//! - [`macros`] explains `#[tool]`, `#[resource]`, `#[prompt]` and `#[server]`, which call these builders.
//! - [`handler`] has the traits behind parameters and results of handlers, blocking work and completions.
//! - [`Context`] gives a handler access to its call: progress, log, cancellation, questions to the client.
//!   [`State`] is data that handlers share; [`Roots`] keep paths inside the directories that a client allows.
//! - [`layer`] runs code around calls, [`apps`] shows results as pages in hosts that support this, and
//!   [`schema`] makes JSON Schemas short.
//! - `http` serves over HTTP (feature `http`), with sessions in a `store`.
//!
//! The client half:
//!
//! - [`Client`] sends requests to a server; [`client`] has its builder and the targets that it can connect
//!   to: commands, URLs, configuration files, and many servers as one host.
//!
//! Both halves:
//!
//! - [`testing`] connects a client to a server inside a test.
//! - [`stream`] has connections in memory, and the tap, which shows every frame.
//! - [`model`] and [`proto`] have the types and rules of the protocol.

// Files that unit tests share with `tests/` use this crate by its name, and so does code of `#[data]`.
#[cfg(any(test, feature = "outputs"))]
extern crate self as plainwire;

pub mod client;
mod error;
pub mod handler;
mod in_process;
mod json;
pub mod kind;
mod log;
pub mod macros;
pub mod prelude;
mod run;
mod runtime;
pub mod schema;
mod server;
pub mod stream;
pub mod testing;
mod tool_failure;
mod trace_context;
#[cfg(not(feature = "http"))]
mod without_http;

pub use client::Client;
pub use error::{Error, Result};
pub use plainwire_macros::{ToolError, data, prompt, resource, tool};
pub use plainwire_proto as proto;
pub use plainwire_proto::model;
pub use server::Principal;
pub use server::Server;
pub use server::audit;
pub use server::catalog::ServerHandle;
pub use server::context::{Context, State};
pub use server::entry::{Entries, Prompt, Resource, ResourceTemplate, Tool, apps};
#[cfg(feature = "http")]
pub use server::http;
pub use server::layer;
#[cfg(feature = "outputs")]
pub use server::outputs;
pub use server::presentation;
pub use server::result::ToolError;
pub use server::roots::Roots;
#[cfg(feature = "http")]
pub use server::store;
pub use {schemars, serde, serde_json, tracing};

/// Begins a [`Server`] with the version of the program: `plainwire::server!("calculator")`.
///
/// Without an argument, the server gets the name of the package.
#[macro_export]
macro_rules! server {
    () => {
        $crate::server!(env!("CARGO_PKG_NAME"))
    };
    ($name:expr) => {
        $crate::Server::new($name).version(env!("CARGO_PKG_VERSION"))
    };
}

/// Returns its argument, a regular expression. `#[pattern("…")]` expands to this macro. Without the feature
/// `pattern`, which checks patterns, the macro does not compile.
#[cfg(feature = "pattern")]
#[macro_export]
macro_rules! pattern {
    ($pattern:literal) => {
        $pattern
    };
}

/// Does not compile, because only the feature `pattern` checks patterns. `#[pattern("…")]` expands to this
/// macro.
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
