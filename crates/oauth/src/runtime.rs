//! The only module of this crate that spawns tasks, and its source of random bytes.

use std::future::Future;

use ring::rand::{SecureRandom, SystemRandom};

/// Starts work in a task that runs to its end, even if the returned future is dropped. That future returns
/// the result; `None` if the runtime stopped the task, or if the work panicked.
#[expect(clippy::disallowed_methods, reason = "the only module of this crate that spawns tasks")]
pub(crate) fn spawn_to_completion<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> impl Future<Output = Option<T>> + Send + 'static {
    let task = tokio::spawn(work);
    async move { task.await.ok() }
}

/// Returns random bytes from the operating system. Panics if it has none: secrets made without them would be
/// predictable.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).expect("the operating system has random bytes");
    bytes
}
