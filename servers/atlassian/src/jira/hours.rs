//! Working hours, and lengths of time.
//!
//! In: two times. Out: the seconds between them, all or those in working hours, and a text for people. It knows no holidays.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use plainwire::ToolError;

/// The longest time for which working hours are counted, in days: 30 years.
const MAX_DAYS: i32 = 30 * 366;

/// The hours in which people work.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkingHours {
    start: Time,
    end: Time,
    days: Vec<Weekday>,
    zone: TimeZone,
    /// Whether a call that does not say it counts working hours only.
    pub is_usual: bool,
}

/// A part of working hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// When work begins.
    Start,
    /// When work ends.
    End,
    /// The days of work.
    Days,
    /// The time zone.
    Zone,
}

impl Default for WorkingHours {
    /// Monday to Friday, from 9 to 17 in UTC, and counted only when a call wants it: as in mcp-atlassian.
    fn default() -> Self {
        let days =
            vec![Weekday::Monday, Weekday::Tuesday, Weekday::Wednesday, Weekday::Thursday, Weekday::Friday];
        Self {
            start: Time::constant(9, 0, 0, 0),
            end: Time::constant(17, 0, 0, 0),
            days,
            zone: TimeZone::UTC,
            is_usual: false,
        }
    }
}

impl WorkingHours {
    /// Reads them: `09:00`, `17:00`, the numbers of the days from 1 for Monday, and the name of a time zone.
    ///
    /// # Errors
    /// The part that is not understood, and a sentence about it.
    pub fn read(start: &str, end: &str, days: &[u8], zone: &str) -> Result<Self, (Part, String)> {
        let time = |part: Part, text: &str| {
            let wrong = |_| (part, format!("expected a time such as 09:00, but found {text:?}"));
            Time::strptime("%H:%M", text.trim()).map_err(wrong)
        };
        let (first, last) = (time(Part::Start, start)?, time(Part::End, end)?);
        if last <= first {
            let why = format!("expected an end of work after its start {start}, but found {end:?}");
            return Err((Part::End, why));
        }
        let day = |number: &u8| {
            Weekday::from_monday_one_offset(i8::try_from(*number).unwrap_or_default())
                .map_err(|_| format!("expected a day from 1 for Monday to 7, but found {number}"))
        };
        let days: Vec<Weekday> =
            days.iter().map(day).collect::<Result<_, _>>().map_err(|why| (Part::Days, why))?;
        if days.is_empty() {
            return Err((Part::Days, "expected at least one day, but found none".to_owned()));
        }
        let zone = TimeZone::get(zone.trim()).map_err(|_| {
            (Part::Zone, format!("expected a time zone such as Europe/Berlin, but found {zone:?}"))
        })?;
        Ok(Self { start: first, end: last, days, zone, is_usual: false })
    }

    /// Returns the seconds of working hours from one time to another.
    pub fn seconds(&self, from: Timestamp, to: Timestamp) -> i64 {
        let mut date = from.to_zoned(self.zone.clone()).date();
        let last = to.to_zoned(self.zone.clone()).date();
        let mut seconds = 0;
        for _ in 0..MAX_DAYS {
            if date > last {
                break;
            }
            if self.days.contains(&date.weekday()) {
                seconds += self.of_day(date, from, to);
            }
            let Ok(next) = date.tomorrow() else { break };
            date = next;
        }
        seconds
    }

    fn of_day(&self, date: Date, from: Timestamp, to: Timestamp) -> i64 {
        let at = |time: Time| date.to_datetime(time).to_zoned(self.zone.clone()).map(|it| it.timestamp());
        let (Ok(start), Ok(end)) = (at(self.start), at(self.end)) else { return 0 };
        let (start, end) = (start.max(from), end.min(to));
        (end.as_second() - start.as_second()).max(0)
    }

    /// Returns the last moment of a day.
    pub fn end_of(&self, date: Date) -> Option<Timestamp> {
        let next = date.tomorrow().ok()?.to_datetime(Time::midnight());
        next.to_zoned(self.zone.clone()).ok().map(|it| it.timestamp())
    }

    /// Reads a day, or a time with or without an offset, as Jira takes it: `2026-11-30T09:00:00.000Z`.
    ///
    /// # Errors
    /// Another text.
    pub fn time(&self, text: &str) -> Result<String, ToolError> {
        Ok(self.moment(text)?.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string())
    }

    /// Reads a time as [`Self::time`] does, and returns the day and the minute in this time zone.
    ///
    /// # Errors
    /// Another text.
    pub fn local(&self, text: &str) -> Result<(String, String), ToolError> {
        let zoned = self.moment(text)?.to_zoned(self.zone.clone());
        Ok((zoned.strftime("%Y-%m-%d").to_string(), zoned.strftime("%H:%M").to_string()))
    }

    fn moment(&self, text: &str) -> Result<Timestamp, ToolError> {
        let text = text.trim();
        let local = || {
            let date: Option<DateTime> =
                text.parse().ok().or_else(|| Some(text.parse::<Date>().ok()?.to_datetime(Time::midnight())));
            date?.to_zoned(self.zone.clone()).ok().map(|it| it.timestamp())
        };
        text.parse().ok().or_else(|| moment(text)).or_else(local).ok_or_else(|| {
            ToolError::invalid_input(format!(
                "expected a day such as 2026-11-30 or a time such as 2026-11-30T09:00Z, but found {text:?}"
            ))
        })
    }
}

impl fmt::Display for WorkingHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days: Vec<String> =
            self.days.iter().map(|it| format!("{it:?}").chars().take(3).collect()).collect();
        let zone = self.zone.iana_name().unwrap_or("UTC");
        write!(f, "{} {}-{} {zone}", days.join(" "), self.start.strftime("%H:%M"), self.end.strftime("%H:%M"))
    }
}

/// Reads a time of Jira, such as `2026-11-27T09:30:00.000+0000`.
pub fn moment(text: &str) -> Option<Timestamp> {
    Timestamp::strptime("%Y-%m-%dT%H:%M:%S%.f%z", text).ok().or_else(|| text.parse().ok())
}

/// Returns a length of time for people: `3d 4h 5m`. A day has 24 hours; without days it has as many hours as there are.
pub fn length(seconds: i64, has_days: bool) -> String {
    let minutes = seconds.max(0) / 60;
    let (days, hours) = if has_days { (minutes / 1_440, minutes / 60 % 24) } else { (0, minutes / 60) };
    let parts = [(days, "d"), (hours, "h"), (minutes % 60, "m")];
    let shown: Vec<_> = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, unit)| format!("{number}{unit}"))
        .collect();
    if shown.is_empty() { "0m".to_owned() } else { shown.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::{WorkingHours, length, moment};

    fn berlin() -> WorkingHours {
        WorkingHours::read("09:00", "17:30", &[1, 2, 3, 4, 5], "Europe/Berlin").expect("working hours")
    }

    #[test]
    fn working_hours_leave_out_nights_weekends_and_what_is_before_and_after() {
        for (from, to, hours) in [
            // A Friday noon to the Monday after it, in winter.
            ("2026-11-27T11:00:00Z", "2026-11-30T09:00:00Z", 6.5),
            ("2026-11-28T11:00:00Z", "2026-11-29T09:00:00Z", 0.0),
            ("2026-11-27T20:00:00Z", "2026-11-27T10:00:00Z", 0.0),
            // The clocks change on 25 October: from 7 to 8 in UTC.
            ("2026-10-23T15:00:00Z", "2026-10-26T09:00:00Z", 1.5),
            ("2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z", 42.5),
        ] {
            let seconds = berlin().seconds(from.parse().expect("a time"), to.parse().expect("a time"));
            assert_eq!(seconds as f64 / 3_600.0, hours, "{from} {to}");
        }
    }

    #[test]
    fn what_is_no_time_or_no_zone_is_refused() {
        for (start, end, days, zone) in [
            ("9", "17:00", &[1_u8][..], "UTC"),
            ("09:00", "08:00", &[1], "UTC"),
            ("09:00", "17:00", &[8], "UTC"),
            ("09:00", "17:00", &[0], "UTC"),
            ("09:00", "17:00", &[1], "Mars/Olympus"),
        ] {
            assert!(WorkingHours::read(start, end, days, zone).is_err(), "{start} {end} {days:?} {zone}");
        }
        assert_eq!(berlin().to_string(), "Mon Tue Wed Thu Fri 09:00-17:30 Europe/Berlin");
    }

    #[test]
    fn a_day_and_a_time_are_what_jira_takes() {
        for (text, expected) in [
            ("2026-11-30", "2026-11-29T23:00:00.000Z"),
            ("2026-11-30T09:00", "2026-11-30T08:00:00.000Z"),
            ("2026-11-30T09:00:00Z", "2026-11-30T09:00:00.000Z"),
            ("2026-11-30T09:00:00.000+0200", "2026-11-30T07:00:00.000Z"),
        ] {
            assert_eq!(berlin().time(text).ok().as_deref(), Some(expected), "{text}");
        }
        assert!(berlin().time("tomorrow").is_err());
    }

    #[test]
    fn lengths_are_short() {
        for (seconds, has_days, expected) in [
            (0, true, "0m"),
            (59, true, "0m"),
            (90_061, true, "1d 1h 1m"),
            (90_061, false, "25h 1m"),
            (-5, true, "0m"),
        ] {
            assert_eq!(length(seconds, has_days), expected);
        }
    }

    #[test]
    fn times_of_both_deployments_are_read() {
        assert_eq!(moment("2026-11-27T09:30:00.000+0200"), "2026-11-27T07:30:00Z".parse().ok());
        assert_eq!(moment("2026-11-27T09:30:00.000Z"), "2026-11-27T09:30:00Z".parse().ok());
    }
}
