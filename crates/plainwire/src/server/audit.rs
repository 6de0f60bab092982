//! The audit: a line for each change that a server makes on somebody's behalf.
//!
//! In: entries of handlers. Out: a JSON object per line, in a file or on stderr. Values of others are escaped, so that they can neither forge a
//! line nor change a terminal; long ones are cut.

use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use plainwire_proto::json::visible_json;
use serde_json::{Map, Value, json};

use crate::log::utc;
use crate::runtime;

/// The largest number of bytes of one value. More is cut: an audit says what was changed, and is no copy of it.
pub const MAX_VALUE: usize = 4_096;

/// The largest number of fields of an entry, before and after.
pub const MAX_FIELDS: usize = 100;

/// A place for the entries of a server. Cheap to clone: all clones write to the same place.
///
/// ```
/// use plainwire::audit::{Audit, Entry};
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
///     outcome: "done",
/// });
/// # use serde_json::Map;
/// ```
#[derive(Clone)]
pub struct Audit(Option<Arc<Mutex<Place>>>);

struct Place {
    writer: Box<dyn Write + Send>,
    has_failed: bool,
}

/// A change that was made, or was tried.
#[derive(Clone, Debug, Default)]
pub struct Entry<'a> {
    /// The verified account behind the call.
    pub who: Option<&'a str>,
    /// The tool.
    pub tool: &'a str,
    /// What was changed.
    pub target: &'a str,
    /// The values of fields before.
    pub before: Map<String, Value>,
    /// The values of fields after.
    pub after: Map<String, Value>,
    /// The id of the request.
    pub request: &'a str,
    /// `done` or `failed`.
    pub outcome: &'a str,
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

    /// Writes to a file, or another place. A line is written at once, and whole.
    #[must_use]
    pub fn to(writer: impl Write + Send + 'static) -> Self {
        Self(Some(Arc::new(Mutex::new(Place { writer: Box::new(writer), has_failed: false }))))
    }

    /// Records a change. If that fails, as on a full disk, the log says so once; the change was made all the same.
    pub fn record(&self, entry: &Entry<'_>) {
        let Some(place) = &self.0 else { return };
        let line = line(entry);
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        let written = place.writer.write_all(line.as_bytes()).and_then(|()| place.writer.flush());
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

fn line(entry: &Entry<'_>) -> String {
    let value = json!({
        "time": utc(runtime::unix()), "who": entry.who, "tool": entry.tool, "target": cut(&json!(entry.target)),
        "before": fields(&entry.before), "after": fields(&entry.after), "request": entry.request, "outcome": entry.outcome,
    });
    format!("{}\n", visible_json(&value.to_string()).replace('\n', " "))
}

fn fields(all: &Map<String, Value>) -> Value {
    all.iter().take(MAX_FIELDS).map(|(name, value)| (name.clone(), cut(value))).collect()
}

/// Returns a value; of a long one, the beginning as text.
fn cut(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > MAX_VALUE => json!(beginning(text)),
        Value::Array(_) | Value::Object(_) => {
            let text = value.to_string();
            if text.len() > MAX_VALUE { json!(beginning(&text)) } else { value.clone() }
        }
        value => value.clone(),
    }
}

fn beginning(text: &str) -> String {
    let end = (0..=MAX_VALUE).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    format!("{}… ({} bytes)", &text[..end], text.len())
}

#[cfg(test)]
mod tests {
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
            outcome: "done",
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
        assert_eq!(fields(&many).as_object().map(Map::len), Some(MAX_FIELDS));
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
