//! Detached calls, which continue after they were cancelled ([`crate::server::context::OnCancel::Detach`]),
//! and their owner.

use std::sync::{Mutex, PoisonError};

use tokio::task::AbortHandle;

/// The owner of the detached calls of one server. It is dropped when the server ends, which stops the calls.
#[derive(Debug, Default)]
pub(crate) struct Detached {
    calls: Mutex<Vec<AbortHandle>>,
}

/// Largest number of detached calls of one server: enough for a burst, and few enough that a leak is noticed.
const MAX_DETACHED: usize = 1_024;

impl Detached {
    /// Takes ownership of a call if the server has fewer than [`MAX_DETACHED`] detached calls that run.
    /// Returns whether it did.
    pub(crate) fn take(&self, call: &AbortHandle) -> bool {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|it| !it.is_finished());
        let room = calls.len() < MAX_DETACHED;
        if room {
            calls.push(call.clone());
        }
        room
    }
}

impl Drop for Detached {
    fn drop(&mut self) {
        let calls = self.calls.get_mut().unwrap_or_else(PoisonError::into_inner);
        calls.drain(..).for_each(|it| it.abort());
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::time::Duration;

    use super::*;
    use crate::runtime::spawn;

    #[tokio::test]
    async fn takes_so_many_calls_that_run_and_stops_them_when_it_goes() {
        let detached = Detached::default();
        let mut tasks: Vec<_> = (0..MAX_DETACHED).map(|_| spawn(pending::<()>())).collect();
        assert!(tasks.iter().all(|it| detached.take(&it.abort_handle())));
        let other = spawn(pending::<()>());
        assert!(!detached.take(&other.abort_handle()), "no more room");
        let first = tasks.remove(0);
        first.abort();
        assert!(first.await.is_err());
        assert!(detached.take(&other.abort_handle()), "what has ended makes room");
        drop(detached);
        for task in tasks.into_iter().chain([other]) {
            let ended = tokio::time::timeout(Duration::from_secs(30), task).await.expect("an end in time");
            assert!(ended.expect_err("stopped").is_cancelled());
        }
    }
}
