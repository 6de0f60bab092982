//! Logging to stderr, for programs that install no `tracing` subscriber.
//!
//! In: `tracing` events. Out: one line each, `WARN plainwire: text key=value`. Spans are ignored. A program
//! with its own subscriber never uses this one.

use std::fmt::{self, Write as _};
use std::io::Write as _;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

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
        let mut line = Line(format!("{} {}:", event.metadata().level(), event.metadata().target()));
        event.record(&mut line);
        line.0.push('\n');
        // One write per line, so that lines of several threads do not mix. A broken stderr can't be reported
        // anywhere.
        let _ = std::io::stderr().write_all(line.0.as_bytes());
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The line that is written for an event; the fields of the event are added to it.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
