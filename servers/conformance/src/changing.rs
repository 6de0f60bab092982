//! Tools that change what there is. Part of `server-stateless`: clients that listen hear of it.
//!
//! What is added goes at once, so that two lists without such a call between them are the same.

use plainwire::prelude::*;
use plainwire::{Entries, ServerHandle};

pub(crate) fn entries() -> Entries {
    Entries::new().tool(test_trigger_tool_change).tool(test_trigger_prompt_change)
}

/// Adds a tool and removes it.
#[tool(additive)]
async fn test_trigger_tool_change(server: State<ServerHandle>) -> Result<&'static str, ToolError> {
    let passing = || async { "Here I am" };
    server.add_tool(Tool::new("test_passing_tool", passing).description("Comes and goes."))?;
    server.remove_tool("test_passing_tool");
    Ok("The list of tools has changed")
}

/// Adds a prompt and removes it.
#[tool(additive)]
async fn test_trigger_prompt_change(server: State<ServerHandle>) -> Result<&'static str, ToolError> {
    let passing = || async { "Here I am" };
    server.add_prompt(Prompt::new("test_passing_prompt", passing).description("Comes and goes."))?;
    server.remove_prompt("test_passing_prompt");
    Ok("The list of prompts has changed")
}
