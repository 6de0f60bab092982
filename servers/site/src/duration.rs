//! Durations as people write them in Jira: `2w 3d 4h 30m`.

/// Returns the seconds of a duration: weeks of five days of eight hours. A number without a unit is minutes.
pub(crate) fn read(text: &str) -> Option<i64> {
    let mut seconds = 0_i64;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(rest.len());
        let number: f64 = rest.get(..end)?.parse().ok()?;
        rest = rest.get(end..)?;
        let mut chars = rest.chars();
        let unit = match chars.next() {
            Some('w') => 144_000.0,
            Some('d') => 28_800.0,
            Some('h') => 3_600.0,
            Some('m') | None => 60.0,
            Some(_) => return None,
        };
        rest = chars.as_str().trim_start();
        let part = number * unit;
        if !part.is_finite() || part > 1e12 {
            return None;
        }
        seconds = seconds.checked_add(part as i64)?;
    }
    Some(seconds)
}

#[cfg(test)]
mod tests {
    #[test]
    fn durations_have_weeks_days_hours_and_minutes() {
        let cases = [
            ("2w 3d", Some(374_400)),
            ("1h30m", Some(5_400)),
            ("45", Some(2_700)),
            ("1.5h", Some(5_400)),
            ("", None),
            ("soon", None),
            ("-1h", None),
            ("99999999999999999w", None),
        ];
        for (text, seconds) in cases {
            assert_eq!(super::read(text), seconds, "{text}");
        }
    }
}
