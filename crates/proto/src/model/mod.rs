//! The values of the protocol, in the shape of the newest revision.
//!
//! Older shapes are the business of [`crate::codec`]: what a revision does not know is left out or put another way
//! when a value is written, and is simply missing when one is read. JSON that the protocol passes on without
//! looking (schemas, `_meta`, structured content) stays the text it was, so that unknown keywords and their order
//! survive.

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

/// JSON text that is passed on as it is.
pub type RawJson = Box<serde_json::value::RawValue>;
