//! Logging to stderr, for programs that install no `tracing` subscriber.
//!
//! In: `tracing` events. Out: one line each, `2026-11-23T03:19:51.042Z WARN plainwire: text key=value`. The
//! text of an event may quote a peer, a file or a panic, so characters that could break the line or change the
//! terminal are escaped. Spans are ignored. A program with its own subscriber never uses this one.

use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::time::Duration;

use plainwire_proto::json::visible;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::runtime;

/// Installs a subscriber that writes events up to `level` to stderr, unless the program has installed one.
/// `None` for `level` installs nothing.
pub(crate) fn install(level: Option<Level>) {
    if let Some(level) = level
        && !tracing::dispatcher::has_been_set()
    {
        // An error here means that another subscriber was installed meanwhile, which is fine.
        let _ = tracing::subscriber::set_global_default(Stderr { level });
    }
}

/// The subscriber that writes events to stderr.
struct Stderr {
    level: Level,
}

impl Subscriber for Stderr {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<tracing::level_filters::LevelFilter> {
        Some(self.level.into())
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn event(&self, event: &Event<'_>) {
        // One write per line, so that lines of several threads do not mix. A broken stderr can't be reported
        // anywhere.
        let _ = std::io::stderr().write_all(line(runtime::unix(), event).as_bytes());
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Returns the line for an event, with its line break. `now` is the time since 1970.
fn line(now: Duration, event: &Event<'_>) -> String {
    let metadata = event.metadata();
    let mut line = Line(format!("{} {} {}:", utc(now), metadata.level(), metadata.target()));
    event.record(&mut line);
    line.0.push('\n');
    line.0
}

/// A line to which the fields of its event are added.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let value = visible(&format!("{value:?}"), MAX_FIELD);
        let _ = match field.name() {
            "message" => write!(self.0, " {value}"),
            name => write!(self.0, " {name}={value}"),
        };
    }
}

/// Largest number of characters of one field of an event. What comes after them is left out: a peer decides
/// how long the texts are that errors quote.
const MAX_FIELD: usize = 16_384;

/// Formats a time since 1970 as UTC in RFC 3339, with milliseconds.
fn utc(since_1970: Duration) -> String {
    let (days, seconds) = (since_1970.as_secs() / 86_400, since_1970.as_secs() % 86_400);
    // Years are counted from March, so that the day that a leap year adds is the last one. The cycle of leap
    // years is 400 years, or 146,097 days, long; 719,468 days are from 0000-03-01 to 1970-01-01.
    let (cycle, day) = ((days + 719_468) / 146_097, (days + 719_468) % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!(
        "{:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        cycle * 400 + year + next,
        seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60,
        since_1970.subsec_millis()
    )
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A subscriber that keeps the lines of events.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<String>>>);

    impl Subscriber for Kept {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn event(&self, event: &Event<'_>) {
            self.0.lock().expect("no panic").push(line(Duration::ZERO, event));
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    fn lines(log: impl FnOnce()) -> Vec<String> {
        let kept = Kept::default();
        tracing::subscriber::with_default(kept.clone(), log);
        std::mem::take(&mut *kept.0.lock().expect("no panic"))
    }

    #[test]
    fn an_event_is_one_line_whatever_it_quotes() {
        let text = "a\nINFO plainwire: forged \u{1b}[31m\u{9b}31m\u{202e}é";
        let logged = lines(|| tracing::warn!(target: "plainwire", who = text, number = 1, "found {text}"));
        let quoted = r"a\nINFO plainwire: forged \u{1b}[31m\u{9b}31m\u{202e}é";
        let expected =
            format!("1970-01-01T00:00:00.000Z WARN plainwire: found {quoted} who=\"{quoted}\" number=1\n");
        assert_eq!(logged, [expected]);
    }

    #[test]
    fn a_long_text_is_cut() {
        let logged = lines(|| tracing::info!("{}", "é".repeat(MAX_FIELD + 1)));
        let expected = format!("INFO plainwire::log::tests: {}…\n", "é".repeat(MAX_FIELD));
        assert!(logged[0].ends_with(&expected), "{}", logged[0].len());
    }

    #[test]
    fn times_are_utc() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (1_795_403_991_042, "2026-11-23T03:19:51.042Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(utc(Duration::from_millis(millis)), text);
        }
    }
}
