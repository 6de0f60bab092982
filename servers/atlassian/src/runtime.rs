//! Threads for work that blocks, such as a file of undo handles.
//!
//! In: a closure. Out: what it returns. No other file of the crate starts anything.

use tokio::task::JoinError;

/// Runs work that blocks on a thread of its own.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    tokio::task::spawn_blocking(work).await
}
