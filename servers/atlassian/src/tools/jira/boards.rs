//! Boards and sprints: reading them, and the issues on them.

use plainwire::Entries;
use plainwire::handler::WithBlocks;
use plainwire::prelude::*;

use super::reading::{IssuesView, shown};
use crate::jira::Jira;
use crate::jira::agile::{BoardIssues, Boards, Slice};
use crate::jira::issue::Wanted;
use crate::tools::args::{Texts, limit as clamped};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(jira_get_agile_boards)
        .tool(jira_get_board_issues)
        .tool(jira_get_sprints_from_board)
        .tool(jira_get_sprint_issues)
}

/// The largest number of elements of a page.
const MAX_PAGE: u64 = 50;

/// The largest number of issues of a page.
const MAX_ISSUES: u64 = 100;

/// Boards.
#[data(kind = "jiraBoards:v1")]
struct BoardsView {
    boards: Vec<Value>,
    /// For `page_token` of the next call; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

// The boards to find.
#[data]
struct GetBoards {
    /// A part of the name.
    board_name: Option<String>,
    /// Only those of this project.
    project_key: Option<String>,
    /// `scrum` or `kanban`.
    board_type: Option<String>,
    /// How many to skip.
    #[default(0)]
    start_at: u64,
    /// The largest number, at most 50.
    #[default(10)]
    limit: u64,
    /// From `next_page_token`.
    page_token: Option<String>,
}

/// Finds boards by name, project or type. Returns their ids, names and types.
#[tool(read_only, title = "Boards")]
async fn jira_get_agile_boards(
    #[arguments] it: GetBoards,
    jira: State<Jira>,
) -> Result<BoardsView, ToolError> {
    let project = match &it.project_key {
        Some(key) => Some(jira.project_key(key).await?),
        None => None,
    };
    let wanted = Boards {
        name: it.board_name.as_deref(),
        project: project.as_deref(),
        kind: it.board_type.as_deref(),
    };
    let slice = Slice {
        start: it.start_at,
        limit: clamped(Some(it.limit), 10, MAX_PAGE),
        token: it.page_token.as_deref(),
    };
    let found = jira.boards(wanted, slice).await?;
    Ok(BoardsView { boards: found.items, next_page_token: found.next })
}

// The issues of a board.
#[data]
pub(crate) struct GetBoardIssues {
    /// From jira_get_agile_boards.
    board_id: String,
    /// Limits them further; nothing for all.
    #[serde(default)]
    jql: String,
    /// Names or ids. By default the usual ones.
    #[serde(default)]
    fields: Texts,
    /// How many to skip.
    #[default(0)]
    start_at: u64,
    /// The largest number, at most 100.
    #[default(10)]
    limit: u64,
    /// Has no effect: jira_get_issue expands.
    #[schemars(extend("deprecated" = true))]
    #[serde(default)]
    expand: Texts,
    /// From `next_page_token`.
    page_token: Option<String>,
}

impl GetBoardIssues {
    /// Returns a page of those issues of a board that JQL finds, with the usual fields.
    pub(crate) fn of(board_id: String, jql: &str, limit: u64, page_token: Option<String>) -> Self {
        let (jql, fields, expand) = (jql.to_owned(), Texts::default(), Texts::default());
        Self { board_id, jql, fields, start_at: 0, limit, expand, page_token }
    }
}

/// Lists the issues of a board in their order there. Returns fields, a total, and a token for the next page.
#[tool(read_only, title = "Issues of a board")]
pub(crate) async fn jira_get_board_issues(
    #[arguments] it: GetBoardIssues,
    jira: State<Jira>,
) -> Result<WithBlocks<IssuesView>, ToolError> {
    let board = jira.board_id(&it.board_id).await?;
    let fields = jira.fields().await?;
    let wanted = Wanted::read(&fields, it.fields.all())?.parameter();
    let slice = Slice {
        start: it.start_at,
        limit: clamped(Some(it.limit), 10, MAX_ISSUES),
        token: it.page_token.as_deref(),
    };
    let found = jira.board_issues(&board, BoardIssues { jql: &it.jql, fields: &wanted, slice }).await?;
    Ok(shown(&jira, &fields, found))
}

/// Sprints.
#[data(kind = "jiraSprints:v1")]
pub(crate) struct SprintsView {
    sprints: Vec<Value>,
    /// For `page_token` of the next call; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

/// Lists the sprints of a board, the oldest first. Returns ids, names, states, goals and dates.
#[tool(read_only, title = "Sprints of a board")]
pub(crate) async fn jira_get_sprints_from_board(
    #[argument("From jira_get_agile_boards.")] board_id: String,
    #[argument("`active`, `future` or `closed`; several with commas.")] state: Option<String>,
    #[argument("How many to skip.", default = 0)] start_at: u64,
    #[argument("The largest number, at most 50.", default = 10)] limit: u64,
    #[argument("From `next_page_token`.")] page_token: Option<String>,
    jira: State<Jira>,
) -> Result<SprintsView, ToolError> {
    let board = jira.board_id(&board_id).await?;
    let slice =
        Slice { start: start_at, limit: clamped(Some(limit), 10, MAX_PAGE), token: page_token.as_deref() };
    let state = state.filter(|it| !it.trim().is_empty());
    let found = jira.sprints(&board, state.as_deref(), slice).await?;
    Ok(SprintsView { sprints: found.items, next_page_token: found.next })
}

// The issues of a sprint.
#[data]
struct GetSprintIssues {
    /// From jira_get_sprints_from_board; or a name, or `current sprint`.
    sprint_id: String,
    /// Names or ids. By default the usual ones.
    #[serde(default)]
    fields: Texts,
    /// How many to skip.
    #[default(0)]
    start_at: u64,
    /// The largest number, at most 100.
    #[default(10)]
    limit: u64,
    /// From `next_page_token`.
    page_token: Option<String>,
}

/// Lists the issues of a sprint in their order there. Returns fields, a total, and a token for the next page.
#[tool(read_only, title = "Issues of a sprint")]
async fn jira_get_sprint_issues(
    #[arguments] it: GetSprintIssues,
    jira: State<Jira>,
) -> Result<WithBlocks<IssuesView>, ToolError> {
    let sprint = jira.sprint(&it.sprint_id).await?["id"].to_string();
    let fields = jira.fields().await?;
    let wanted = Wanted::read(&fields, it.fields.all())?.parameter();
    let slice = Slice {
        start: it.start_at,
        limit: clamped(Some(it.limit), 10, MAX_ISSUES),
        token: it.page_token.as_deref(),
    };
    let found = jira.sprint_issues(&sprint, BoardIssues { jql: "", fields: &wanted, slice }).await?;
    Ok(shown(&jira, &fields, found))
}
