//! The audit: a line for each change that a server makes on somebody's behalf.
//!
//! In: entries of handlers. Out: a JSON object per line, in a file or on stderr. Values of others are escaped, so that they can neither forge a
//! line nor change a terminal; long ones are cut.

use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

mod entry;

pub use entry::{Entry, MAX_FIELDS, MAX_VALUE, Outcome};

/// A place for the entries of a server. Cheap to clone: all clones write to the same place.
///
/// ```
/// use plainwire::audit::{Audit, Entry, Outcome};
/// use plainwire::prelude::*;
///
/// let audit = Audit::stderr();
/// audit.record(&Entry {
///     who: Some("ada"),
///     tool: "rename",
///     target: "book 7",
///     before: Map::from_iter([("title".to_owned(), json!("Moss"))]),
///     after: Map::from_iter([("title".to_owned(), json!("Ferns"))]),
///     request: "1",
///     outcome: Outcome::Done,
/// });
/// # use serde_json::Map;
/// ```
#[derive(Clone)]
pub struct Audit(Option<Arc<Mutex<Place>>>);

struct Place {
    writer: Box<dyn Write + Send>,
    /// True if the last line may lack its end.
    is_broken: bool,
    has_failed: bool,
}

impl Audit {
    /// Records nothing.
    #[must_use]
    pub fn off() -> Self {
        Self(None)
    }

    /// Writes to stderr.
    #[must_use]
    pub fn stderr() -> Self {
        Self::to(std::io::stderr())
    }

    /// Writes to a file, or another place. A line is written at once. After one that could not be written whole, the next one
    /// begins a new line.
    #[must_use]
    pub fn to(writer: impl Write + Send + 'static) -> Self {
        Self(Some(Arc::new(Mutex::new(Place {
            writer: Box::new(writer),
            is_broken: false,
            has_failed: false,
        }))))
    }

    /// Records a change. If that fails, as on a full disk, the log says so once; the change was made all the same.
    pub fn record(&self, entry: &Entry<'_>) {
        let Some(place) = &self.0 else { return };
        let mut line = entry::line(entry);
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_broken {
            line.insert(0, '\n');
        }
        let written = place.writer.write_all(line.as_bytes()).and_then(|()| place.writer.flush());
        place.is_broken = written.is_err();
        if let Err(error) = written
            && !std::mem::replace(&mut place.has_failed, true)
        {
            tracing::error!(%error, "the audit is not complete: an entry could not be written");
        }
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Audit(on)" } else { "Audit(off)" })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("no panic").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn recorded(value: Value) -> String {
        let kept = Kept::default();
        let audit = Audit::to(kept.clone());
        let after = Map::from_iter([("title".to_owned(), value)]);
        audit.record(&Entry {
            who: Some("ada"),
            tool: "rename",
            target: "7",
            after,
            request: "1",
            ..Entry::default()
        });
        let bytes = kept.0.lock().expect("no panic").clone();
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn an_entry_is_one_line_whatever_it_quotes() {
        let text = recorded(json!("a\n{\"who\":\"eve\"}\u{1b}[31m\u{202e}"));
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.chars().all(|it| it == '\n' || !it.is_control()), "{text:?}");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["who"], "ada");
        assert_eq!(value["after"]["title"], "a\n{\"who\":\"eve\"}\u{1b}[31m\u{202e}");
    }

    #[test]
    fn a_long_value_is_cut() {
        for value in [json!("é".repeat(MAX_VALUE)), json!(["é".repeat(MAX_VALUE)])] {
            let text = recorded(value);
            assert!(text.len() < 2 * MAX_VALUE, "{}", text.len());
            assert!(text.contains("bytes)"), "{text}");
        }
        let many = (0..2 * MAX_FIELDS).map(|n| (n.to_string(), json!(n))).collect();
        let some = entry::fields(&many);
        assert_eq!(some.as_object().map(Map::len), Some(MAX_FIELDS + 1));
        assert_eq!(some["…"], "100 more fields");
    }

    #[test]
    fn a_line_after_a_broken_one_stands_alone() {
        /// A place that is full after its first 40 bytes, until it was asked twice.
        struct Filling(Kept, usize);
        impl Write for Filling {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.1 += 1;
                match self.1 {
                    1 => self.0.write(&bytes[..40]),
                    2 => Err(std::io::ErrorKind::StorageFull.into()),
                    _ => self.0.write(bytes),
                }
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let kept = Kept::default();
        let audit = Audit::to(Filling(kept.clone(), 0));
        for outcome in [Outcome::Failed, Outcome::Partly, Outcome::Unknown] {
            audit.record(&Entry { outcome, ..Entry::default() });
        }
        let bytes = kept.0.lock().expect("no panic").clone();
        let text = String::from_utf8(bytes).expect("UTF-8");
        let outcomes: Vec<_> = text
            .lines()
            .filter_map(|it| serde_json::from_str::<Value>(it).ok())
            .map(|it| it["outcome"].clone())
            .collect();
        assert_eq!(outcomes, ["partly", "unknown"], "{text}");
    }

    #[test]
    fn an_audit_that_is_off_or_can_not_be_written_stops_nobody() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::StorageFull.into())
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        Audit::off().record(&Entry::default());
        let audit = Audit::to(Full);
        audit.record(&Entry::default());
        audit.record(&Entry::default());
    }
}
