//! The Model Context Protocol as pure functions and one state machine.
//!
//! Covers all five published revisions of the protocol, for clients and servers: the legacy era (sessions
//! that begin with `initialize`) and the modern era (2026-07-28, without sessions). Received bytes and the
//! current time come in as arguments; bytes to send and events go out. This crate does no I/O, reads no
//! clock, draws no randomness, spawns no tasks and contains no tools.
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
//! - [`revision`]: the five revisions and the table of their features.
//! - [`frame`]: splits a stream of bytes into frames: lines of limited length, one for each message or batch.
//! - [`envelope`]: parses messages, and writes the JSON around their parameters and results.
//! - [`peer`]: the state machine, one side of a connection.
//! - [`model`]: values in the shape of the newest revision; [`codec`]: writes those values in the shape of
//!   each revision.
//! - [`form`]: form schemas of elicitations, and the check of a user's answer against them.
//! - [`error`]: kinds of errors, and their codes in each revision.
//! - [`cursor`]: cursors of paged lists; [`seal`]: the `requestState` of requests, encrypted; [`base64`]:
//!   bytes as text.
//! - [`http`]: finds the era of an HTTP request and checks its headers; [`sse`]: writes and reads event
//!   streams.
//! - [`json`]: reads and writes JSON text without building trees.
//! - [`testing`]: two connected peers on a simulated clock.

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
