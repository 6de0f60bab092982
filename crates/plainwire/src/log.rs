//! Logging to stderr, for programs that install no `tracing` subscriber.
//!
//! In: `tracing` events. Out: one line each, `2026-11-23T03:19:51.042Z WARN plainwire: text key=value`, or a
//! JSON object of the form that `tracing-subscriber` writes. The text of an event may quote the other side, a file
//! or a panic, so characters that could break the line or change the terminal are escaped. A backtrace follows below
//! its line. Spans are ignored. A program with its own subscriber never uses this one.

use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::time::Duration;

use plainwire_proto::json::{visible, visible_json};
use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::runtime;

/// Installs a subscriber that writes events up to `level` to stderr, unless the program has installed one.
/// `None` for `level` installs nothing.
pub(crate) fn install(level: Option<Level>, format: Format) {
    if let Some(level) = level
        && !tracing::dispatcher::has_been_set()
    {
        // An error here means that another subscriber was installed meanwhile, which is fine.
        if tracing::subscriber::set_global_default(Stderr { format, level }).is_ok() {
            runtime::panics::install();
        }
    }
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Format {
    Json,
    #[default]
    Text,
}

/// The subscriber that writes events to stderr.
struct Stderr {
    format: Format,
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
        let _ = std::io::stderr().write_all(self.format.line(runtime::unix(), event).as_bytes());
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

impl Format {
    /// Returns the line for an event, with its line break. `now` is the time since 1970.
    fn line(self, now: Duration, event: &Event<'_>) -> String {
        let metadata = event.metadata();
        let (time, level, target) = (utc(now), metadata.level(), metadata.target());
        match self {
            Self::Json => {
                let mut fields = JsonFields(Map::new());
                event.record(&mut fields);
                let fields = Value::Object(fields.0).to_string();
                let line =
                    json!({ "timestamp": time, "level": level.as_str(), "target": target }).to_string();
                let line = line.strip_suffix('}').unwrap_or_default();
                visible_json(&format!("{line},\"fields\":{fields}}}")).into_owned() + "\n"
            }
            Self::Text => {
                let line = format!("{time} {level} {target}:");
                let mut fields = TextFields { backtrace: String::new(), line };
                event.record(&mut fields);
                fields.line + "\n" + &fields.backtrace
            }
        }
    }
}

/// A line of text to which the fields of its event are added, and the lines of a backtrace.
struct TextFields {
    backtrace: String,
    line: String,
}

impl Visit for TextFields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let value = format!("{value:?}");
        if field.name() == BACKTRACE {
            // Indented, so that no line of it looks like a line of the log.
            self.backtrace.extend(value.lines().map(|line| format!("    {}\n", visible(line, MAX_FIELD))));
            return;
        }
        let value = visible(&value, MAX_FIELD);
        let _ = match field.name() {
            "message" => write!(self.line, " {value}"),
            name => write!(self.line, " {name}={value}"),
        };
    }
}

/// The name of the field with a backtrace.
const BACKTRACE: &str = "backtrace";

/// The fields of an event as members of a JSON object.
struct JsonFields(Map<String, Value>);

impl JsonFields {
    fn add(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for JsonFields {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let cut = value.char_indices().nth(MAX_FIELD).map(|(at, _)| format!("{}…", &value[..at]));
        self.add(field, cut.unwrap_or_else(|| value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

/// Largest number of characters of one field of an event. The rest is left out: errors quote texts of any
/// length from the other side.
const MAX_FIELD: usize = 16_384;

/// Formats a time since 1970 as UTC in RFC 3339, with milliseconds.
pub(crate) fn utc(since_1970: Duration) -> String {
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

    /// A subscriber that keeps the lines of events in both formats.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<[String; 2]>>>);

    impl Subscriber for Kept {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn event(&self, event: &Event<'_>) {
            self.0
                .lock()
                .expect("no panic")
                .push([Format::Text, Format::Json].map(|it| it.line(Duration::ZERO, event)));
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    fn lines(log: impl FnOnce()) -> Vec<[String; 2]> {
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
        let quoted = quoted
            .replace(r"\u{1b}", r"\u001b")
            .replace(r"\u{9b}", r"\u009b")
            .replace(r"\u{202e}", r"\u202e");
        let json = format!(
            r#"{{"level":"WARN","target":"plainwire","timestamp":"1970-01-01T00:00:00.000Z","fields":{{"message":"found {quoted}","number":1,"who":"{quoted}"}}}}"#
        );
        assert_eq!(logged, [[expected, json + "\n"]]);
    }

    #[test]
    fn a_long_text_is_cut() {
        let logged = lines(|| tracing::info!("{}", "é".repeat(MAX_FIELD + 1)));
        let expected = format!("INFO plainwire::log::tests: {}…\n", "é".repeat(MAX_FIELD));
        assert!(logged[0][0].ends_with(&expected), "{}", logged[0][0].len());
        assert!(logged[0][1].ends_with("éé…\"}}\n"), "{}", logged[0][1].len());
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
