//! What a server writes to its output that is no message: skipped, and named if nobody ever greets us.
//!
//! A log line on stdout is the usual mistake, and the usual reason for a handshake that fails.

use plainwire_proto::error::Error as Refusal;
use plainwire_proto::json::shorten;

use crate::error::Error;

#[derive(Default)]
pub(super) struct Junk {
    count: u64,
    first: String,
}

impl Junk {
    /// Takes note of a line that was ignored, and of why.
    pub(super) fn note(&mut self, line: &str, why: &str) {
        if self.count == 0 {
            tracing::warn!("the server writes what is no message to its output: {:?}: {why}", shorten(line));
            self.first = shorten(line).into_owned();
        }
        self.count = self.count.saturating_add(1);
    }

    /// Adds to an error how much of that there was.
    pub(super) fn explain(&self, error: Error) -> Error {
        let found = match self.count {
            0 => return error,
            1 => format!("found no message in {:?} on its output", self.first),
            count => format!(
                "found no message in {count} lines of its output, the first of which is {:?}",
                self.first
            ),
        };
        match error {
            Error::Closed { why } => Error::Closed { why: format!("{why}, and we {found}") },
            Error::Rpc(why) if why.received_code().is_none() => {
                Error::Rpc(Refusal::new(why.kind().clone(), format!("{}, and we {found}", why.message())))
            }
            other => other,
        }
    }
}
