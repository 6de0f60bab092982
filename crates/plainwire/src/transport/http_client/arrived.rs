//! What comes from the other side of HTTP.

use plainwire_proto::envelope::Id;

use crate::error::Error;

/// What comes, in the order of its stream.
#[derive(Debug)]
pub(crate) enum Arrived {
    /// A request has no answer, and will get none.
    Failed { id: Id, error: Error },
    /// A message.
    Frame(Vec<u8>),
    /// Nothing comes any more.
    Gone(String),
    /// The server knew of nothing any more, and does again: what was subscribed is not, and what has changed in between
    /// was not told.
    Renewed,
}
