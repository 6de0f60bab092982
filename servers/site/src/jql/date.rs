//! Dates of JQL: absolute ones, periods such as `-5d`, and the functions of time, in the time zone of the person.
//!
//! In: text. Out: a [`Moment`], or nothing if the text is no date. It reads no clock: now is the time of the work.
//!
//! Source: <https://support.atlassian.com/jira-software-cloud/docs/jql-fields/>, `…/jql-functions/`.

use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _, Zoned};
use winnow::Parser;
use winnow::ascii::{alpha0, digit1};
use winnow::combinator::{alt, eof, opt, preceded, repeat, terminated};
use winnow::error::{EmptyError, Result};
use winnow::token::{one_of, take_while};

/// The day with which weeks begin. In Jira it follows from the language of the site; this is that of American English.
const FIRST_DAY_OF_WEEK: Weekday = Weekday::Sunday;

/// A point in time, and the time that its text means as a whole: that day, hour or minute. In milliseconds; the end belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) at: i64,
    pub(super) from: i64,
    pub(super) to: i64,
}

impl Moment {
    pub(super) fn exact(at: i64) -> Self {
        Self { at, from: at, to: at }
    }
}

/// What dates depend on.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    pub(super) zone: TimeZone,
    pub(super) now: i64,
}

/// How precise a date is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Precision {
    Minute,
    Hour,
    Day,
}

/// A unit of the functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl Clock {
    /// Reads a date or a period.
    pub(super) fn read(&self, text: &str) -> Option<Moment> {
        let text = text.trim();
        if let Ok((seconds, precision)) = period.parse(text) {
            // Far more than there is time, and nothing overflows.
            let millis = (seconds * 1000.0).clamp(-1e15, 1e15) as i64;
            let at = self.now + millis;
            return self.precise(self.zoned(at)?.datetime(), precision).map(|it| Moment { at, ..it });
        }
        let (date, time) = absolute.parse(text).ok()?;
        match time {
            Some((hour, minute)) => self.precise(date.at(hour, minute, 0, 0), Precision::Minute),
            None => self.precise(date.at(0, 0, 0, 0), Precision::Day),
        }
    }

    /// Returns the day of a time, `YYYY-MM-DD`.
    pub(super) fn day_of(&self, at: i64) -> Option<String> {
        Some(self.zoned(at)?.date().to_string())
    }

    /// Returns the value of a function such as `startOfDay`, by its name in small letters. The inner error is a wrong argument.
    pub(super) fn function(
        &self,
        name: &str,
        argument: Option<&str>,
    ) -> Option<std::result::Result<i64, ()>> {
        let (is_start, unit) = match name {
            "startofday" => (true, Unit::Day),
            "startofweek" => (true, Unit::Week),
            "startofmonth" => (true, Unit::Month),
            "startofyear" => (true, Unit::Year),
            "endofday" => (false, Unit::Day),
            "endofweek" => (false, Unit::Week),
            "endofmonth" => (false, Unit::Month),
            "endofyear" => (false, Unit::Year),
            _ => return None,
        };
        Some(self.boundary(is_start, unit, argument).ok_or(()))
    }

    fn boundary(&self, is_start: bool, unit: Unit, argument: Option<&str>) -> Option<i64> {
        let (number, step) = match argument {
            Some(text) => increment.parse(text).ok()?,
            None => (0, None),
        };
        let step = step.unwrap_or(unit);
        let span = span(number, step)?;
        // `endOfMonth("-1M")` is the end of another month, `endOfMonth("+15d")` is 15 days after the end of this one.
        let now = self.zoned(self.now)?;
        let now = if step >= unit { now.checked_add(span).ok()? } else { now };
        let day = edge(now.date(), is_start, unit)?;
        let time = if is_start { day.at(0, 0, 0, 0) } else { day.at(23, 59, 59, 999_000_000) };
        let zoned = time.to_zoned(self.zone.clone()).ok()?;
        let zoned = if step >= unit { zoned } else { zoned.checked_add(span).ok()? };
        Some(zoned.timestamp().as_millisecond())
    }

    fn zoned(&self, at: i64) -> Option<Zoned> {
        Some(Timestamp::from_millisecond(at).ok()?.to_zoned(self.zone.clone()))
    }

    fn precise(&self, time: DateTime, precision: Precision) -> Option<Moment> {
        let (date, hour, minute) = (time.date(), time.hour(), time.minute());
        let (from, length) = match precision {
            Precision::Minute => (date.at(hour, minute, 0, 0), 1.minute()),
            Precision::Hour => (date.at(hour, 0, 0, 0), 1.hour()),
            Precision::Day => (date.at(0, 0, 0, 0), 1.day()),
        };
        let millis = |it: DateTime| Some(it.to_zoned(self.zone.clone()).ok()?.timestamp().as_millisecond());
        let start = millis(from)?;
        Some(Moment { at: millis(time)?, from: start, to: millis(from.checked_add(length).ok()?)? - 1 })
    }
}

/// The first or the last day of what a day lies in.
fn edge(day: Date, is_start: bool, unit: Unit) -> Option<Date> {
    match (unit, is_start) {
        (Unit::Week, true) => day.checked_sub(i64::from(day.weekday().since(FIRST_DAY_OF_WEEK)).days()).ok(),
        (Unit::Week, false) => {
            day.checked_add(i64::from(6 - day.weekday().since(FIRST_DAY_OF_WEEK)).days()).ok()
        }
        (Unit::Month, true) => Some(day.first_of_month()),
        (Unit::Month, false) => Some(day.last_of_month()),
        (Unit::Year, true) => Some(day.first_of_year()),
        (Unit::Year, false) => Some(day.last_of_year()),
        _ => Some(day),
    }
}

fn span(number: i64, unit: Unit) -> Option<Span> {
    let span = Span::new();
    match unit {
        Unit::Minute => span.try_minutes(number),
        Unit::Hour => span.try_hours(number),
        Unit::Day => span.try_days(number),
        Unit::Week => span.try_weeks(number),
        Unit::Month => span.try_months(number),
        Unit::Year => span.try_years(number),
    }
    .ok()
}

/// Reads a duration of work, such as `1h 30m`, in seconds: a day has 8 hours and a week 5 days, and a bare number is minutes.
pub(super) fn work_time(text: &str) -> Option<i64> {
    const HOURS_OF_DAY: f64 = 8.0;
    const DAYS_OF_WEEK: f64 = 5.0;
    let parts: Vec<(f64, &str)> = repeat(1.., part).parse(text.trim()).ok()?;
    let seconds = parts.iter().map(|(number, unit)| {
        let unit = unit_of_period(unit)?;
        Some(
            number
                * 60.0
                * match unit {
                    'm' => 1.0,
                    'h' => 60.0,
                    'd' => 60.0 * HOURS_OF_DAY,
                    _ => 60.0 * HOURS_OF_DAY * DAYS_OF_WEEK,
                },
        )
    });
    let seconds: f64 = seconds.sum::<Option<f64>>()?;
    Some(seconds.min(1e15) as i64)
}

/// A period, in seconds: `-5d`, `4w 2d`. The smallest of its units says how precise it is.
fn period(input: &mut &str) -> Result<(f64, Precision), EmptyError> {
    let sign = opt(one_of(['+', '-'])).parse_next(input)?;
    let parts: Vec<(f64, Precision)> = repeat(
        1..,
        part.verify_map(|(number, unit)| {
            let (seconds, precision) = match unit_of_period(unit)? {
                'm' => (60.0, Precision::Minute),
                'h' => (3_600.0, Precision::Hour),
                'd' => (86_400.0, Precision::Day),
                _ => (604_800.0, Precision::Day),
            };
            Some((number * seconds, precision))
        }),
    )
    .parse_next(input)?;
    let seconds: f64 = parts.iter().map(|(seconds, _)| seconds).sum();
    let precision = parts.iter().map(|(_, precision)| *precision).min().unwrap_or(Precision::Minute);
    Ok((if sign == Some('-') { -seconds } else { seconds }, precision))
}

/// A number and its unit, which may be missing.
fn part<'s>(input: &mut &'s str) -> Result<(f64, &'s str), EmptyError> {
    let number = alt(((digit1, opt(('.', digit1))).void(), ('.', digit1).void())).take();
    let blanks = || take_while(0.., ' ');
    let number = preceded(blanks(), number).verify_map(|it: &str| it.parse::<f64>().ok());
    terminated((number, alpha0), blanks()).parse_next(input)
}

/// The first letter of a unit: of `m`, `min`, `minutes` and so on. Months and years are none of the units of a period.
fn unit_of_period(unit: &str) -> Option<char> {
    let unit = unit.to_ascii_lowercase();
    if unit.is_empty() {
        return Some('m');
    }
    let found = ["minutes", "hours", "days", "weeks"].into_iter().find(|it| it.starts_with(&unit));
    found.and_then(|it| it.chars().next())
}

/// `yyyy-MM-dd` or `yyyy/MM/dd`, and perhaps `HH:mm`.
fn absolute(input: &mut &str) -> Result<(Date, Option<(i8, i8)>), EmptyError> {
    let year =
        take_while(4..=6, |it: char| it.is_ascii_digit()).verify_map(|it: &str| it.parse::<i16>().ok());
    let (year, separator) = (year, one_of(['-', '/'])).parse_next(input)?;
    let (month, day) = (terminated(pair, separator), pair).parse_next(input)?;
    let time = opt(preceded(take_while(1.., ' '), (terminated(pair, ':'), pair))).parse_next(input)?;
    eof.parse_next(input)?;
    let date = Date::new(year, month, day).map_err(|_| EmptyError)?;
    match time {
        Some((hour, minute)) if hour > 23 || minute > 59 => Err(EmptyError),
        _ => Ok((date, time)),
    }
}

fn pair(input: &mut &str) -> Result<i8, EmptyError> {
    take_while(1..=2, |it: char| it.is_ascii_digit()).verify_map(|it: &str| it.parse().ok()).parse_next(input)
}

/// The argument of a function of time: `-1d`, `+2w`, `3`.
fn increment(input: &mut &str) -> Result<(i64, Option<Unit>), EmptyError> {
    let sign = opt(one_of(['+', '-'])).parse_next(input)?;
    let number = digit1.verify_map(|it: &str| it.parse::<i64>().ok()).parse_next(input)?;
    let unit = opt(one_of(['y', 'M', 'w', 'd', 'h', 'm'])).parse_next(input)?.map(|it| match it {
        'y' => Unit::Year,
        'M' => Unit::Month,
        'w' => Unit::Week,
        'd' => Unit::Day,
        'h' => Unit::Hour,
        _ => Unit::Minute,
    });
    Ok((if sign == Some('-') { -number } else { number }, unit))
}
