//! `jira_sprint_report`: how the active sprint of a board or a project goes.

use plainwire::prelude::*;

use super::{as_argument, attached, given};
use crate::jira::Jira;
use crate::jira::agile::{Boards, Slice};
use crate::resources::views::{self, ActiveSprint};

/// The largest number of boards of a project that are looked at for an active sprint.
const MAX_BOARDS: u64 = 10;

#[data]
pub(super) struct SprintReport {
    /// The number of a board.
    board_id: Option<String>,
    /// The key of a project, if no board is given: its first board with an active sprint.
    project_key: Option<String>,
}

pub(super) async fn sprint_report(
    it: SprintReport,
    jira: State<Jira>,
) -> Result<Vec<PromptMessage>, ToolError> {
    let (board, active) = match (given(it.board_id.as_ref()), given(it.project_key.as_ref())) {
        (Some(board), _) => {
            let board = jira.board_id(board).await.map_err(as_argument)?;
            let active = views::active_sprint(&jira, &board).await.map_err(as_argument)?;
            (board, active)
        }
        (None, Some(project)) => of_project(&jira, project).await?,
        (None, None) => {
            return Err(ToolError::invalid_input("expected a board or a project, but found neither"));
        }
    };
    let Some(sprint) = active.sprints.first() else {
        let text = format!(
            "The board {board} has no active sprint. Say so, and ask whether a board with another number is meant."
        );
        return Ok(vec![PromptMessage::user(text)]);
    };
    let text = format!(
        "Write a report on the sprint {} for people who were not there, on one page. Begin with one sentence that says whether its goal can be reached by its \
         end. Then: what is done, what is in progress and by whom, what has not been started, and what is at risk (nobody has it, not changed for days, \
         blocked, or too much for the days that are left). `progress` has the counts: do not count again. Name issues by key and summary, and do \
         not invent reasons that the issues do not tell; jira_get_issue has their comments.",
        sprint["name"]
    );
    Ok(vec![
        PromptMessage::user(text),
        attached(format!("jira://boards/{board}/sprint"), &active.into_value()),
    ])
}

/// Returns the first board of a project with an active sprint; if none has one, its first board.
async fn of_project(jira: &Jira, project: &str) -> Result<(String, ActiveSprint), ToolError> {
    let key = jira.project_key(project).await.map_err(as_argument)?;
    let wanted = Boards { name: None, project: Some(&key), kind: Some("scrum") };
    let boards = jira.boards(wanted, Slice { start: 0, limit: MAX_BOARDS, token: None }).await?.items;
    let mut first = None;
    for board in &boards {
        let id = board["id"].to_string();
        let active = views::active_sprint(jira, &id).await?;
        if !active.sprints.is_empty() {
            return Ok((id, active));
        }
        first.get_or_insert((id, active));
    }
    first.ok_or_else(|| ToolError::invalid_input(format!("the project {key} has no board with sprints")))
}
