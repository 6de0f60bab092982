//! The forms of elicitation: the flat, restricted JSON Schema in `requestedSchema`, and the answers to it.
//!
//! In: a schema, from the wire or from a Rust type; answers as JSON, or lines that a user typed. Out: a
//! [`Form`]; its schema in the syntax of a revision; the values of typed lines; and errors in an answer: the
//! field, what was expected, and what was found. This module shows nothing to users, and handles neither
//! messages nor the answers "decline" and "cancel".
//!
//! ```
//! use plainwire_proto::form::Form;
//! use serde_json::{Value, json};
//!
//! let schema = r#"{ "type": "object", "properties": { "age": { "type": "integer", "minimum": 18 } } }"#;
//! let form = Form::parse(schema)?;
//! assert_eq!(form.fields[0].read("30"), Ok(Some(Value::from(30))));
//!
//! let answer = json!({ "age": 7 });
//! let wrong = form.check(answer.as_object().expect("an object")).unwrap_err();
//! assert_eq!(wrong, "expected `age` to be at least 18, but found 7");
//! # Ok::<(), String>(())
//! ```

mod check;
mod format;
mod parse;
mod read;
mod write;

use std::fmt;

use serde_json::{Map, Number, Value};

use crate::json::visible;
use crate::revision::Revision;

pub use format::Format;

/// A form that a server asks a user to fill in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// The fields in the order of the schema; clients ask for them in this order. A form without fields only
    /// asks the user to confirm.
    pub fields: Vec<Field>,
}

impl Form {
    /// Largest number of fields in a form. Forms come from untrusted servers, and no user fills in more.
    pub const MAX_FIELDS: usize = 100;

    /// Largest number of choices of one field: more than there are countries, time zones or currencies.
    pub const MAX_CHOICES: usize = 1_000;

    /// Largest size in bytes of the schema of a form: enough for [`Self::MAX_FIELDS`] fields, each with
    /// [`Self::MAX_CHOICES`] choices of ten characters.
    pub const MAX_BYTES: usize = 1 << 20;

    /// Returns `content`, the values of an answer, with each field that is absent or null set to its default,
    /// if it has one.
    ///
    /// Clients do this when the user accepts the form (SEP-1034).
    pub fn with_defaults(&self, mut content: Map<String, Value>) -> Map<String, Value> {
        for field in &self.fields {
            if let (None | Some(Value::Null), Some(value)) = (content.get(&field.name), field.default_value())
            {
                content.insert(field.name.clone(), value);
            }
        }
        content
    }
}

/// One field of a form: a value that the user is asked for, and that is a member of the `content` of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the field, which is the name of its member in the `content` of an answer.
    pub name: String,
    /// The label shown to users; `None` if the name is shown instead.
    pub title: Option<String>,
    /// A sentence or two for the user that explain the field.
    pub description: Option<String>,
    /// Whether an answer must have this field.
    pub required: bool,
    /// The type of the value.
    pub kind: FieldKind,
}

impl Field {
    /// Returns the default value as an answer would contain it; `None` if the field has no default.
    pub fn default_value(&self) -> Option<Value> {
        match &self.kind {
            FieldKind::Boolean { default } => default.map(Value::Bool),
            FieldKind::MultiSelect { default, .. } => default.clone().map(Value::from),
            FieldKind::Number { default, .. } => default.clone().map(Value::Number),
            FieldKind::SingleSelect { default, .. } | FieldKind::Text { default, .. } => {
                default.clone().map(Value::String)
            }
        }
    }
}

/// The type of a field's value. Bounds are inclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the members are the keywords of JSON Schema")]
pub enum FieldKind {
    /// Yes or no.
    Boolean { default: Option<bool> },
    /// Several of the choices, at least `min_items` and at most `max_items`.
    MultiSelect {
        choices: Vec<Choice>,
        min_items: Option<u64>,
        max_items: Option<u64>,
        default: Option<Vec<String>>,
    },
    /// A number; if `integer`, a whole number.
    Number { integer: bool, minimum: Option<Number>, maximum: Option<Number>, default: Option<Number> },
    /// One of the choices. If `legacy_titles` is true, the titles of the choices are written as `enumNames`,
    /// even in revisions that have `oneOf`.
    SingleSelect { choices: Vec<Choice>, legacy_titles: bool, default: Option<String> },
    /// Free text; lengths are in characters.
    Text { min_length: Option<u64>, max_length: Option<u64>, format: Option<Format>, default: Option<String> },
}

/// One of the values that a user can choose for a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The value that an answer has for this choice.
    pub value: String,
    /// The label shown to users; `None` if the value is shown instead.
    pub title: Option<String>,
}

impl Choice {
    /// Returns the label shown to users: the title, or else the value.
    pub fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.value)
    }
}

/// The error for a form that a revision cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The name of the first field that the revision cannot express.
    pub field: String,
    /// The revision that the form was to be written in.
    pub revision: Revision,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (field, revision) = (visible(&self.field, 80), self.revision);
        write!(
            f,
            "expected `{field}` to be a string, number, boolean or single choice, which is all that {revision} has, \
             but found a multiple choice"
        )
    }
}

impl std::error::Error for Unsupported {}

/// Returns an error message as one line of at most 1,000 characters, made safe to show on terminals and to
/// models: names in it come from untrusted servers.
fn one_line(why: String) -> String {
    visible(&why, 1_000)
}

#[cfg(test)]
mod tests;
