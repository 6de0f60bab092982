//! Pauses between log lines about events that a stranger can cause as often as it likes.
//!
//! In: events. Out: whether one is to be logged now: at most one in [`PAUSE`], with the number of those that were
//! left out. So a flood of events is seen and fills no log.

use std::time::Duration;

use tokio::time::Instant;

/// Time between two log lines about the same kind of event.
const PAUSE: Duration = Duration::from_secs(10);

/// The time of the last log line about one kind of event, and the number of events since then.
#[derive(Debug, Default)]
pub(crate) struct LinePause {
    last: Option<Instant>,
    left_out: u64,
}

impl LinePause {
    /// Counts an event. Returns the number of events that were left out since the last line, if it is time for
    /// another line.
    pub(crate) fn count(&mut self) -> Option<u64> {
        let now = Instant::now();
        if self.last.is_some_and(|last| now.duration_since(last) < PAUSE) {
            self.left_out += 1;
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_line_in_ten_seconds_says_how_many_events_had_none() {
        let mut events = LinePause::default();
        assert_eq!(events.count(), Some(0));
        for _ in 0..41 {
            assert_eq!(events.count(), None);
        }
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(events.count(), Some(41));
        tokio::time::advance(PAUSE).await;
        assert_eq!(events.count(), Some(0));
    }
}
