//! Prompts: what people start with a click, with the data of the moment.
//!
//! In: a project, a board, a person or a version. Out: an instruction, and the issues that it is about as resources. A file for each prompt.

mod release_notes;
mod sprint_report;
mod standup;
mod triage;

use plainwire::Entries;
use plainwire::handler::embed;
use plainwire::model::ResourceContents;
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::resources::JSON;
use crate::resources::complete::{What, complete};

/// The prompts of a server.
pub(crate) fn entries(jira: &Jira) -> Entries {
    Entries::new()
        .prompt(
            Prompt::new("jira_triage", triage::triage)
                .title("Triage new issues")
                .description("Goes through the issues of a project that nobody has taken or rated yet, and proposes what to do with each.")
                .complete("project_key", complete(jira, What::Projects)),
        )
        .prompt(
            Prompt::new("jira_standup", standup::standup)
                .title("Stand-up")
                .description("Tells what changed since yesterday: for a person, or in the active sprint of a board.")
                .complete("person", complete(jira, What::People))
                .complete("board_id", complete(jira, What::Boards)),
        )
        .prompt(
            Prompt::new("jira_sprint_report", sprint_report::sprint_report)
                .title("Sprint report")
                .description("Reports on the active sprint of a board, or of a project: its goal, how far it is, and what is at risk.")
                .complete("board_id", complete(jira, What::Boards))
                .complete("project_key", complete(jira, What::Projects)),
        )
        .prompt(
            Prompt::new("jira_release_notes", release_notes::release_notes)
                .title("Release notes")
                .description("Writes the notes of a version from its issues.")
                .complete("project_key", complete(jira, What::Projects))
                .complete("version", complete(jira, What::Versions)),
        )
}

/// Returns a message that has a resource with its content of now.
fn attached(uri: String, value: &Value) -> PromptMessage {
    PromptMessage::user(embed(ResourceContents::text(uri, JSON, value.to_string())))
}

/// Returns the text of an optional argument; an empty one counts as left out.
fn given(argument: Option<&String>) -> Option<&str> {
    argument.map(|it| it.trim()).filter(|it| !it.is_empty())
}

/// Makes an error of an argument of one that says that something is missing: an argument of a prompt can only be wrong.
fn as_argument(error: ToolError) -> ToolError {
    match error.code() {
        "not_found" => ToolError::invalid_input(error.message().to_owned()),
        _ => error,
    }
}
