//! What a connection knows of its server: the session that it is in, and how to begin it anew.
//!
//! Invariant: `generation` counts the sessions; who finds that a session is lost says which one it was in, so that of many
//! who find it one begins the next.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use plainwire_proto::revision::{Feature, Revision};
use serde::Deserialize;

pub(super) const ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

#[derive(Clone, Default)]
pub(super) struct Session {
    pub(super) generation: u64,
    id: Option<HeaderValue>,
    /// The request that began it.
    pub(super) initialize: Option<Bytes>,
    /// The last `logging/setLevel`, which a new session has to hear again.
    pub(super) log_level: Option<Bytes>,
    revision: Option<Revision>,
}

impl Session {
    /// Takes note of the answer to `initialize` and of the id that came with it. Returns whether it is the revision that was spoken before, if there was
    /// one.
    pub(super) fn begin(&mut self, id: Option<HeaderValue>, answer: &str) -> bool {
        #[derive(Deserialize)]
        struct Answer {
            result: Agreed,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Agreed {
            protocol_version: String,
        }
        let agreed = serde_json::from_str::<Answer>(answer).ok();
        let revision = agreed.and_then(|it| Revision::parse(&it.result.protocol_version));
        let is_same = self.generation == 0 || self.revision == revision;
        self.generation += 1;
        self.id = id;
        self.revision = revision;
        is_same
    }

    /// Whether there is one that the server could have lost.
    pub(super) fn has_id(&self) -> bool {
        self.id.is_some()
    }

    /// Adds the headers that tell the server which session a request belongs to.
    pub(super) fn describe(&self, headers: &mut HeaderMap) {
        if let Some(id) = &self.id {
            headers.insert(ID, id.clone());
        }
        if let Some(revision) = self.revision.filter(|it| it.has(Feature::VersionHeader)) {
            headers.insert(VERSION, HeaderValue::from_static(revision.as_str()));
        }
    }
}
