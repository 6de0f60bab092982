//! The forms of elicitation: the flat, restricted JSON Schema in `requestedSchema`, and the answers to it.
//!
//! In: a schema, from the wire or from a type of Rust, answers as JSON, or lines that somebody typed. Out: a [`Form`],
//! its schema as a revision writes it, and what is wrong with an answer: where, what was expected, what was found.
//! Nothing here asks anybody anything, and messages are not known: who gets the form, and which actions there are
//! beside "accept", is the business of others.
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

/// What somebody is asked to fill in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// In the order of the wire, which is the order to ask in. None at all: a plain confirmation.
    pub fields: Vec<Field>,
}

impl Form {
    /// The fields that a form may have. Forms come from strangers, and nobody fills in more than that.
    pub const MAX_FIELDS: usize = 100;

    /// The choices that one field may have: more than there are countries, time zones or currencies.
    pub const MAX_CHOICES: usize = 1_000;

    /// Fills in what `content` does not have, or has as null, where the form has a default.
    ///
    /// This is the work of a client whose user accepts (SEP-1034).
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

/// One question of a form, and the member of the answer that it becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the member.
    pub name: String,
    /// What people are shown instead of the name.
    pub title: Option<String>,
    /// A sentence or two beside it.
    pub description: Option<String>,
    /// Whether there is no answer without it.
    pub required: bool,
    /// What its value is.
    pub kind: FieldKind,
}

impl Field {
    /// Returns the default as the JSON of an answer.
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

/// What the value of a field is. Bounds are inclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the members are the keywords of JSON Schema")]
pub enum FieldKind {
    /// Yes or no.
    Boolean { default: Option<bool> },
    /// Some of the choices.
    MultiSelect {
        choices: Vec<Choice>,
        min_items: Option<u64>,
        max_items: Option<u64>,
        default: Option<Vec<String>>,
    },
    /// A number, or a whole one only.
    Number { integer: bool, minimum: Option<Number>, maximum: Option<Number>, default: Option<Number> },
    /// One of the choices. `legacy_titles`: titles are written as `enumNames`, even where `oneOf` is known.
    SingleSelect { choices: Vec<Choice>, legacy_titles: bool, default: Option<String> },
    /// Free text; lengths are in characters.
    Text { min_length: Option<u64>, max_length: Option<u64>, format: Option<Format>, default: Option<String> },
}

/// One of the values that a field may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What the answer has.
    pub value: String,
    /// What people are shown instead.
    pub title: Option<String>,
}

impl Choice {
    /// Returns what people are shown: the title, or else the value.
    pub fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.value)
    }
}

/// A form that a revision has no way to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The name of the first field that does not exist there.
    pub field: String,
    /// Where it does not exist.
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

/// A message as one line: names in it are somebody else's, and it is shown on terminals and to models.
fn one_line(why: String) -> String {
    visible(&why, 1_000)
}

#[cfg(test)]
mod tests;
