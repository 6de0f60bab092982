//! Decides whether a request is sent again, and when.
//!
//! In: the error of an attempt, and a random number. Out: the time to wait, or nothing. A read is sent again
//! after failures that pass; a change only if the site surely did not act on it. Times of day and random
//! numbers come from outside.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::request::Effect;
use super::settings::SiteSettings;
use super::upstream::{Kind, Upstream};

/// The attempts that a request has left.
pub(super) struct Tries {
    backoff: Duration,
    /// The number of attempts that are left.
    left: u32,
    /// The time that may still be spent with waits.
    wait_left: Duration,
}

impl Tries {
    pub(super) fn new(settings: &SiteSettings) -> Self {
        Self { backoff: settings.backoff, left: settings.max_retries, wait_left: settings.max_wait }
    }

    /// Returns the time to wait before the next attempt; `None` if there is none. `random` is in `0.0..1.0`.
    pub(super) fn next(&mut self, failed: &Upstream, random: f64) -> Option<Duration> {
        if !may_pass(failed) {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        let wait = match failed.retry_after() {
            Some(asked) if asked > self.wait_left => return None,
            // Never earlier than asked for, and not all clients at once.
            Some(asked) => {
                let jitter = (asked / 10).min(Duration::from_secs(1)).mul_f64(random);
                (asked + jitter).min(self.wait_left)
            }
            None => self.backoff.mul_f64(0.5 + random / 2.0),
        };
        self.wait_left = self.wait_left.checked_sub(wait)?;
        self.backoff = self.backoff.saturating_mul(2);
        Some(wait)
    }
}

/// Returns whether the same request may succeed soon, and does no harm if the first one arrived after all.
fn may_pass(failed: &Upstream) -> bool {
    let is_read = failed.effect() == Effect::Read;
    match failed.kind() {
        // Surely not processed. For a change, `Network` means that there was no connection: see
        // `exchange::unsent`.
        Kind::RateLimited => true,
        Kind::Network => failed.status().is_none(),
        Kind::Cut => is_read,
        // 503 does not say how far a change got.
        Kind::Server => is_read && matches!(failed.status(), Some(502..=504)),
        _ => false,
    }
}

/// Returns the time that a site asks its clients to wait: from `Retry-After`, in seconds or as a date, or
/// else from `X-RateLimit-Reset`. `None` for no time, one that has passed, and 0: Data Center says 0 while it
/// still counts, and gateways with each refusal, so that 0 must not mean "at once".
pub(super) fn wanted(retry_after: Option<&str>, reset: Option<&str>, now: Timestamp) -> Option<Duration> {
    let seconds = |text: &str| text.parse().ok().map(Duration::from_secs);
    let until = |at: Timestamp| Duration::try_from(at.duration_since(now)).ok();
    let asked = retry_after.map(str::trim).and_then(|text| {
        seconds(text).or_else(|| until(rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?))
    });
    let reset = || until(reset?.trim().parse().ok()?);
    asked.filter(|it| !it.is_zero()).or_else(reset).filter(|it| !it.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_to_wait_is_read_in_each_form() {
        let now = "2026-03-02T10:00:00Z".parse().expect("a time");
        for (retry_after, reset, expected) in [
            (Some("7"), None, Some(7)),
            (Some(" 7 "), Some("2026-03-02T10:01Z"), Some(7)),
            (Some("Mon, 02 Mar 2026 10:00:30 GMT"), None, Some(30)),
            (Some("Mon, 02 Mar 2026 09:00:30 GMT"), None, None),
            (Some("0"), None, None),
            (Some("0"), Some("2026-03-02T10:01Z"), Some(60)),
            (Some("-5"), None, None),
            (Some("soon"), None, None),
            (None, Some("2026-03-02T10:01Z"), Some(60)),
            (None, Some("2026-03-02T10:01:05Z"), Some(65)),
            (None, Some("1700000000"), None),
            (Some("18446744073709551615"), None, Some(u64::MAX)),
            (None, None, None),
        ] {
            let found = wanted(retry_after, reset, now).map(|it| it.as_secs());
            assert_eq!(found, expected, "{retry_after:?} {reset:?}");
        }
    }
}
