//! The results of requests.

use std::time::Duration;

use serde::Deserialize;

use super::{Capabilities, Content, Implementation, PromptMessage, RawJson, ResourceContents};
use crate::revision::Revision;

/// The result of a tool call, success or failure.
///
/// Structured content alone is enough: if `content` is empty, the structured JSON is also sent as text, so
/// that clients that know only one of the two lose nothing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CallToolResult {
    /// The content blocks, in order.
    pub content: Vec<Content>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// The metadata (`_meta`), an object.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The result as structured data.
    pub structured_content: Option<RawJson>,
}

/// The result of reading a resource.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ReadResourceResult {
    /// The contents of the resource, or of its parts.
    pub contents: Vec<ResourceContents>,
    /// The metadata (`_meta`), an object.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
}

/// The result of getting a prompt.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GetPromptResult {
    /// The purpose of the prompt.
    pub description: Option<String>,
    /// The messages, in order.
    pub messages: Vec<PromptMessage>,
    /// The metadata (`_meta`), an object.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
}

/// The time for which a result may be cached, and for which users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheHint {
    /// The users that a cached result may be served to.
    pub scope: CacheScope,
    /// The time for which the result is fresh; sent in whole milliseconds.
    pub ttl: Duration,
}

/// The users that a cached result may be served to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheScope {
    /// The user who made the request, and no other.
    Private,
    /// All users.
    Public,
}

impl Default for CacheHint {
    /// Returns a private hint with zero lifetime: correct for every server, if not the fastest.
    fn default() -> Self {
        Self { scope: CacheScope::Private, ttl: Duration::ZERO }
    }
}

/// Description of a server, which a client receives from `initialize` or `server/discover`.
#[derive(Clone, Debug)]
pub struct ServerHello {
    /// The capabilities that the server declared.
    pub capabilities: Capabilities,
    /// Instructions to the model on using the server.
    pub instructions: Option<String>,
    /// The revision that both sides agreed on.
    pub revision: Revision,
    /// The name and version; optional for servers of 2026-07-28.
    pub server_info: Option<Implementation>,
    /// The whole result of `initialize` or `server/discover`, as it was sent.
    pub raw: RawJson,
}
