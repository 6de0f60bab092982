//! The schedule of attempts to connect to a server of a host again.
//!
//! In: attempts, and how long connections have lasted. Out: the pause before the next attempt. This module
//! makes no attempt: the caller that needs the server begins it.

use std::time::Duration;

use crate::client::process::Restart;

/// The count of attempts in a row to connect to one server again, and the policy that limits them.
#[derive(Debug)]
pub(super) struct Retry {
    /// The limit of attempts and the pauses; `None` for a server that the host never connects to again.
    policy: Option<Restart>,
    /// The number of attempts in a row to connect again.
    times: u32,
}

impl Retry {
    pub(super) fn new(policy: Option<Restart>) -> Self {
        Self { policy, times: 0 }
    }

    /// Returns the pause before the next attempt to connect again, which is zero before the first in a row.
    /// `None` if no attempt is left.
    pub(super) fn pause(&self) -> Option<Duration> {
        let policy = self.policy?;
        let pause = policy.wait(self.times)?;
        match self.times {
            0 => Some(Duration::ZERO),
            times => policy.wait(times - 1).or(Some(pause)),
        }
    }

    /// Counts an attempt to connect again, which has just begun.
    pub(super) fn begun(&mut self) {
        self.times = self.times.saturating_add(1);
    }

    /// Resets the count if a connection that has ended lasted longer than the longest pause. `lived` is the
    /// time that it lasted.
    pub(super) fn lived(&mut self, lived: Duration) {
        if self.policy.is_some_and(|policy| policy.is_well(lived)) {
            self.times = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_longer_each_time_and_gives_up() {
        let policy = Restart::default().at_most(4).backoff(Duration::from_secs(1), Duration::from_secs(3));
        let mut retry = Retry::new(Some(policy));
        let mut pauses = Vec::new();
        for _ in 0..5 {
            pauses.push(retry.pause().map(|it| it.as_secs()));
            retry.begun();
        }
        assert_eq!(pauses, [Some(0), Some(1), Some(2), Some(3), None]);
        retry.lived(Duration::from_secs(3));
        assert_eq!(retry.pause(), None, "a short life is none");
        retry.lived(Duration::from_secs(4));
        assert_eq!(retry.pause(), Some(Duration::ZERO));
        assert_eq!(Retry::new(None).pause(), None);
    }
}
