//! Reading by the names of `v1`.

use plainwire::Entries;
use plainwire::handler::WithBlocks;
use plainwire::prelude::*;

use super::twice;
use crate::jira::Jira;
use crate::tools::jira::boards::{self, GetBoardIssues, SprintsView};
use crate::tools::jira::comments::{self, CommentsView};
use crate::tools::jira::projects::{self, ProjectsView};
use crate::tools::jira::reading::{self, GetIssue, IssueView, IssuesView, SearchIssues};

/// The tools of this file.
pub(super) fn entries() -> Entries {
    Entries::new()
        .tool(jira_search_issues)
        .tool(search_issues)
        .tool(jira_get_issue)
        .tool(v1_jira_get_issue)
        .tool(jira_get_comments)
        .tool(v1_jira_get_comments)
        .tool(jira_list_projects)
        .tool(jira_get_sprint)
        .tool(jira_get_sprint_issues)
        .tool(v1_jira_get_sprint_issues)
}

// A search of issues.
#[data]
#[serde(rename_all = "camelCase")]
struct Search {
    /// JQL, such as `project = SHOP AND status != Done`; or words to find.
    query: String,
    /// The largest number of issues, at most 100.
    #[default(10)]
    max_results: u64,
    /// From `next_page_token`.
    page_token: Option<String>,
}

/// Finds issues by JQL or words. Returns their keys, summaries and statuses, a link for each, and a token for the next page.
#[tool(read_only, title = "Search issues")]
async fn jira_search_issues(
    #[arguments] it: Search,
    jira: State<Jira>,
) -> Result<WithBlocks<IssuesView>, ToolError> {
    reading::jira_search(SearchIssues::of(it.query, it.max_results, it.page_token), jira).await
}

/// Finds issues by JQL or words, as jira_search_issues does. Returns their keys, summaries and statuses.
#[tool(read_only, title = "Search issues")]
async fn search_issues(
    #[arguments] it: Search,
    jira: State<Jira>,
) -> Result<WithBlocks<IssuesView>, ToolError> {
    jira_search_issues(it, jira).await
}

/// An issue to read.
#[data]
#[serde(rename_all = "camelCase")]
struct OfIssue {
    /// Such as SHOP-1, or its address.
    issue_key: String,
}

twice! {
    /// Reads one issue: its fields, its description as Markdown, its links, files and newest comments. Returns names for people and statuses.
    #[tool(read_only, title = "Get an issue")]
    jira_get_issue | v1_jira_get_issue (it: OfIssue, jira) -> IssueView {
        reading::issue(&GetIssue::whole(it.issue_key), &jira).await
    }
}

/// The comments to read.
#[data]
#[serde(rename_all = "camelCase")]
struct GetComments {
    /// Such as SHOP-1.
    issue_key: String,
    /// The largest number of comments, at most 100.
    #[default(25)]
    max_results: u64,
}

twice! {
    /// Reads the newest comments of an issue. Returns authors, times and bodies as Markdown.
    #[tool(read_only, title = "Comments of an issue")]
    jira_get_comments | v1_jira_get_comments (it: GetComments, jira) -> CommentsView {
        comments::jira_get_comments(it.issue_key, it.max_results, jira).await
    }
}

// A page of projects.
#[data]
#[serde(rename_all = "camelCase")]
struct ListProjects {
    /// From `next_page_token`.
    page_token: Option<String>,
}

/// Lists the projects that the account can see. Returns their keys, names, ids, types and leads.
#[tool(read_only, title = "Projects")]
async fn jira_list_projects(
    #[arguments] it: ListProjects,
    jira: State<Jira>,
) -> Result<ProjectsView, ToolError> {
    projects::jira_get_all_projects(false, 100, it.page_token, jira).await
}

// The board of a sprint.
#[data]
#[serde(rename_all = "camelCase")]
struct OfBoard {
    /// The number of the board.
    board_id: u64,
}

/// Finds the active sprint of a board, several where sprints run at once. Returns ids, names, goals and dates.
#[tool(read_only, title = "Active sprint of a board")]
async fn jira_get_sprint(#[arguments] it: OfBoard, jira: State<Jira>) -> Result<SprintsView, ToolError> {
    let active = Some("active".to_owned());
    boards::jira_get_sprints_from_board(it.board_id.to_string(), active, 0, 50, None, jira).await
}

// The issues of the active sprint of a board.
#[data]
#[serde(rename_all = "camelCase")]
struct GetSprintIssues {
    /// The number of the board.
    board_id: u64,
    /// The largest number of issues, at most 100.
    #[default(25)]
    max_results: u64,
    /// From `next_page_token`.
    page_token: Option<String>,
}

twice! {
    /// Lists the issues of the active sprint of a board, in their order there. Returns fields, a total, and a token for the next page.
    #[tool(read_only, title = "Issues of the active sprint")]
    jira_get_sprint_issues | v1_jira_get_sprint_issues (it: GetSprintIssues, jira) -> WithBlocks<IssuesView> {
        let open = "sprint in openSprints()";
        boards::jira_get_board_issues(GetBoardIssues::of(it.board_id.to_string(), open, it.max_results, it.page_token), jira)
            .await
    }
}
