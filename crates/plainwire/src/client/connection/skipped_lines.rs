//! Lines on a server's output that are no messages. The client skips them, and warns of the first. If the handshake
//! (the greeting) fails, its error says how many lines were skipped, and shows the first of them.
//!
//! Servers often write log lines to stdout by mistake, and such a line may explain why a handshake failed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plainwire_proto::error::Error as Refusal;
use plainwire_proto::json::shorten;

use crate::error::Error;

/// The lines that were skipped before the end of the handshake. Shared by the connection that reads them, and by the
/// builder of the client, which gives up when its deadline has passed.
#[derive(Clone, Default)]
pub(crate) struct SkippedLines(Arc<Mutex<Skipped>>);

/// The number of skipped lines, and the text of the first.
#[derive(Default)]
struct Skipped {
    count: u64,
    first: String,
}

impl SkippedLines {
    /// Counts a line that was skipped for the reason `why`. Logs the line if it is the first.
    pub(super) fn note(&self, line: &str, why: &str) {
        let mut skipped = self.lock();
        skipped.count = skipped.count.saturating_add(1);
        if skipped.count == 1 {
            let first = shorten(line).into_owned();
            skipped.first.clone_from(&first);
            drop(skipped);
            tracing::warn!("the server wrote a line that is not a message to its output: {first:?}: {why}");
        }
    }

    /// Logs a message that was ignored after the handshake: as a warning if it is the first line of the server's
    /// output that can't be JSON-RPC, and otherwise only for debugging.
    pub(super) fn note_later(&self, line: &str, why: &str) {
        if self.lock().count > 0 || line.is_empty() || line.trim_start().starts_with(['{', '[']) {
            tracing::debug!("{why:?}");
        } else {
            self.note(line, why);
        }
    }

    /// Adds the skipped lines to the error of a failed handshake: their number, and the first of them. An
    /// error answer of the server stays as it is.
    pub(super) fn explain(&self, error: Error) -> Error {
        match error {
            Error::Closed { why } => Error::Closed { why: self.explained(why) },
            Error::Rpc(why) if why.received_code().is_none() => {
                Error::Rpc(Refusal::new(why.kind().clone(), self.explained(why.message().to_owned())))
            }
            other => other,
        }
    }

    /// Adds the skipped lines to the text of an error.
    pub(crate) fn explained(&self, why: String) -> String {
        let skipped = self.lock();
        let found = match skipped.count {
            0 => return why,
            1 => format!("the line {:?}, which is not a message", skipped.first),
            count => {
                format!("{count} lines that are not messages, the first of which is {:?}", skipped.first)
            }
        };
        format!("{why}, and its output had {found}")
    }

    fn lock(&self) -> MutexGuard<'_, Skipped> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
