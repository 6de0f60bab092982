//! What happens on the site, before it has happened.
//!
//! In: plans. Out: events; [`super::stage`] performs them in the order of their times.

use super::files::File;
use super::rich::Doc;
use crate::field::{Value, Values};
use crate::issue::Change;

/// Something that happens to an issue.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) at: i64,
    /// The issue, by its place among the outlines.
    pub(super) plan: usize,
    /// The person who does it, by id.
    pub(super) author: i64,
    pub(super) act: Act,
}

/// What is done.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Attach(File),
    Comment {
        body: Doc,
        is_internal: bool,
        visibility: Option<&'static str>,
        edited: Option<i64>,
    },
    Create {
        values: Values,
        rich: Vec<(&'static str, Doc)>,
        parent: Option<usize>,
        epic: Option<usize>,
    },
    /// Puts it into an epic.
    Epic(usize),
    /// A link to another issue.
    Link(i64, usize),
    Move(i64),
    Property(&'static str, String),
    /// Ranks it before another issue.
    Rank(usize),
    Remote(Remote),
    /// Changes rich text.
    Rich(&'static str, Doc),
    Set(Vec<Change>),
    Vote,
    Watch,
    /// Work that was done: when it began, how many seconds it took, and a note.
    Work {
        started: i64,
        seconds: i64,
        note: Option<Doc>,
    },
}

/// A link to a page elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Remote {
    pub(super) global_id: Option<String>,
    pub(super) relationship: Option<&'static str>,
    /// Its type and name.
    pub(super) application: Option<(&'static str, &'static str)>,
    pub(super) url: String,
    pub(super) title: String,
    /// Whether what it leads to is done, if that is known.
    pub(super) is_resolved: Option<bool>,
}

/// Makes a change.
pub(super) fn set(field: &str, to: Value) -> Change {
    Change { field: field.to_owned(), to: Some(to) }
}

/// Makes a change that empties a field.
pub(super) fn clear(field: &str) -> Change {
    Change { field: field.to_owned(), to: None }
}
