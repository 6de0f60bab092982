//! What a server is usually written with: `use plainwire::prelude::*;`.

pub use crate::asking::{Answer, Confirm};
pub use crate::context::{Context, Principal};
pub use crate::error::Result;
pub use crate::handler::{Completing, OnCancel, Prompt, Resource, ResourceTemplate, Tool};
pub use crate::result::{Audio, Image, ToolError};
pub use crate::server::Server;
pub use crate::state::State;
pub use plainwire_macros::{data, prompt, resource, server, tool};
pub use plainwire_proto::model::{Content, LogLevel, PromptMessage, Role};
pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};
pub use serde_json::json;
