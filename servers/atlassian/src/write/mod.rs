//! Changes: shown before they are made, recorded when they are made, and taken back.
//!
//! In: a [`Plan`] of some product. Out: a [`Change`] for the caller. A plan has the fields with their values before and after, the requests
//! in their order, and what would take them back. A preview is the plan itself, so what it shows is what an apply does.

mod apply;
mod back;
mod guard;
mod line;
mod repeats;
mod several;
mod undo;

use plainwire::prelude::*;
use plainwire::serde_json::Map;

use crate::rest::Request;

pub use apply::{Journal, Writer, newest_entry};
pub use guard::{Check, Order};
pub use repeats::{Call, Claim};
pub use several::Each;
pub use undo::{Handle, Handles, How, Inverse, MAX_RECORD, Record, Restore};

/// A change of something at a site, which was not made yet.
#[derive(Debug)]
pub struct Plan {
    /// The tool that makes it.
    pub tool: &'static str,
    /// What is changed, such as the key of an issue.
    pub target: String,
    /// A sentence for people, such as `change SHOP-1`.
    pub summary: String,
    /// The fields, with their values before and after.
    pub changes: Vec<FieldChange>,
    /// The requests.
    pub steps: Vec<Step>,
    /// What takes it back.
    pub inverse: Inverse,
    /// Sentences that a caller has to know before the change.
    pub warnings: Vec<String>,
}

/// A request of a plan.
#[derive(Debug)]
pub struct Step {
    /// The request. A segment `{name}` of its path is replaced by the id in the answer that an earlier step kept under the name.
    pub request: Request,
    /// The name under which its answer is kept, for later steps, for the result and for the inverse.
    pub keep: Option<&'static str>,
    /// Adds to the request what only the answers of earlier steps know.
    pub with_answers: Option<WithAnswers>,
}

/// A function that adds to a request what is in the answers that were kept so far.
pub type WithAnswers = fn(Request, &Map<String, Value>) -> Request;

impl Step {
    /// A request whose answer is kept under a name.
    pub fn kept(request: Request, name: &'static str) -> Self {
        Self { keep: Some(name), ..Self::from(request) }
    }
}

impl From<Request> for Step {
    fn from(request: Request) -> Self {
        Self { request, keep: None, with_answers: None }
    }
}

/// The change of one field.
#[data]
#[derive(Clone, Debug, PartialEq)]
pub struct FieldChange {
    /// The name of the field.
    pub field: String,
    /// The value before; null if there was none.
    pub old: Value,
    /// The value after; null if there is none.
    pub new: Value,
}

impl FieldChange {
    /// Makes it.
    pub fn new(field: impl Into<String>, old: impl Into<Value>, new: impl Into<Value>) -> Self {
        Self { field: field.into(), old: old.into(), new: new.into() }
    }
}

/// A change that was made, or the preview of one.
#[data(kind = "atlassianChange:v1")]
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Whether nothing was written.
    pub is_preview: bool,
    /// What was done, or would be.
    pub summary: String,
    /// The key or id of what is changed or was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The address for a browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The fields, with their values before and after.
    pub changes: Vec<FieldChange>,
    /// What a caller has to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// For atlassian_undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// When the handle ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo_expires: Option<String>,
    /// What the site answered, where a reader needs it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub result: Value,
}
