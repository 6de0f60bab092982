//! Records of legacy sessions: bytes from which another process can continue a session.
//!
//! In: a session of a server. Out: its record, and a peer that continues from that record. Open requests are
//! not part of the record: the process that began them ends them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Client, Peer, Role};
use crate::codec;
use crate::model::{Capabilities, Implementation, LogLevel};
use crate::revision::{Era, Revision};

/// The record of a session. Shape:
/// `{"capabilities":{…},"info":{…},"initialized":true,"logLevel":"info","revision":"2025-11-25","uris":[…]}`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    capabilities: Capabilities,
    /// The client's `Implementation` as JSON; `None` if it sent none.
    #[serde(skip_serializing_if = "Option::is_none")]
    info: Option<Box<RawValue>>,
    initialized: bool,
    log_level: String,
    revision: String,
    /// The URIs of the resources that the client subscribes to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    uris: Vec<String>,
}

impl Peer {
    /// Returns the record of the legacy session; `None` before `initialize`, and for a client.
    pub fn save_session(&self) -> Option<Vec<u8>> {
        let Role::Server(session) = &self.role else { return None };
        let (revision, client) = (session.revision?, session.client.as_deref()?);
        let record = Record {
            capabilities: client.capabilities.clone(),
            info: client.info.as_ref().and_then(to_raw),
            initialized: session.initialized,
            log_level: session.log_level.as_str().to_owned(),
            revision: revision.as_str().to_owned(),
            uris: self.subscriptions.legacy.iter().map(ToString::to_string).collect(),
        };
        serde_json::to_vec(&record).ok()
    }

    /// Returns a number that changes whenever the result of [`Self::save_session`] may change.
    pub fn session_generation(&self) -> u64 {
        match &self.role {
            Role::Server(session) => session.generation + self.subscriptions.generation,
            Role::Client(_) => 0,
        }
    }

    /// Returns whether the client of the session has sent `notifications/initialized`.
    pub fn is_initialized(&self) -> bool {
        matches!(&self.role, Role::Server(session) if session.initialized)
    }

    /// Continues a session from a record of [`Self::save_session`], made by this process or another. Returns
    /// whether the record is valid and its revision is served; otherwise nothing changes.
    pub fn restore_session(&mut self, record: &[u8]) -> bool {
        let Ok(record) = serde_json::from_slice::<Record>(record) else { return false };
        let Role::Server(session) = &mut self.role else { return false };
        let served = |it: &Revision| it.era() == Era::Legacy && session.config.revisions.contains(it);
        let Some(revision) = Revision::parse(&record.revision).filter(served) else { return false };
        let level = LogLevel::ALL.into_iter().find(|level| level.as_str() == record.log_level);
        let info = record.info.and_then(|raw| serde_json::from_str::<Implementation>(raw.get()).ok());
        session.client = Some(Arc::new(Client { capabilities: record.capabilities, info }));
        session.initialized = record.initialized;
        session.log_level = level.unwrap_or(session.log_level);
        session.revision = Some(revision);
        for uri in std::mem::take(&mut self.subscriptions.legacy) {
            self.subscriptions.unwatch(&uri);
        }
        for uri in record.uris {
            self.subscriptions.watch(&uri);
            self.subscriptions.legacy.insert(uri.into());
        }
        self.session_hears_from_now_on();
        true
    }
}

fn to_raw(info: &Implementation) -> Option<Box<RawValue>> {
    let mut json = Vec::new();
    codec::implementation(&mut json, info, Revision::NEWEST);
    RawValue::from_string(String::from_utf8(json).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Change, Now, ServerConfig};
    use super::*;
    use crate::cursor::List;

    const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1","title":"C"}}}"#;

    fn peer() -> Peer {
        let mut capabilities = Capabilities::default();
        capabilities.declare("logging", json!({}));
        capabilities.declare("tools", json!({ "listChanged": true }));
        capabilities.declare("resources", json!({ "subscribe": true }));
        Peer::server(Arc::new(ServerConfig::new(Implementation::new("s", "1"), capabilities)))
    }

    fn handle(peer: &mut Peer, frame: &str) -> Vec<String> {
        peer.handle_frame(frame.as_bytes(), Now::default());
        while let Some(event) = peer.poll_event() {
            if let super::super::Event::Request {
                key,
                request: super::super::Request::Subscribe { uri },
                ..
            } = event
            {
                peer.subscribe(key, &uri.string(frame).expect("a URI"));
            }
        }
        std::iter::from_fn(|| peer.poll_transmit())
            .map(|it| String::from_utf8(it.bytes).expect("JSON"))
            .collect()
    }

    #[test]
    fn another_peer_goes_on_where_the_record_was_written() {
        let mut first = peer();
        assert_eq!(first.save_session(), None, "there is no session yet");
        handle(&mut first, INITIALIZE);
        assert!(!first.is_initialized());
        handle(&mut first, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        handle(
            &mut first,
            r#"{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"error"}}"#,
        );
        handle(
            &mut first,
            r#"{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"a://1"}}"#,
        );
        let record = first.save_session().expect("a session");

        let mut second = peer();
        assert!(second.restore_session(&record) && second.is_initialized());
        assert_eq!(second.save_session(), Some(record));
        assert_eq!(second.revision(), Some(Revision::V2025_06_18));
        assert_eq!(handle(&mut second, INITIALIZE).len(), 1);
        let info = |peer: &Peer| format!("{:?}", peer.session_client().expect("a client").info);
        assert_eq!(info(&second), info(&first));
        second.changed(&Change::Resource("a://1".to_owned()));
        second.changed(&Change::List(List::Tools));
        let heard = std::iter::from_fn(|| second.poll_transmit()).count();
        assert_eq!(heard, 2, "it hears of its resource, and of lists as after `notifications/initialized`");
    }

    #[test]
    fn what_is_no_record_makes_no_session() {
        for record in
            ["", "{}", r#"{"capabilities":{},"initialized":true,"logLevel":"info","revision":"2026-07-28"}"#]
        {
            assert!(!peer().restore_session(record.as_bytes()), "{record}");
        }
    }
}
