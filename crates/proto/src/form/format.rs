//! The formats of text fields in a form, and the check of each, written by hand.
//!
//! In: text. Out: whether the text has a given format. Addresses are not looked up, and leap seconds are not
//! compared with the published list.

/// The format of a text field. A format that is not listed here is ignored when a schema names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `2026-07-28`, as in RFC 3339.
    Date,
    /// `2026-07-28T12:00:00Z`, as in RFC 3339.
    DateTime,
    /// An email address: one `@` with text on both sides, without white space.
    Email,
    /// A URI: a scheme, a colon and more text, without white space.
    Uri,
}

impl Format {
    pub(super) const ALL: [Self; 4] = [Self::Date, Self::DateTime, Self::Email, Self::Uri];

    /// Returns the value that the keyword `format` has for this format, such as `date-time`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Email => "email",
            Self::Uri => "uri",
        }
    }

    /// Returns a description for error messages, such as `a date such as 2026-07-28`.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Date => "a date such as 2026-07-28",
            Self::DateTime => "a date and time such as 2026-07-28T12:00:00Z",
            Self::Email => "an email address",
            Self::Uri => "a URI with a scheme",
        }
    }

    /// Returns whether `text` has this format.
    pub fn fits(self, text: &str) -> bool {
        match self {
            Self::Date => is_date(text),
            Self::DateTime => is_date_time(text),
            Self::Email => is_email(text),
            Self::Uri => is_uri(text),
        }
    }
}

fn is_date(text: &str) -> bool {
    let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else { return false };
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let Some((date, rest)) = text.split_once(['T', 't']) else { return false };
    let Some(at) = rest.find(['Z', 'z', '+', '-']) else { return false };
    let (time, zone) = rest.split_at(at);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let fraction_fits = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    let zone_fits =
        zone.eq_ignore_ascii_case("z") || zone.get(1..).is_some_and(|offset| is_clock(offset, &[23, 59]));
    // The second 60 is a leap second.
    is_date(date) && is_clock(time, &[23, 59, 60]) && fraction_fits && zone_fits
}

/// Returns whether `text` has as many numbers as `most`, separated by colons, each of two digits and not
/// above the number in `most` at the same position.
fn is_clock(text: &str, most: &[u32]) -> bool {
    let parts: Vec<_> = text.split(':').collect();
    parts.len() == most.len()
        && parts.iter().zip(most).all(|(part, most)| digits(part, 2).is_some_and(|n| n <= *most))
}

fn digits(text: &str, count: usize) -> Option<u32> {
    let fits = text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| fits)
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && !host.is_empty() && !host.contains('@') && is_one_word(text)
    })
}

/// Returns whether `text` is a scheme, a colon, and more text without white space. Source: RFC 3986 §3.1 for
/// the scheme.
fn is_uri(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
            && !rest.is_empty()
            && is_one_word(rest)
    })
}

fn is_one_word(text: &str) -> bool {
    !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(format: Format, good: &[&str], bad: &[&str]) {
        good.iter().for_each(|text| assert!(format.fits(text), "{text:?}"));
        bad.iter().for_each(|text| assert!(!format.fits(text), "{text:?}"));
    }

    #[test]
    fn knows_how_long_months_are() {
        check(
            Format::Date,
            &["2026-07-28", "2024-02-29", "2000-02-29", "0000-01-31", "2026-12-31", "2026-04-30"],
            &[
                "2026-02-29",
                "1900-02-29",
                "2026-04-31",
                "2026-13-01",
                "2026-00-01",
                "2026-01-00",
                "2026-1-1",
                "26-01-01",
                "2026-01-32",
                "2026-01",
                "2026-01-01-01",
                "+026-01-01",
                "",
                "today",
                "２０２６-01-01",
            ],
        );
    }

    #[test]
    fn knows_dates_with_times_and_offsets() {
        check(
            Format::DateTime,
            &[
                "2026-07-28T12:00:00Z",
                "2026-07-28t12:00:00z",
                "2026-07-28T23:59:60Z",
                "2026-07-28T12:00:00.125+05:30",
                "2026-07-28T12:00:00-00:00",
            ],
            &[
                "2026-07-28",
                "2026-07-28T12:00:00",
                "2026-07-28T24:00:00Z",
                "2026-07-28T12:60:00Z",
                "2026-07-28T12:00:61Z",
                "2026-07-28T12:00Z",
                "2026-02-30T12:00:00Z",
                "2026-07-28T12:00:00.Z",
                "2026-07-28T12:00:00+24:00",
                "2026-07-28T12:00:00+5",
                "2026-07-28T12:00:00Zulu",
                "2026-07-28 12:00:00Z",
                "2026-07-28T12:00:00+é",
            ],
        );
    }

    #[test]
    fn knows_addresses_by_their_sign() {
        check(
            Format::Email,
            &["user@example.com", "a+b@host", "ü@example.org"],
            &["", "user", "@host", "user@", "a@b@c", "a b@host", "a@ho st", "a@host\n"],
        );
    }

    #[test]
    fn knows_places_by_their_scheme() {
        check(
            Format::Uri,
            &["https://example.com/a?b#c", "mailto:a@b", "urn:isbn:1", "x-y+z.1:a"],
            &["", "example.com", "//example.com", ":a", "1a:b", "ht tp://a", "https:", "https://a b", "é:a"],
        );
    }
}
