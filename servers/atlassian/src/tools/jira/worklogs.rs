//! Worklogs: the time that people spent on an issue.

use plainwire::Entries;
use plainwire::prelude::*;

use super::losses;
use crate::jira::Jira;
use crate::jira::paging::part;
use crate::jira::shown::Cast;
use crate::jira::worklogs::Work;
use crate::tools::args;
use crate::tools::write;
use crate::write::{Change, Journal};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new().tool(jira_get_worklog).tool(jira_add_worklog)
}

/// Worklogs of an issue.
#[data(kind = "jiraWorklogs:v1")]
struct WorklogsView {
    /// The number of all.
    total: u64,
    /// The time of all, in seconds.
    seconds: i64,
    /// Comments are Markdown.
    worklogs: Vec<Value>,
    /// For `page_token` of the next call; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

/// Reads the worklogs of an issue, the oldest first. Returns authors, starts, times and comments, and the sum of all in seconds.
#[tool(read_only, title = "Worklogs of an issue")]
async fn jira_get_worklog(
    #[argument("Such as SHOP-1.")] issue_key: String,
    #[argument("The largest number of worklogs, at most 1000.", default = 100)] limit: u64,
    #[argument("From `next_page_token`.")] page_token: Option<String>,
    jira: State<Jira>,
) -> Result<WorklogsView, ToolError> {
    let key = jira.key(&issue_key).await?;
    let mut found = jira.worklogs(key.as_str(), &mut Cast::default()).await?;
    let Value::Array(all) = found["worklogs"].take() else {
        return Err(ToolError::new("upstream", "the site answered no list of worklogs"));
    };
    let most = usize::try_from(args::limit(Some(limit), 100, 1_000)).unwrap_or(100);
    let some = part(all, most, page_token.as_deref())?;
    Ok(WorklogsView {
        total: found["total"].as_u64().unwrap_or(some.total),
        seconds: found["seconds"].as_i64().unwrap_or_default(),
        worklogs: some.items,
        next_page_token: some.next,
    })
}

// A worklog to add.
#[data]
struct AddWorklog {
    /// Such as SHOP-1.
    issue_key: String,
    /// Such as `1h 30m` or `2d`.
    time_spent: String,
    /// Markdown.
    comment: Option<String>,
    /// When work began, such as 2026-11-27T09:30:00Z, or a day. By default now.
    started: Option<String>,
    /// A new original estimate, such as `3d`.
    original_estimate: Option<String>,
    /// A new remaining estimate. By default it is less by the time spent.
    remaining_estimate: Option<String>,
    /// Write even if content is lost.
    #[default(false)]
    accept_loss: bool,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Logs time on an issue, with a comment and new estimates if given. Returns the worklog's id and an undo handle.
#[tool(additive, title = "Log time")]
async fn jira_add_worklog(
    #[arguments] it: AddWorklog,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&it.issue_key).await?;
    let (mut comment, mut lost) = (None, Vec::new());
    if let Some(text) = it.comment.as_deref().filter(|it| !it.trim().is_empty()) {
        let (rich, warnings) = jira.body(text, false, losses(it.accept_loss))?;
        (comment, lost) = (Some(rich), warnings);
    }
    let work = Work {
        time_spent: it.time_spent.trim(),
        comment,
        started: given(it.started.as_deref()),
        original_estimate: given(it.original_estimate.as_deref()),
        remaining_estimate: given(it.remaining_estimate.as_deref()),
    };
    let mut plan = jira.plan_work(key.as_str(), work).await?;
    plan.warnings.extend(lost);
    let mut change = write(&jira, &journal, &context, plan, it.preview).await?;
    if let Some(id) = change.result.pointer("/worklog/id").cloned() {
        change.result = json!({ "worklog_id": id });
    }
    Ok(change)
}

/// Returns a text that is not empty.
pub(crate) fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|it| !it.is_empty())
}
