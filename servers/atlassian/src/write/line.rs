//! The line of a change in the audit.
//!
//! In: a change that is about to be made. Out: one line, whatever becomes of it. A call that is cancelled drops the change in the middle, and
//! the site may have it by then.

use plainwire::audit::{Entry, Outcome};
use plainwire::serde_json::Value;

use super::{FieldChange, Writer};
use crate::rest::{Kind, Upstream};

/// The line of a change that is being made. One that is dropped untold says that the outcome is unknown.
pub(super) struct Line<'a> {
    writer: &'a Writer<'a>,
    tool: &'a str,
    target: &'a str,
    changes: &'a [FieldChange],
    outcome: Outcome,
}

impl Writer<'_> {
    /// Begins the line of a change: before its first request.
    pub(super) fn line<'a>(&'a self, tool: &'a str, target: &'a str, changes: &'a [FieldChange]) -> Line<'a> {
        Line { writer: self, tool, target, changes, outcome: Outcome::Unknown }
    }
}

impl Line<'_> {
    /// Writes that the change was made.
    pub(super) fn done(mut self) {
        self.outcome = Outcome::Done;
    }

    /// Writes what became of a change whose step number `at` failed.
    pub(super) fn failed(mut self, at: usize, error: &Upstream) {
        self.outcome = match error.kind() {
            _ if at > 0 => Outcome::Partly,
            // The site may have made it before, or while, it answered so.
            Kind::Cut | Kind::Html | Kind::OutcomeUnknown | Kind::Server | Kind::Unreadable => {
                Outcome::Unknown
            }
            _ => Outcome::Failed,
        };
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        let values = |of: fn(&FieldChange) -> &Value| {
            self.changes.iter().map(|it| (it.field.clone(), of(it).clone())).collect()
        };
        self.writer.journal.audit.record(&Entry {
            who: self.writer.principal.as_deref(),
            tool: self.tool,
            target: self.target,
            before: values(|it| &it.old),
            after: values(|it| &it.new),
            request: &self.writer.request,
            outcome: self.outcome,
        });
    }
}
