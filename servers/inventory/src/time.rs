//! Times in UTC, to the second, and days.
//!
//! In: ISO 8601 texts. Out: texts of one form, `2026-11-27T09:30:00Z`, which sort as the times do; so the file has them as texts.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use plainwire::schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The years that dates may have.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2199;

/// A point in time, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(Timestamp);

/// A day, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(Date);

impl Time {
    /// Returns the time now.
    pub fn now() -> Self {
        Self(Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default())
    }

    /// Returns the day, in UTC.
    pub fn day(self) -> Day {
        Day(self.0.to_zoned(TimeZone::UTC).date())
    }
}

impl Day {
    /// Returns the day of a number: 0 is 1970-01-01.
    pub fn plus(self, days: i64) -> Self {
        Self(self.0.saturating_add(days.days()))
    }

    /// Returns the number of days from this day to another one.
    pub fn days_until(self, other: Self) -> i64 {
        self.0.until(other.0).map_or(0, |it| it.get_days().into())
    }

    /// Returns a time of this day.
    pub fn at(self, hour: i8, minute: i8, second: i8) -> Time {
        let time = self.0.at(hour, minute, second, 0).to_zoned(TimeZone::UTC);
        Time(time.map_or(Timestamp::UNIX_EPOCH, |it| it.timestamp()))
    }

    /// Returns the first second of the day.
    pub fn start(self) -> Time {
        self.at(0, 0, 0)
    }

    /// Returns the last second of the day.
    pub fn end(self) -> Time {
        self.at(23, 59, 59)
    }

    /// Returns the ISO week, such as `2026-W01`.
    pub fn week(self) -> String {
        let week = self.0.iso_week_date();
        format!("{:04}-W{:02}", week.year(), week.week())
    }

    /// Returns the month, such as `2026-01`.
    pub fn month(self) -> String {
        format!("{:04}-{:02}", self.0.year(), self.0.month())
    }
}

fn in_years(date: Date, text: &str) -> Result<Date, String> {
    match YEARS.contains(&date.year()) {
        true => Ok(date),
        false => {
            Err(format!("expected a year from {} to {}, but found {text:?}", YEARS.start(), YEARS.end()))
        }
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_date = text.len() == 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
        match text.parse::<Date>() {
            Ok(date) if is_date => in_years(date, text).map(Self),
            _ => Err(format!("expected a date such as 2026-02-28, but found {:?}", shown(text))),
        }
    }
}

impl FromStr for Time {
    type Err = String;

    /// Reads a date, whose first second is meant, or a time with its time zone.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(day) = text.parse::<Day>() {
            return Ok(day.start());
        }
        if text.len() <= 10 {
            return text.parse::<Day>().map(Day::start);
        }
        let Ok(time) = text.parse::<Timestamp>() else {
            let example = "expected a date, or a time with its zone such as 2026-02-28T09:30:00Z";
            return Err(format!("{example}, but found {:?}", shown(text)));
        };
        let time = Self(Timestamp::from_second(time.as_second()).unwrap_or_default());
        in_years(time.day().0, text).map(|_| time)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0}", self.0)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The traits of a type that is a text in JSON and in the file.
macro_rules! as_text {
    ($type:ty, $schema:tt) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        }

        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }

        impl ToSql for $type {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(ToSqlOutput::from(self.to_string()))
            }
        }

        impl FromSql for $type {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_str()?.parse().map_err(|_| FromSqlError::InvalidType)
            }
        }
    };
}

as_text!(Time, { "type": "string" });
as_text!(Day, { "type": "string" });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_of_one_form_r5_6() {
        let shown = |text: &str| text.parse::<Time>().map(|it| it.to_string());
        assert_eq!(shown("2026-02-28"), Ok("2026-02-28T00:00:00Z".to_owned()));
        assert_eq!(shown("2026-02-28T09:30:00.75+02:00"), Ok("2026-02-28T07:30:00Z".to_owned()));
        for wrong in ["2026-02-30", "2026-2-3", "yesterday", "2026-02-28T09:30:00", "0000-01-01", "", "ä"] {
            assert!(shown(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_week_belongs_to_the_year_of_its_thursday_r5_19() {
        let week = |text: &str| text.parse::<Day>().map(Day::week);
        assert_eq!(week("2024-12-30"), Ok("2025-W01".to_owned()));
        assert_eq!(week("2027-01-03"), Ok("2026-W53".to_owned()));
        assert_eq!("2026-01-31".parse::<Day>().map(|it| it.plus(1).to_string()), Ok("2026-02-01".to_owned()));
    }
}
