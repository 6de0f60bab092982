//! The time of a site: that of the machine, or noon of a day that counts as today, from when the site was opened on.

use std::time::Instant;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::time;

/// A source of the time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    began: Instant,
    /// The time at which it began, in milliseconds.
    at: i64,
}

impl Clock {
    pub(crate) fn new(today: Option<Date>) -> Self {
        let at = match today {
            Some(day) => time::start_of(day) + 12 * 60 * 60 * 1000,
            None => Timestamp::now().as_millisecond(),
        };
        Self { began: Instant::now(), at }
    }

    /// Returns the time in milliseconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        self.at + i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX / 2)
    }
}
