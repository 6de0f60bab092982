//! The Model Context Protocol as pure functions and one state machine.
//!
//! All five published revisions, both roles, both eras. Bytes and the time come in as arguments; bytes and events
//! go out. This crate does no I/O, reads no clock, draws no randomness, runs no tasks and knows no tools.
//!
//! ```
//! use std::sync::Arc;
//! use plainwire_proto::model::{Capabilities, Implementation};
//! use plainwire_proto::peer::{Now, Peer, ServerConfig};
//!
//! let info = Implementation::new("demo", "1.0");
//! let mut server = Peer::server(Arc::new(ServerConfig::new(info, Capabilities::default())));
//! server.handle_frame(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Now::default());
//! let answer = server.poll_transmit().expect("an answer");
//! assert_eq!(answer.bytes, br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
//! ```
//!
//! - [`revision`]: the five revisions and the table of what each has.
//! - [`frame`]: bytes to lines, with a limit.
//! - [`envelope`]: one pass over a message, and writing it back.
//! - [`peer`]: one side of a connection.
//! - [`model`]: values in the newest shape; [`codec`]: those values as each revision wants them.
//! - [`form`]: what a server asks a user to fill in, and whether the answer fits.
//! - [`error`]: what goes wrong, and its code in each revision.
//! - [`cursor`]: sealed positions in lists; [`seal`]: sealed state of requests; [`base64`]: bytes as text.
//! - [`http`]: eras and headers of HTTP requests; [`sse`]: streams of events, written and read.
//! - [`json`]: JSON text without trees.
//! - [`testing`]: two peers joined, on a clock of their own.

pub mod base64;
pub mod codec;
pub mod cursor;
pub mod envelope;
pub mod error;
pub mod form;
pub mod frame;
pub mod http;
pub mod json;
pub mod model;
pub mod peer;
pub mod revision;
pub mod seal;
pub mod sse;
pub mod testing;
