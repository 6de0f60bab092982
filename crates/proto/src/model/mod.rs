//! The values of the protocol, in the shape of the newest revision.
//!
//! [`crate::codec`] handles older shapes: when it writes a value for an older revision, it leaves out or
//! converts parts that the revision lacks. In a value that is read from an older revision, such parts are
//! missing. JSON that the protocol passes on without interpretation (schemas, `_meta`, structured content)
//! stays as text, so that unknown keywords and the order of members are preserved.

mod capability;
mod content;
mod elicitation;
mod entry;
mod input;
mod result;
mod sampling;
mod utility;

pub use capability::{Capabilities, ClientCapability};
pub use content::{
    Annotations, BlobResource, Content, EmbeddedResource, MediaContent, PromptMessage, ResourceContents,
    Role, TextContent, TextResource,
};
pub use elicitation::{ElicitAction, ElicitResult, Elicitation};
pub use entry::{
    Icon, Implementation, Prompt, PromptArgument, Resource, ResourceTemplate, Tool, ToolAnnotations,
};
pub use input::{InputMethod, InputRequest, InputRequired, InputResponse};
pub use result::{CacheHint, CacheScope, CallToolResult, GetPromptResult, ReadResourceResult, ServerHello};
pub use sampling::{
    CreateMessage, CreateMessageResult, ModelHint, ModelPreferences, SamplingContent, SamplingMessage,
    ToolChoice, ToolResult, ToolUse,
};
pub use utility::{
    CompleteRequest, Completion, CompletionReference, LogLevel, LogMessage, Root, SubscriptionFilter,
};

/// JSON text that is passed on unchanged.
pub type RawJson = Box<serde_json::value::RawValue>;

/// Reads a member that is there as `Some`, also if it is `null`: an `Option` alone would read that as `None`.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<RawJson>, D::Error> {
    serde::Deserialize::deserialize(from).map(Some)
}
