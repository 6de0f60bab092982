//! Points in time as 8 bytes, by tokio's clock, which tests may pause.
//!
//! In: durations. Out: moments that can be compared and waited for. A moment more than 584 years after the
//! start of the clock never comes.

use std::time::Duration;

use tokio::time::Instant;

/// A point in time: nanoseconds since the clock was made. `Moment::MAX` never comes.
pub(super) type Moment = u64;

/// A clock of [`Moment`]s, which begins at 0 when it is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    start: Instant,
}

impl Clock {
    pub(super) fn new() -> Self {
        Self { start: Instant::now() }
    }

    pub(super) fn now(self) -> Moment {
        nanoseconds(self.start.elapsed())
    }

    /// Returns the moment that comes `later` than now.
    pub(super) fn after(self, later: Duration) -> Moment {
        self.now().saturating_add(nanoseconds(later))
    }

    /// Converts a moment to tokio's [`Instant`]; `None` if the moment never comes.
    pub(super) fn instant(self, moment: Moment) -> Option<Instant> {
        if moment == Moment::MAX { None } else { self.start.checked_add(Duration::from_nanos(moment)) }
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
