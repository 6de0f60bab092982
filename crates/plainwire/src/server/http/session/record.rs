//! The record of a session in the store: its owner, and the state of its peer.

use plainwire_proto::peer::Peer;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A session record. Shape: `{"principal":"ada","session":{…}}`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The name of the principal that began the session; `None` if the session has no principal.
    pub(crate) principal: Option<String>,
    session: Box<RawValue>,
}

impl Record {
    /// Returns the record of the session of `peer`; `None` before `initialize`.
    pub(super) fn of(principal: Option<String>, peer: &Peer) -> Option<Self> {
        let session = RawValue::from_string(String::from_utf8(peer.save_session()?).ok()?).ok()?;
        Some(Self { principal, session })
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        // A string and JSON always serialize.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Parses a record that [`Self::to_bytes`] wrote; `None` if the bytes are no record.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// Returns the state that [`Peer::save_session`] wrote.
    pub(super) fn session(&self) -> &[u8] {
        self.session.get().as_bytes()
    }
}
