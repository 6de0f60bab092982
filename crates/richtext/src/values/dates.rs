//! Conversion of calendar days to milliseconds since the start of 1970, and back.
//!
//! In: `2020-01-02`, or milliseconds. Out: the other form. All in UTC; times of day are not handled.

/// The number of milliseconds in a day.
const DAY: i64 = 86_400_000;

/// Returns the start of the day that contains `stamp`. Argument and result are milliseconds since 1970, in
/// UTC.
pub(crate) fn midnight(stamp: i64) -> i64 {
    stamp.div_euclid(DAY) * DAY
}

/// Parses a day such as `2020-01-02`. Returns its start in milliseconds since 1970, in UTC; `None` if there
/// is no such day.
pub(crate) fn of_day(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, '-');
    let mut part = |width: usize| {
        let it = parts.next()?;
        (it.len() == width && it.bytes().all(|it| it.is_ascii_digit())).then(|| it.parse::<i64>().ok())?
    };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let stamp = days(year, month, day) * DAY;
    (shown(stamp).as_deref() == Some(text)).then_some(stamp)
}

/// Returns the day that contains `stamp` (milliseconds since 1970, in UTC) as `2020-01-02`; `None` if its
/// year is not within 0 to 9999.
pub(crate) fn shown(stamp: i64) -> Option<String> {
    // The calendar repeats after 400 years, which are 146 097 days. Years are counted from March, so that the
    // leap day is last.
    let day = stamp.div_euclid(DAY).checked_add(719_468)?;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    (0..=9999).contains(&year).then(|| format!("{year:04}-{month:02}-{date:02}"))
}

/// Returns the number of days from 1970-01-01 to the given day; negative for an earlier day.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_come_back() {
        for (date, at) in
            [("1970-01-01", 0), ("2017-11-23", 1_511_395_200_000), ("2020-02-29", 1_582_934_400_000)]
        {
            assert_eq!(of_day(date), Some(at));
            assert_eq!(shown(at).as_deref(), Some(date));
        }
        for other in ["2020-1-2", "2021-02-29", "2020-01-02T10:00", "x", "", "2020-01-02-03"] {
            assert_eq!(of_day(other), None, "{other}");
        }
        assert_eq!(shown(1).as_deref(), Some("1970-01-01"), "a time of day is left out");
        assert_eq!(shown(-1).as_deref(), Some("1969-12-31"));
        assert_eq!(midnight(-1), -DAY);
        assert_eq!(shown(i64::MAX), None, "a year of more than four digits");
    }
}
