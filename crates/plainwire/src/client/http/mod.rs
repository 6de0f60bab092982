//! HTTP clients: Streamable HTTP of both eras, and HTTP+SSE where a server speaks nothing else.
//!
//! In: frames that the peer wants sent. Out: frames that servers answer with, and errors of requests that
//! have no answer. Each frame is a POST of its own, sent by one future. The connection task runs these
//! futures, and the peer interprets the frames.

pub mod address_guard;
mod authorize;
mod connection;
mod http_sse;
mod inbound;
mod incoming;
mod listening;
mod outbound;
mod remote;
mod response;
mod retry;
mod session;

pub use crate::error::AuthFault;
pub use authorize::{Authorize, Authorizing, Outgoing, Refused, Url};
pub(crate) use connection::Connection;
pub(crate) use inbound::Inbound;
pub(crate) use incoming::Arrived;
pub(crate) use outbound::Outbound;
pub use remote::{Remote, shown};
