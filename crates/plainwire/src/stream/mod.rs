//! Byte streams that connections run over: standard input and output, memory, and pairs of a reader and a
//! writer that a program makes.
//!
//! A [`Stream`] is a reader and a writer. `plainwire_proto::frame` splits the bytes into frames, and
//! `plainwire_proto::peer` processes the messages.

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

/// One end of a byte connection: a reader and a writer.
pub struct Stream {
    pub(crate) reader: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Stream {
    /// Joins a reader and a writer to one connection.
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
