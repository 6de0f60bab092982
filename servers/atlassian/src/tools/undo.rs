//! `atlassian_undo`: takes a change back.

use plainwire::Entries;
use plainwire::prelude::*;

use super::writer;
use crate::jira::Jira;
use crate::write::{Change, Journal};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new().tool(atlassian_undo)
}

/// Takes back a change, by the `undo` handle in its result: restores the former values if nobody changed them since. Returns the change.
#[tool(destructive, title = "Take a change back")]
async fn atlassian_undo(
    #[argument("The `undo` handle of the change.")] undo: String,
    #[argument("Only show what would change.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    writer(&jira, &journal, &context).undo(&undo, preview).await
}
