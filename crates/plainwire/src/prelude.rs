//! Imports for a typical server: `use plainwire::prelude::*;`.

pub use crate::error::Result;
pub use crate::json::Json;
pub use crate::server::asking::{Answer, Confirm};
pub use crate::server::context::{Context, OnCancel, State};
pub use crate::server::entry::{Completing, Prompt, Resource, ResourceTemplate, Tool};
pub use crate::server::result::{Audio, Image, ToolError};
pub use crate::server::{Principal, Server};
pub use plainwire_macros::{ToolError, data, prompt, resource, server, tool};
pub use plainwire_proto::model::{Content, LogLevel, PromptMessage, Role};
pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};
pub use serde_json::{Value, json};
