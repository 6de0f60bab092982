//! Threads: those for reads, which block, and the one that writes.
//!
//! In: closures. Out: what they return. No other file of the crate starts anything.

use std::thread::JoinHandle;

use tokio::task::JoinError;

/// Runs work that blocks on a thread of its own.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    tokio::task::spawn_blocking(work).await
}

/// Starts a thread that runs until `work` returns.
///
/// # Errors
/// No thread can be started.
pub(crate) fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work)
}
