//! The error of an operation: the status and the body that Jira would answer with.
//!
//! In: a sentence, or an error of SQLite. Out: a [`Fault`]. Each API has its own form of the body; `http` writes it.

use std::collections::BTreeMap;
use std::fmt;

/// An error that the caller of an operation gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The HTTP status.
    pub status: u16,
    /// Sentences about the request as a whole.
    pub messages: Vec<String>,
    /// Sentences about fields, by their id.
    pub errors: BTreeMap<String, String>,
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    /// Makes an error with one sentence.
    pub fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, messages: vec![message.into()], errors: BTreeMap::new() }
    }

    /// Makes an error about one field.
    pub fn of_field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { status: 400, messages: Vec::new(), errors: BTreeMap::from([(field.into(), message.into())]) }
    }

    /// The error for a request that is not understood.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }

    /// The error for a thing that does not exist, or that the caller may not see.
    pub fn missing(message: impl Into<String>) -> Self {
        Self::new(404, message)
    }

    /// The error for what Jira has and this site does not.
    pub fn lacking(what: impl fmt::Display) -> Self {
        Self::new(501, format!("This stand-in site does not have {what}."))
    }

    /// The error for an issue that does not exist, or that the caller may not see: Jira does not say which.
    pub fn no_issue() -> Self {
        Self::missing("Issue does not exist or you do not have permission to see it.")
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.errors.iter().map(|(field, message)| format!("{field}: {message}"));
        let all: Vec<_> = self.messages.iter().cloned().chain(fields).collect();
        write!(f, "{}: {}", self.status, all.join(" "))
    }
}

impl std::error::Error for Fault {}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        tracing::error!(%error, "the site's database failed");
        Self::new(500, "Internal server error")
    }
}
