//! How often a server that died is started again, and how long to wait before.

use std::time::Duration;

/// Starts a server again when it has ended: 5 times at most, 500 ms to 30 s apart, unless told otherwise.
///
/// Each time the wait is doubled. A server that has run for longer than the longest wait counts as well, and the
/// count begins anew. The first start is not tried again: its failure is told at once.
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
    /// Sets how often it is started again in a row.
    pub fn at_most(mut self, times: u32) -> Self {
        self.most = times;
        self
    }

    /// Sets how long to wait before the first time, and how long that may get.
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        (self.first, self.longest) = (first, longest.max(first));
        self
    }

    /// Returns how long to wait before the next time, after `times` in a row; `None` if there is none.
    pub(crate) fn wait(self, times: u32) -> Option<Duration> {
        let doubled = self.first.saturating_mul(1 << times.min(16));
        (times < self.most).then_some(doubled.min(self.longest))
    }

    /// Whether a server that has run for so long is well.
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
        // Whoever wants to wait long at first does not wait less afterwards.
        let policy = policy.backoff(Duration::from_secs(8), Duration::from_secs(5));
        assert_eq!(policy.wait(0).map(|wait| wait.as_secs()), Some(8));
    }
}
