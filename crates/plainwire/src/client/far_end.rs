//! The far end of a client connection, which is shut down when the connection ends: a child process, an HTTP
//! session, or nothing for a stream that the program opened.

use std::fmt;
#[cfg(feature = "http-client")]
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(feature = "http-client")]
use super::http::Connection;
use super::process::Slot;
use crate::error::Error;

/// The transport of a client connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// HTTP requests: Streamable HTTP or HTTP+SSE. The client finds out which of them.
    Http,
    /// Stdin and stdout of a child process.
    Stdio,
    /// A stream that the program opened.
    Stream,
}

impl Transport {
    /// Returns the name of the transport: `http`, `stdio` or `stream`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Stdio => "stdio",
            Self::Stream => "stream",
        }
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The far end of a client connection: a child process, an HTTP session, or nothing. Dropping this value
/// shuts the far end down in the background.
pub(super) struct FarEnd {
    /// Whether the process is restarted when it ends. Then the connection task already adds to errors how
    /// each process ended.
    is_restarted: bool,
    /// The child process, which ends when the slot is dropped; `None` without a child process.
    process: Option<Slot>,
    /// The HTTP session, which ends when this field is dropped; `None` on other transports.
    #[cfg(feature = "http-client")]
    session: Option<Farewell>,
    pub(super) transport: Transport,
}

impl FarEnd {
    /// Returns the far end of a stream. Nothing is shut down: the stream belongs to the program.
    pub(super) fn stream() -> Self {
        Self {
            is_restarted: false,
            process: None,
            #[cfg(feature = "http-client")]
            session: None,
            transport: Transport::Stream,
        }
    }

    pub(super) fn process(slot: Slot) -> Self {
        Self { process: Some(slot), transport: Transport::Stdio, ..Self::stream() }
    }

    pub(super) fn restarted_process(slot: Slot) -> Self {
        Self { is_restarted: true, ..Self::process(slot) }
    }

    #[cfg(feature = "http-client")]
    pub(super) fn http(connection: Arc<Connection>) -> Self {
        Self {
            session: Some(Farewell(Mutex::new(Some(connection)))),
            transport: Transport::Http,
            ..Self::stream()
        }
    }

    /// Returns the error for a connection that has ended, with the exit status and the last lines on stderr
    /// of its process, if it has one.
    pub(super) async fn closed(&self, why: &str) -> Error {
        match &self.process {
            Some(slot) => Error::Closed { why: slot.explain(why).await },
            None => Error::Closed { why: why.to_owned() },
        }
    }

    /// Adds the exit status and the last lines on stderr of the process to the error of a request that was
    /// lost when the process ended. Other errors stay as they are, and so do the errors of a process that is
    /// restarted: they have this already.
    pub(super) async fn explain(&self, error: Error) -> Error {
        let Some(slot) = self.process.as_ref().filter(|_| !self.is_restarted) else { return error };
        match error {
            Error::Closed { why } => Error::Closed { why: slot.explain(&why).await },
            Error::OutcomeUnknown { what, why } => {
                Error::OutcomeUnknown { what, why: slot.explain(&why).await }
            }
            error => error,
        }
    }

    /// Returns the last lines on stderr of the process; `None` if there is no process, or if no lines are kept.
    pub(super) fn stderr(&self) -> Option<String> {
        self.process.as_ref().and_then(Slot::stderr)
    }

    /// Shuts down the far end after a failed handshake: a process gets less time to exit than in
    /// [`Self::end`].
    pub(super) async fn end_soon(self) {
        match self.process.as_ref().and_then(Slot::take) {
            Some(process) => process.end_soon().await,
            None => self.end().await,
        }
    }

    /// Shuts down the far end and waits until that is done.
    pub(super) async fn end(&self) {
        if let Some(process) = self.process.as_ref().and_then(Slot::take) {
            process.end().await;
        }
        #[cfg(feature = "http-client")]
        if let Some(connection) = self.session.as_ref().and_then(Farewell::take) {
            connection.end().await;
        }
    }
}

/// An HTTP session that ends when this value is dropped.
#[cfg(feature = "http-client")]
struct Farewell(Mutex<Option<Arc<Connection>>>);

#[cfg(feature = "http-client")]
impl Farewell {
    fn take(&self) -> Option<Arc<Connection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(feature = "http-client")]
impl Drop for Farewell {
    fn drop(&mut self) {
        if let Some(connection) = self.take() {
            super::connection::spawn_farewell(async move { connection.end().await });
        }
    }
}
