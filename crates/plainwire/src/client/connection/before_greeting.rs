//! Lines on a server's output before the handshake that are no messages. They are skipped, and named in the
//! error if the handshake fails.
//!
//! A log line on stdout is the usual mistake, and the usual reason for a failed handshake.

use plainwire_proto::error::Error as Refusal;
use plainwire_proto::json::shorten;

use crate::error::Error;

/// The number of skipped lines, and the first of them.
#[derive(Default)]
pub(super) struct BeforeGreeting {
    count: u64,
    first: String,
}

impl BeforeGreeting {
    /// Counts a line that was skipped for the reason `why`, and logs the first.
    pub(super) fn note(&mut self, line: &str, why: &str) {
        if self.count == 0 {
            tracing::warn!(
                "the server wrote a line to its output that is no message: {:?}: {why}",
                shorten(line)
            );
            self.first = shorten(line).into_owned();
        }
        self.count = self.count.saturating_add(1);
    }

    /// Adds the skipped lines to the error of a failed handshake: their number, and the first of them.
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
