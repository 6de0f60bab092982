//! Tools that change the lists of the server. For the part of the scenario `server-stateless` in which
//! clients with an open listen are notified.
//!
//! A tool call removes the entry that it has added, so that lists requested before and after the call are
//! equal.

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
