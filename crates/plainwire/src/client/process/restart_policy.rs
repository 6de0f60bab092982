//! The restart policy: how often a server is restarted, and how long to wait before.

use std::time::Duration;

/// A policy for the restarts of a server process, or for the attempts of a host to connect again. By default
/// at most 5 in a row, 500 ms to 30 s apart.
///
/// The wait doubles each time. A server that ran for longer than the longest wait resets the count. If the
/// first start of a [`Program`](super::Program) fails, it is not repeated: its error is returned at once.
#[derive(Clone, Copy, Debug)]
#[must_use = "a policy does nothing until a program has it"]
pub struct Restart {
    first: Duration,
    longest: Duration,
    most: u32,
}

impl Default for Restart {
    fn default() -> Self {
        Self { first: Duration::from_millis(500), longest: Duration::from_secs(30), most: 5 }
    }
}

impl Restart {
    /// Sets the most restarts in a row.
    pub fn at_most(mut self, times: u32) -> Self {
        self.most = times;
        self
    }

    /// Sets the wait before the first restart, and the longest wait.
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        (self.first, self.longest) = (first, longest.max(first));
        self
    }

    /// Returns how long to wait before the next restart, after `times` restarts in a row; `None` if no
    /// restart is left.
    pub(crate) fn wait(self, times: u32) -> Option<Duration> {
        let doubled = self.first.saturating_mul(1 << times.min(16));
        (times < self.most).then_some(doubled.min(self.longest))
    }

    /// Returns whether a server that ran for this long resets the count of restarts in a row.
    pub(crate) fn is_well(self, ran: Duration) -> bool {
        ran > self.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_the_wait_up_to_the_longest_and_then_gives_up() {
        let policy = Restart::default().at_most(4).backoff(Duration::from_secs(1), Duration::from_secs(5));
        let waits: Vec<Option<u64>> = (0..6).map(|n| policy.wait(n).map(|wait| wait.as_secs())).collect();
        assert_eq!(waits, [Some(1), Some(2), Some(4), Some(5), None, None]);
        // A first wait above the longest one raises the longest one.
        let policy = policy.backoff(Duration::from_secs(8), Duration::from_secs(5));
        assert_eq!(policy.wait(0).map(|wait| wait.as_secs()), Some(8));
    }
}
