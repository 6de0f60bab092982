//! Clients of HTTP: Streamable HTTP of both eras, and HTTP+SSE where a server speaks nothing else.
//!
//! In: frames that the peer wants sent. Out: frames that servers answer with, and what became of requests that have no
//! answer. Each frame is a POST of its own, sent by one future; what frames mean is the peer's business, who runs the
//! futures is the driver's.

mod arrived;
mod authorize;
mod connection;
mod http_sse;
mod inbound;
mod listening;
mod outbound;
mod remote;
mod response;
mod session;
mod tools;

pub(crate) use arrived::Arrived;
pub use authorize::{Authorize, Authorizing, Outgoing, Refused, Url};
pub(crate) use connection::Connection;
pub(crate) use inbound::Inbound;
pub(crate) use outbound::Outbound;
pub use remote::Remote;
#[cfg(feature = "oauth")]
pub(crate) use remote::shown;
