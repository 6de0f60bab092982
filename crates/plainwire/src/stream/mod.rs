//! Ways for bytes to come in and go out.
//!
//! A transport is a reader and a writer; framing is `plainwire_proto::frame`'s business, messages are the peer's.

use tokio::io::{AsyncRead, AsyncWrite};

pub mod memory;
pub(crate) mod stdio;
pub mod tap;
mod wire;

pub use memory::pair;
pub use tap::{Direction, Tap};
#[cfg(feature = "http")]
pub(crate) use wire::BACKLOG;
pub(crate) use wire::Wire;

/// A connection: something to read from and something to write to.
pub struct Stream {
    pub(crate) reader: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Stream {
    /// Makes a connection of two halves.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self { reader: Box::new(reader), writer: Box::new(writer) }
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stream")
    }
}
