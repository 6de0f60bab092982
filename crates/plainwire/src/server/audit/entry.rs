//! The entries of the audit, and their lines.
//!
//! In: what was changed, by whom. Out: a line of JSON within the limits.

use plainwire_proto::json::visible_json;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::log::utc;
use crate::runtime;

/// The largest number of bytes of one value. More is cut: an audit says what was changed, and is no copy of it.
pub const MAX_VALUE: usize = 4_096;

/// The largest number of fields of an entry, before and after. Of more, their number is told as the field `…`.
pub const MAX_FIELDS: usize = 100;

/// A change that was made, or was tried.
#[derive(Clone, Debug, Default)]
pub struct Entry<'a> {
    /// The verified account behind the call.
    pub who: Option<&'a str>,
    /// The tool.
    pub tool: &'a str,
    /// The thing that was changed, such as `SHOP-1`.
    pub target: &'a str,
    /// The values of fields before.
    pub before: Map<String, Value>,
    /// The values of fields after.
    pub after: Map<String, Value>,
    /// The id of the request.
    pub request: &'a str,
    /// The outcome of the change.
    pub outcome: Outcome,
}

/// The outcome of a change. In a line it has the name of the variant in small letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Outcome {
    /// The change was made.
    #[default]
    Done,
    /// The change was not made.
    Failed,
    /// Some steps of the change were made, and others not.
    Partly,
    /// The outcome is not known: the change may have been made, because its answer is lost, for example.
    Unknown,
}

/// Returns an entry as a line: JSON that is printable, and ends with the only line break.
pub(super) fn line(entry: &Entry<'_>) -> String {
    let value = json!({
        "time": utc(runtime::unix()), "who": entry.who, "tool": entry.tool, "target": cut(&json!(entry.target)),
        "before": fields(&entry.before), "after": fields(&entry.after), "request": entry.request, "outcome": entry.outcome,
    });
    format!("{}\n", visible_json(&value.to_string()).replace('\n', " "))
}

pub(super) fn fields(all: &Map<String, Value>) -> Value {
    let mut kept: Map<_, _> =
        all.iter().take(MAX_FIELDS).map(|(name, value)| (name.clone(), cut(value))).collect();
    if let Some(more @ 1..) = all.len().checked_sub(MAX_FIELDS) {
        kept.insert("…".to_owned(), json!(format!("{more} more fields")));
    }
    Value::Object(kept)
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
