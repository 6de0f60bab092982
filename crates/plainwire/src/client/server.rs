//! The server at the other end, as far as it is ours to end.

#[cfg(feature = "http-client")]
use std::sync::Arc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::error::Error;
use crate::transport::child::Process;
#[cfg(feature = "http-client")]
use crate::transport::http_client::Connection;

/// What is left to do when a connection ends. Dropped, it does it without anybody who waits.
pub(super) enum Server {
    /// Somebody else's.
    Elsewhere,
    Process(Mutex<Option<Process>>),
    #[cfg(feature = "http-client")]
    Remote(Farewell),
}

impl Server {
    pub(super) fn process(process: Process) -> Self {
        Self::Process(Mutex::new(Some(process)))
    }

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

    /// The error for a connection that has ended, with how the process did: its output ends a moment before it does.
    pub(super) async fn closed(&self, why: &str) -> Error {
        if let Self::Process(process) = self {
            for _ in 0..20 {
                let ended =
                    process.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(Process::ended);
                match ended {
                    Some(Some(status)) => return Error::Closed { why: format!("{why} ({status})") },
                    Some(None) => tokio::time::sleep(Duration::from_millis(10)).await,
                    None => break,
                }
            }
        }
        Error::Closed { why: why.to_owned() }
    }

    /// Sees the server off.
    pub(super) async fn end(self) {
        match self {
            Self::Elsewhere => {}
            Self::Process(process) => {
                if let Some(process) = process.into_inner().unwrap_or_else(PoisonError::into_inner) {
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
            crate::driver::client::spawn_farewell(async move { connection.end().await });
        }
    }
}
