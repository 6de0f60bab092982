//! The server at the other end, as far as it is ours to end.

#[cfg(feature = "http-client")]
use std::sync::Arc;

#[cfg(feature = "http-client")]
use super::http::Connection;
use super::process::Slot;
use crate::error::Error;

/// What is left to do when a connection ends. Dropped, it does it without anybody who waits.
pub(super) enum Server {
    /// Somebody else's.
    Elsewhere,
    Process(Slot),
    /// A process that is started again. Whoever does that tells how each of them ended.
    Revived(Slot),
    #[cfg(feature = "http-client")]
    Remote(Farewell),
}

impl Server {
    #[cfg(feature = "http-client")]
    pub(super) fn remote(connection: Arc<Connection>) -> Self {
        Self::Remote(Farewell(Some(connection)))
    }

    /// Whether each request is one of HTTP.
    pub(super) fn is_remote(&self) -> bool {
        #[cfg(feature = "http-client")]
        return matches!(self, Self::Remote(_));
        #[cfg(not(feature = "http-client"))]
        false
    }

    /// What carries the messages, in a word.
    pub(super) fn transport(&self) -> &'static str {
        match self {
            Self::Elsewhere => "stream",
            Self::Process(_) | Self::Revived(_) => "stdio",
            #[cfg(feature = "http-client")]
            Self::Remote(_) => "http",
        }
    }

    /// The error for a connection that has ended, with how the process did.
    pub(super) async fn closed(&self, why: &str) -> Error {
        match self {
            Self::Process(slot) | Self::Revived(slot) => Error::Closed { why: slot.explain(why).await },
            _ => Error::Closed { why: why.to_owned() },
        }
    }

    /// Adds to the error of a request how the process ended, if it was lost with it.
    pub(super) async fn explain(&self, error: Error) -> Error {
        let Self::Process(slot) = self else { return error };
        match error {
            Error::Closed { why } => Error::Closed { why: slot.explain(&why).await },
            Error::OutcomeUnknown { what, why } => {
                Error::OutcomeUnknown { what, why: slot.explain(&why).await }
            }
            error => error,
        }
    }

    /// Sees off a server that nobody could talk to.
    pub(super) async fn end_soon(self) {
        match self {
            Self::Process(slot) | Self::Revived(slot) => {
                if let Some(process) = slot.take() {
                    process.end_soon().await;
                }
            }
            other => other.end().await,
        }
    }

    /// Sees the server off.
    pub(super) async fn end(self) {
        match self {
            Self::Elsewhere => {}
            Self::Process(slot) | Self::Revived(slot) => {
                if let Some(process) = slot.take() {
                    process.end().await;
                }
            }
            #[cfg(feature = "http-client")]
            Self::Remote(mut farewell) => {
                if let Some(connection) = farewell.0.take() {
                    connection.end().await;
                }
            }
        }
    }
}

/// Ends the session of a connection.
#[cfg(feature = "http-client")]
pub(super) struct Farewell(Option<Arc<Connection>>);

#[cfg(feature = "http-client")]
impl Drop for Farewell {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            super::connection::spawn_farewell(async move { connection.end().await });
        }
    }
}
