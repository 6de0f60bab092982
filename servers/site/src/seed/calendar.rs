//! Working hours: when the people of the company do what they do.
//!
//! In: a time, and how much work lies between. Out: a time on a weekday between eight and six, in UTC.

use jiff::civil::Date;

use super::random::Random;
use crate::time;

/// The milliseconds of a minute.
pub(super) const MINUTE: i64 = 60_000;
/// The milliseconds of an hour.
pub(super) const HOUR: i64 = 60 * MINUTE;
/// The milliseconds of a day.
pub(super) const DAY: i64 = 24 * HOUR;
/// The days of history before today.
pub(super) const HISTORY: i64 = 548;

const OPENS: i64 = 8 * HOUR;
const CLOSES: i64 = 18 * HOUR;

/// The time between the beginning of the history and today.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calendar {
    /// The beginning of the history.
    pub(super) first: i64,
    /// The beginning of today. Nothing happens after it.
    pub(super) end: i64,
}

impl Calendar {
    /// Makes the calendar of the months before a day.
    pub(super) fn before(today: Date) -> Self {
        let end = time::start_of(today);
        Self { first: end - HISTORY * DAY, end }
    }

    /// Returns the day before today (or after it, if negative), as `YYYY-MM-DD`.
    pub(super) fn day_ago(&self, days: i64) -> String {
        time::day(self.end - days * DAY).to_string()
    }

    /// Returns the last Monday that is at least `days` before today, at midnight.
    pub(super) fn monday(&self, days: i64) -> i64 {
        let day = self.end - days * DAY;
        day - weekday(day) * DAY
    }
}

/// Returns the day of the week, from 0 for Monday.
pub(super) fn weekday(time: i64) -> i64 {
    // 1970 began on a Thursday.
    (time.div_euclid(DAY) + 3).rem_euclid(7)
}

/// Returns the time itself if people work then, or the beginning of the next working day.
fn open(time: i64) -> i64 {
    let midnight = time - time.rem_euclid(DAY);
    let (day, hour) = (weekday(time), time.rem_euclid(DAY));
    if day < 5 && hour < OPENS {
        return midnight + OPENS + hour % (2 * HOUR);
    }
    if day < 5 && hour < CLOSES {
        return time;
    }
    let days = if day >= 4 { 7 - day } else { 1 };
    midnight + days * DAY + OPENS + hour % (2 * HOUR)
}

/// Returns the time after so many working hours more, with odd minutes, seconds and milliseconds.
pub(super) fn after(random: &mut Random, from: i64, hours: std::ops::RangeInclusive<i64>) -> i64 {
    let mut left = random.within(hours) * HOUR + random.within(1..=59) * MINUTE + random.within(0..=59_999);
    let mut at = open(from);
    loop {
        let today = CLOSES - at.rem_euclid(DAY);
        if left < today {
            return at + left;
        }
        left -= today;
        at = open(at + today);
    }
}

/// Returns a working time near one, not before it.
pub(super) fn soon(random: &mut Random, from: i64) -> i64 {
    after(random, from, 0..=3)
}
