//! The results of requests for tools, resources and prompts, and the description of a server.

use std::time::Duration;

use serde::Deserialize;

use super::{Capabilities, Content, Implementation, PromptMessage, RawJson, ResourceContents};
use crate::revision::Revision;

/// The result of a tool call, success or failure.
///
/// Structured content alone is enough: if `content` is empty, the structured JSON is also sent as text, so
/// that clients that know only text or only structured content lose nothing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CallToolResult {
    /// The content blocks of the result, in order.
    pub content: Vec<Content>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// The metadata (`_meta`) of the result, an object.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The result as structured data: JSON that fits the output schema of the tool, if it has one.
    #[serde(deserialize_with = "super::present")]
    pub structured_content: Option<RawJson>,
}

/// The result of reading a resource.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ReadResourceResult {
    /// The contents of the resource, or of its parts.
    pub contents: Vec<ResourceContents>,
    /// The metadata (`_meta`) of the result, an object.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
}

/// The result of getting a prompt.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GetPromptResult {
    /// The purpose of the prompt.
    pub description: Option<String>,
    /// The messages of the prompt, in order.
    pub messages: Vec<PromptMessage>,
    /// The metadata (`_meta`) of the result, an object.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
}

/// A hint of a server: how long a result may be cached, and for which users.
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
    /// Only the user for whom the request was made.
    Private,
    /// All users.
    Public,
}

impl Default for CacheHint {
    /// Returns a private hint with a lifetime of zero, so that nothing is cached. It is correct for every
    /// server, but not the fastest.
    fn default() -> Self {
        Self { scope: CacheScope::Private, ttl: Duration::ZERO }
    }
}

/// The description of a server, which a client receives from `initialize` or `server/discover`.
#[derive(Clone, Debug)]
pub struct ServerHello {
    /// The capabilities that the server declared.
    pub capabilities: Capabilities,
    /// Instructions of the server to the model on using its tools, resources and prompts.
    pub instructions: Option<String>,
    /// The protocol revision that client and server agreed on.
    pub revision: Revision,
    /// The name and version of the server; optional for servers of 2026-07-28.
    pub server_info: Option<Implementation>,
    /// The whole result of `initialize` or `server/discover`, as it was received.
    pub raw: RawJson,
}
