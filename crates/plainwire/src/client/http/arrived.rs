//! What comes from the other side of HTTP.

use plainwire_proto::envelope::Id;

use super::Inbound;
use crate::error::Error;

/// What comes, in the order of its stream.
#[derive(Debug)]
pub(crate) enum Arrived {
    /// A request has no answer, and will get none.
    Failed { id: Id, error: Error },
    /// Nothing comes any more.
    Gone(String),
    /// A message, or a batch of them.
    Message(Box<Inbound>),
    /// What was subscribed may not be any more, and what has changed was not told: the server, or a stream, began anew.
    Renewed,
}
