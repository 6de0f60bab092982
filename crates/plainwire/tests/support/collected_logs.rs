//! The `tracing` subscriber of this test program. It keeps the spans and warnings of all tests, and the log
//! lines of each thread.

#![allow(dead_code, reason = "each test program uses a part of this")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Once};

use plainwire::tracing::field::{Field, Visit};
use plainwire::tracing::span::{Attributes, Id, Record};
use plainwire::tracing::{Event, Level, Metadata, Subscriber, subscriber};

/// Installs the subscriber for all tests of the program. Later calls do nothing.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        subscriber::set_global_default(Collects(AtomicU64::new(0))).expect("no other subscriber")
    });
}

/// Installs the subscriber for the current thread, until the guard is dropped.
pub(crate) fn install_here() -> subscriber::DefaultGuard {
    subscriber::set_default(Collects(AtomicU64::new(0)))
}

/// Returns the lines that this crate has logged on the current thread since the last call of this function.
///
/// A server in a test with a single-threaded runtime logs on the thread of the test.
pub(crate) fn logged() -> String {
    LOGGED.take()
}

/// Returns the warnings that contain `text`. The warnings are those of all tests so far.
pub(crate) fn warnings(text: &str) -> Vec<String> {
    WARNINGS.lock().unwrap().iter().filter(|it| it.contains(text)).cloned().collect()
}

/// Returns the fields of the only span whose field `key` is `value`, as lines `name=value`, sorted by name.
pub(crate) fn span(key: &str, value: &str) -> String {
    let spans = SPANS.lock().unwrap();
    let mut found = spans.values().filter(|it| it.get(key).is_some_and(|it| it == value));
    let fields = found.next().unwrap_or_else(|| panic!("no span {value:?} in {spans:?}"));
    assert!(found.next().is_none(), "more than one {value:?}");
    fields.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("\n")
}

/// The fields of a span or an event, by name. For a span, `(span)` has its level and name.
type Fields = BTreeMap<String, String>;

static SPANS: Mutex<BTreeMap<u64, Fields>> = Mutex::new(BTreeMap::new());

static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

thread_local! {
    static LOGGED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The subscriber. The number is the id of the newest span.
struct Collects(AtomicU64);

impl Subscriber for Collects {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() || *metadata.level() == Level::WARN || is_ours(metadata)
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let id = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        let mut fields = Fields::new();
        attributes.record(&mut Into(&mut fields));
        let metadata = attributes.metadata();
        fields.insert("(span)".to_owned(), format!("{} {}", metadata.level(), metadata.name()));
        SPANS.lock().unwrap().insert(id, fields);
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        values.record(&mut Into(SPANS.lock().unwrap().get_mut(&span.into_u64()).expect("a span")));
    }

    fn event(&self, event: &Event<'_>) {
        if is_ours(event.metadata()) {
            event.record(&mut Line);
        }
        if *event.metadata().level() == Level::WARN {
            let mut fields = Fields::new();
            event.record(&mut Into(&mut fields));
            WARNINGS.lock().unwrap().extend(fields.remove("message"));
        }
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn is_ours(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("plainwire")
}

/// A visitor that inserts the fields of a span or an event into a map.
struct Into<'f>(&'f mut Fields);

impl Visit for Into<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

/// A visitor that appends the values of the fields to the log of the thread, one per line.
struct Line;

impl Visit for Line {
    fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
        LOGGED.with_borrow_mut(|log| writeln!(log, "{value:?}").expect("a string"));
    }
}
