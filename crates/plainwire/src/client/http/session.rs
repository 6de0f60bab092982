//! The session of a connection, and the frames that begin a new one if the server loses it.
//!
//! Invariant: `generation` counts the sessions. A request that finds its session lost names the generation
//! that it used, so that of many such requests only one begins the next session.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use plainwire_proto::revision::{Feature, Revision};
use serde::Deserialize;

pub(super) const ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The state of the HTTP session of a connection.
#[derive(Clone, Default)]
pub(super) struct Session {
    /// The number of sessions that have begun on the connection, the current one included.
    pub(super) generation: u64,
    /// The id that the server gave the session; `None` if it gave none.
    id: Option<HeaderValue>,
    /// The `initialize` request, which is sent again to begin a new session; `None` before the first session.
    pub(super) initialize: Option<Bytes>,
    /// The newest `logging/setLevel`, which is sent again in a new session.
    pub(super) log_level: Option<Bytes>,
    revision: Option<Revision>,
}

impl Session {
    /// Stores the id and the revision of a new session. `answer` is the answer to `initialize`. Returns
    /// `false` if the session before had another revision.
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

    /// Returns whether the session has an id. Only then can the server lose it.
    pub(super) fn has_id(&self) -> bool {
        self.id.is_some()
    }

    /// Adds the headers that name the session, if it has an id, and the revision, if the revision defines
    /// such a header.
    pub(super) fn describe(&self, headers: &mut HeaderMap) {
        if let Some(id) = &self.id {
            headers.insert(ID, id.clone());
        }
        if let Some(revision) = self.revision.filter(|it| it.has(Feature::VersionHeader)) {
            headers.insert(VERSION, HeaderValue::from_static(revision.as_str()));
        }
    }
}
