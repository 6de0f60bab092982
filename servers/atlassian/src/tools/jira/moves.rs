//! Moving issues between projects, and the changelogs of many issues: both only on Cloud.

use std::time::Duration;

use plainwire::Entries;
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::jira::shown::Cast;
use crate::tools::args::Texts;
use crate::tools::write;
use crate::write::{Change, Journal};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new().tool(jira_move_issue).tool(jira_batch_get_changelogs)
}

/// The time between two looks at a move.
const PAUSE: Duration = Duration::from_millis(500);

/// The number of looks: two minutes.
const LOOKS: u32 = 240;

/// Moves an issue to another project. Returns its new key and an undo handle.
#[tool(destructive, title = "Move an issue")]
async fn jira_move_issue(
    #[argument("Such as SHOP-1.")] issue_key: String,
    #[argument("Such as PAY.")] target_project_key: String,
    #[argument("Only show it.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&issue_key).await?;
    let project = jira.project_key(&target_project_key).await?;
    let plan = jira.plan_move(key.as_str(), &project).await?;
    let mut change = write(&jira, &journal, &context, plan, preview).await?;
    let Some(task) = change.result.pointer("/task/taskId").and_then(Value::as_str).map(ToOwned::to_owned)
    else {
        return Ok(change);
    };
    let progress = follow(&jira, &context, &task).await?;
    let failed = progress["failedAccessibleIssues"].as_object().filter(|it| !it.is_empty());
    if let Some(failed) = failed {
        return Err(ToolError::new("upstream", format!("the issue was not moved: {}", json!(failed))));
    }
    // The old key leads to the issue, which tells its new one.
    let moved = jira.issue(key.as_str(), "summary", &[]).await?;
    change.url = Some(jira.browse(&moved.key));
    change.key = Some(moved.key);
    change.result = Value::Null;
    Ok(change)
}

/// Waits for the end of a move, and returns what the site says of it.
async fn follow(jira: &Jira, context: &Context, task: &str) -> Result<Value, ToolError> {
    for _ in 0..LOOKS {
        let progress: Value = jira.site().json(jira.get(["bulk", "queue", task])).await?;
        match progress["status"].as_str() {
            Some("COMPLETE") => return Ok(progress),
            Some("FAILED" | "DEAD" | "CANCELLED") => {
                return Err(ToolError::new("upstream", format!("the move ended as {}", progress["status"])));
            }
            _ => context.progress(
                progress["progressPercent"].as_f64().unwrap_or_default(),
                Some(100.0),
                Some("moving"),
            ),
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(ToolError::timeout(format!("the move {task} was not over after two minutes"))
        .hint("read the issue later: its key tells whether it was moved"))
}

/// The changelogs of some issues.
#[data(kind = "jiraChangelogs:v1")]
struct Changelogs {
    issues: Value,
    /// Whether there is nothing more.
    is_complete: bool,
}

/// Reads histories of up to 1000 issues. Returns who changed which field, when, from what to what.
#[tool(read_only, title = "Histories of issues")]
async fn jira_batch_get_changelogs(
    #[argument("Keys or ids.")] issue_ids_or_keys: Texts,
    #[argument("Only these fields, by name or id.")] fields: Option<Texts>,
    #[argument("The newest entries of each issue; -1 for all.", default = -1)] limit: i64,
    jira: State<Jira>,
) -> Result<Changelogs, ToolError> {
    let mut keys = Vec::new();
    for text in issue_ids_or_keys.all() {
        keys.push(jira.key(text).await?.as_str().to_owned());
    }
    if keys.is_empty() {
        return Err(ToolError::invalid_input("expected at least one issue, but found none"));
    }
    let known = jira.fields().await?;
    let names = fields.unwrap_or_default();
    let ids = names.all().iter().map(|it| known.meant(it).map(|field| field.id.clone()));
    let ids: Vec<_> = ids.collect::<Result<_, _>>()?;
    let most = usize::try_from(limit).map_or(usize::MAX, |it| it.max(1));
    let mut found = jira.changelogs(&keys, &ids, most, &mut Cast::default()).await?;
    Ok(Changelogs { issues: found["issues"].take(), is_complete: found["is_complete"] == true })
}
