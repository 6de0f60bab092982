//! Messages and failures that an HTTP connection passes to the client's connection task.

use plainwire_proto::envelope::Id;

use super::Inbound;
use crate::error::Error;

/// An event of an HTTP connection. Events of one stream arrive in its order.
#[derive(Debug)]
pub(crate) enum Arrived {
    /// The request `id` failed and will get no answer.
    Failed { id: Id, error: Error },
    /// The connection has ended, for this reason.
    Gone(String),
    /// A message from the server, or a batch of messages.
    Message(Box<Inbound>),
    /// The server began a new session, or a broken event stream was opened again: subscriptions at the server
    /// may be gone, and changes may have been missed.
    Renewed,
}
