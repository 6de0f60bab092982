//! Times and dates in the forms of the API.
//!
//! In: milliseconds since 1970. Out: `2026-11-27T09:30:00.000+0000`, and back.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// Returns a time as Jira writes it, in UTC.
pub fn of(millis: i64) -> String {
    let time = Timestamp::from_millisecond(millis).unwrap_or_default();
    time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%S%.3f%z").to_string()
}

/// Returns the milliseconds of a time as Jira writes it, or in RFC 3339.
pub fn read(text: &str) -> Option<i64> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_millisecond());
    }
    // Jira writes the offset without a colon.
    let zoned = Zoned::strptime("%Y-%m-%dT%H:%M:%S%.f%z", text).map(|it| it.timestamp());
    let zoned = zoned.or_else(|_| {
        let parsed = jiff::fmt::strtime::parse("%Y-%m-%dT%H:%M:%S%.f%z", text)?;
        parsed.to_timestamp()
    });
    zoned.ok().map(Timestamp::as_millisecond)
}

/// Returns the day of a time in UTC.
pub fn day(millis: i64) -> Date {
    Timestamp::from_millisecond(millis).unwrap_or_default().to_zoned(TimeZone::UTC).date()
}

/// Returns whether a text is a day, `YYYY-MM-DD`.
pub fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<Date>().is_ok()
}

/// Returns the milliseconds of the beginning of a day in UTC.
pub fn start_of(day: Date) -> i64 {
    day.to_zoned(TimeZone::UTC).map_or(0, |it| it.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    #[test]
    fn times_are_read_as_they_are_written() {
        for text in ["2026-11-27T09:30:00.123+0000", "1999-01-01T00:00:00.000+0000"] {
            assert_eq!(super::read(text).map(super::of).as_deref(), Some(text));
        }
        assert_eq!(
            super::read("2026-11-27T09:30:00Z").map(super::of).as_deref(),
            Some("2026-11-27T09:30:00.000+0000")
        );
        assert_eq!(
            super::read("2026-11-27T09:30:00.000+0200").map(super::of).as_deref(),
            Some("2026-11-27T07:30:00.000+0000")
        );
        assert_eq!(super::read("today"), None);
    }
}
