//! A received frame, parsed once where it arrives. The peer uses this result and does not parse the frame
//! again.

use plainwire_proto::envelope::{self, Malformed, Message};
use plainwire_proto::json::Span;

use super::Outbound;
use super::connection::Permit;

/// A received frame: the text, and the message parsed from it.
#[derive(Debug)]
pub(crate) struct Inbound {
    /// The parsed message; `None` for a batch, which the peer splits.
    pub(crate) parsed: Option<Result<Message, Malformed>>,
    /// The permit to keep the frame if it is large. Whoever handles the frame drops it afterwards.
    pub(crate) permit: Permit,
    pub(crate) text: String,
}

impl Inbound {
    /// Parses a frame. `permit` is the permit to keep the frame if it is large. `depth` is the peer's limit of
    /// nesting levels.
    pub(super) fn read(text: String, permit: Permit, depth: usize) -> Self {
        let parsed = (!envelope::is_batch(&text)).then(|| envelope::parse(&text, Span::whole(&text), depth));
        Self { parsed, permit, text }
    }

    /// Returns whether the frame is the answer to the request `out`.
    pub(super) fn answers(&self, out: &Outbound) -> bool {
        let id = match &self.parsed {
            Some(Ok(Message::Result { id, .. })) => Some(id),
            Some(Ok(Message::Error { id, .. })) => id.as_ref(),
            // A malformed answer counts too: the peer reports what is wrong with it.
            Some(Err(malformed)) if malformed.is_answer => malformed.id.as_ref(),
            _ => None,
        };
        id.is_some() && id == out.id.as_ref()
    }
}
