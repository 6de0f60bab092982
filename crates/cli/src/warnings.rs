//! Warnings of the client library on stderr, such as a line on a server's stdout that is no message.
//!
//! In: `tracing` events. Out: a line `warning: …` for each warning of the client. Other events and spans are
//! ignored.

use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::output;

/// Shows warnings from now on. For commands that are clients: a server logs by itself.
pub(crate) fn show() {
    // An error would mean that there is a subscriber already, and this is the only one.
    let _ = tracing::subscriber::set_global_default(Warnings);
}

/// A flag: a server has written a line to its stdout that is not a message.
static NAMED_A_LINE: AtomicBool = AtomicBool::new(false);

/// Returns whether a warning has named a line on the stdout of a server that is not a message.
pub(crate) fn named_a_line() -> bool {
    NAMED_A_LINE.load(Ordering::Relaxed)
}

struct Warnings;

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
            && *metadata.level() <= Level::WARN
            && metadata.target().starts_with("plainwire::client")
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line("warning:".to_owned());
        event.record(&mut line);
        NAMED_A_LINE.fetch_or(line.0.contains("that is not a message"), Ordering::Relaxed);
        output::note(&line.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The line of an event.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
