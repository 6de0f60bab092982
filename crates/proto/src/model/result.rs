//! What requests are answered with.

use std::time::Duration;

use serde::Deserialize;

use super::{Capabilities, Content, Implementation, PromptMessage, RawJson, ResourceContents};
use crate::revision::Revision;

/// What a tool returns, be it success or failure.
///
/// Structured content alone is enough: where `content` is empty, its JSON is sent as text too, so that clients that
/// know only one of the two lose nothing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CallToolResult {
    /// Blocks, in order.
    pub content: Vec<Content>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// Anything else; an object.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The value as data.
    pub structured_content: Option<RawJson>,
}

/// What reading a resource returns.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ReadResourceResult {
    /// The resource, or the parts of it.
    pub contents: Vec<ResourceContents>,
    /// Anything else; an object.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
}

/// What getting a prompt returns.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GetPromptResult {
    /// What the prompt is for.
    pub description: Option<String>,
    /// What is said, in order.
    pub messages: Vec<PromptMessage>,
    /// Anything else; an object.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
}

/// How long a result stays fresh, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheHint {
    /// Who may be served from a cache.
    pub scope: CacheScope,
    /// For how long; whole milliseconds go over the wire.
    pub ttl: Duration,
}

/// Who may be served from a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheScope {
    /// Who asked, and nobody else.
    Private,
    /// Everybody.
    Public,
}

impl Default for CacheHint {
    /// Not fresh for any time and private: right for every server, if not fast for all.
    fn default() -> Self {
        Self { scope: CacheScope::Private, ttl: Duration::ZERO }
    }
}

/// What a client learns about a server first, from `initialize` or from `server/discover`.
#[derive(Clone, Debug)]
pub struct ServerHello {
    /// What it can do.
    pub capabilities: Capabilities,
    /// How a model should use it.
    pub instructions: Option<String>,
    /// The revision that both now speak.
    pub revision: Revision,
    /// What it is; servers of 2026-07-28 may keep that to themselves.
    pub server_info: Option<Implementation>,
    /// The whole result, as it was sent.
    pub raw: RawJson,
}
