//! Changes of sprints, and of where issues are: in which sprint, at which place.

use plainwire::Entries;
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::jira::agile::SprintFields;
use crate::jira::key::Key;
use crate::tools::args::Texts;
use crate::tools::write;
use crate::write::{Change, Journal};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(jira_create_sprint)
        .tool(jira_update_sprint)
        .tool(jira_add_issues_to_sprint)
        .tool(jira_move_issues_to_backlog)
        .tool(jira_rank_issues)
}

// A sprint to make.
#[data]
struct CreateSprint {
    /// From jira_get_agile_boards.
    board_id: String,
    name: String,
    /// A day or a time, such as 2026-11-30 or 2026-11-30T09:00Z.
    start_date: Option<String>,
    /// As `start_date`.
    end_date: Option<String>,
    goal: Option<String>,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Makes a future sprint of a board; jira_update_sprint starts it. Returns its id and an undo handle.
#[tool(additive, title = "Make a sprint")]
async fn jira_create_sprint(
    #[arguments] it: CreateSprint,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let board = jira.board_id(&it.board_id).await?;
    let fields = SprintFields {
        name: Some(&it.name),
        goal: it.goal.as_deref(),
        start: it.start_date.as_deref(),
        end: it.end_date.as_deref(),
        state: None,
    };
    let plan = jira.plan_create_sprint(&board, &fields)?;
    let mut change = write(&jira, &journal, &context, plan, it.preview).await?;
    if let Some(id) = change.result.pointer("/sprint/id").cloned() {
        change.key = Some(id.to_string());
        change.result = json!({ "sprint_id": id });
    }
    Ok(change)
}

// A change of a sprint.
#[data]
struct UpdateSprint {
    /// From jira_get_sprints_from_board; or a name, or `current sprint`.
    sprint_id: String,
    name: Option<String>,
    /// `active` starts it, `closed` ends it; neither can be taken back.
    state: Option<String>,
    /// A day or a time, such as 2026-11-30 or 2026-11-30T09:00Z.
    start_date: Option<String>,
    /// As `start_date`.
    end_date: Option<String>,
    goal: Option<String>,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Changes, starts or ends a sprint; what is not given stays. Returns what changed and an undo handle.
#[tool(destructive, title = "Change a sprint")]
async fn jira_update_sprint(
    #[arguments] it: UpdateSprint,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let sprint = jira.sprint(&it.sprint_id).await?;
    let fields = SprintFields {
        name: it.name.as_deref(),
        goal: it.goal.as_deref(),
        start: it.start_date.as_deref(),
        end: it.end_date.as_deref(),
        state: it.state.as_deref(),
    };
    let plan = jira.plan_update_sprint(&sprint, &fields)?;
    write(&jira, &journal, &context, plan, it.preview).await
}

async fn keys(jira: &Jira, texts: &Texts) -> Result<Vec<Key>, ToolError> {
    let mut keys = Vec::new();
    for text in texts.all() {
        keys.push(jira.key(text).await?);
    }
    if keys.is_empty() {
        return Err(ToolError::invalid_input("expected at least one issue, but found none"));
    }
    Ok(keys)
}

// Issues for a sprint.
#[data]
struct AddToSprint {
    /// From jira_get_sprints_from_board; or a name, or `current sprint`.
    sprint_id: String,
    /// Such as SHOP-1,SHOP-2.
    issue_keys: Texts,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Moves issues into a sprint, out of the one that they are in. Returns the former place of each, and an undo handle.
#[tool(destructive, title = "Add issues to a sprint")]
async fn jira_add_issues_to_sprint(
    #[arguments] it: AddToSprint,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let sprint = jira.sprint(&it.sprint_id).await?;
    let keys = keys(&jira, &it.issue_keys).await?;
    let plan = jira.plan_to_sprint("jira_add_issues_to_sprint", &keys, Some(&sprint)).await?;
    write(&jira, &journal, &context, plan, it.preview).await
}

/// Moves issues to the backlog, out of the sprint that they are in. Returns the former place of each, and an undo handle.
#[tool(destructive, title = "Move issues to the backlog")]
async fn jira_move_issues_to_backlog(
    #[argument("Such as SHOP-1,SHOP-2.")] issue_keys: Texts,
    #[argument("Only show it.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let keys = keys(&jira, &issue_keys).await?;
    let plan = jira.plan_to_sprint("jira_move_issues_to_backlog", &keys, None).await?;
    write(&jira, &journal, &context, plan, preview).await
}

// A new place in the order.
#[data]
struct RankIssues {
    /// At most 50, in their new order.
    issue_keys: Texts,
    /// They come directly before this issue.
    rank_before_issue: Option<String>,
    /// They come directly after this issue.
    rank_after_issue: Option<String>,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Moves issues up or down in boards and backlogs: before or after another issue. Returns the former places and an undo handle.
#[tool(destructive, title = "Rank issues")]
async fn jira_rank_issues(
    #[arguments] it: RankIssues,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let (other, is_before) = match (&it.rank_before_issue, &it.rank_after_issue) {
        (Some(other), None) => (other, true),
        (None, Some(other)) => (other, false),
        _ => {
            return Err(ToolError::invalid_input(
                "expected one of `rank_before_issue` and `rank_after_issue`",
            ));
        }
    };
    let other = jira.key(other).await?;
    let keys = keys(&jira, &it.issue_keys).await?;
    let plan = jira.plan_rank(&keys, &other, is_before).await?;
    let mut change = write(&jira, &journal, &context, plan, it.preview).await?;
    // The site can rank some issues, and refuse others.
    let entries =
        change.result.pointer("/rank/entries").and_then(Value::as_array).cloned().unwrap_or_default();
    for entry in entries.iter().filter(|it| it["errors"].as_array().is_some_and(|it| !it.is_empty())) {
        change.warnings.push(format!("{} was not ranked: {}", entry["issueKey"], entry["errors"]));
    }
    change.result = Value::Null;
    Ok(change)
}
