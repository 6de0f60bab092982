//! Completion: suggestions for arguments of resources and prompts.
//!
//! In: what was typed so far. Out: keys, ids or names, the best first. If the server is limited to projects, only what belongs to them.

use std::future::Future;
use std::pin::Pin;

use plainwire::prelude::*;

use crate::jira::Jira;
use crate::jira::agile::{Boards, Slice};
use crate::jira::people::Among;
use crate::jira::projects::Archived;
use crate::jira::search::Query;

/// The largest number of suggestions. A client gets no more than 100.
const MAX_SUGGESTED: usize = 50;

/// Issues that were changed not so long ago: what is suggested before anything is typed. Cloud refuses a search without a condition.
const RECENT: &str = "updated >= -30d ORDER BY updated DESC";

/// The thing that is completed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// Ids of boards.
    Boards,
    /// Keys of issues.
    Issues,
    /// Names of people.
    People,
    /// Keys of projects.
    Projects,
    /// Names of versions, of the project in the argument `project_key`.
    Versions,
}

/// The future of a completion.
pub(crate) type Completed = Pin<Box<dyn Future<Output = Result<Vec<String>, ToolError>> + Send>>;

/// Returns the completion of a thing.
pub(crate) fn complete(jira: &Jira, what: What) -> impl Fn(Completing) -> Completed + Send + Sync + 'static {
    let jira = jira.clone();
    move |it| {
        let jira = jira.clone();
        Box::pin(async move {
            let text = it.value.trim();
            let mut found = match what {
                What::Boards => boards(&jira, text, it.arguments.get("project_key")).await?,
                What::Issues => issues(&jira, text).await?,
                What::People => people(&jira, text).await?,
                What::Projects => projects(&jira, text).await?,
                What::Versions => versions(&jira, text, it.arguments.get("project_key")).await?,
            };
            found.truncate(MAX_SUGGESTED);
            Ok(found)
        })
    }
}

async fn boards(jira: &Jira, text: &str, project: Option<&String>) -> Result<Vec<String>, ToolError> {
    let is_number = text.bytes().all(|it| it.is_ascii_digit());
    let project = match project.map(|it| it.trim()).filter(|it| !it.is_empty()) {
        Some(key) => Some(jira.project_key(key).await?),
        None => None,
    };
    let wanted = Boards { name: Some(text).filter(|_| !is_number), project: project.as_deref(), kind: None };
    let found = jira.boards(wanted, Slice { start: 0, limit: MAX_SUGGESTED as u64, token: None }).await?;
    let ids = found.items.iter().map(|it| it["id"].to_string());
    Ok(ids.filter(|id| !is_number || id.starts_with(text)).collect())
}

/// Suggests the issues that were changed last, or those whose key or words fit.
///
/// Source: `GET /rest/api/{v}/issue/picker`.
async fn issues(jira: &Jira, text: &str) -> Result<Vec<String>, ToolError> {
    if text.is_empty() {
        let jql = jira.limited(RECENT).await?;
        let query =
            Query { jql, fields: "summary".to_owned(), limit: MAX_SUGGESTED as u64, start: 0, token: None };
        return Ok(jira.search(&query).await?.issues.into_iter().map(|it| it.key).collect());
    }
    let jql = jira.limited("ORDER BY updated DESC").await?;
    let request = jira
        .get(["issue", "picker"])
        .query("query", text)
        .query("currentJQL", jql)
        .query("showSubTasks", "true");
    let found: Value = jira.site().json(request).await?;
    let sections = found["sections"].as_array().into_iter().flatten();
    let issues = sections.flat_map(|it| it["issues"].as_array().into_iter().flatten());
    let mut keys: Vec<String> = Vec::new();
    // The section of issues that were seen before ignores JQL.
    for key in issues.filter_map(|it| it["key"].as_str()).filter(|key| jira.may_show(key)) {
        if !keys.iter().any(|it| it == key) {
            keys.push(key.to_owned());
        }
    }
    let typed = text.to_uppercase();
    keys.sort_by_key(|it| !it.to_uppercase().starts_with(&typed));
    Ok(keys)
}

async fn people(jira: &Jira, text: &str) -> Result<Vec<String>, ToolError> {
    if text.is_empty() {
        return Ok(vec!["me".to_owned()]);
    }
    let found = jira.find_people(text, Among::All, MAX_SUGGESTED).await?;
    Ok(found.into_iter().filter(|it| it.active).map(|it| it.display_name).collect())
}

async fn projects(jira: &Jira, text: &str) -> Result<Vec<String>, ToolError> {
    let found = jira.find_projects(text, Archived::LeftOut, MAX_SUGGESTED, None).await?;
    let mut keys: Vec<String> =
        found.items.iter().filter_map(|it| it["key"].as_str().map(ToOwned::to_owned)).collect();
    let typed = text.to_uppercase();
    keys.sort_by_key(|it| !it.to_uppercase().starts_with(&typed));
    Ok(keys)
}

async fn versions(jira: &Jira, text: &str, project: Option<&String>) -> Result<Vec<String>, ToolError> {
    let Some(project) = project.filter(|it| !it.trim().is_empty()) else { return Ok(Vec::new()) };
    let project = jira.project_key(project).await?;
    let typed = text.to_lowercase();
    let mut names = super::views::version_names(jira, &project).await?;
    names.retain(|it| it.to_lowercase().contains(&typed));
    // The newest one comes last in a project.
    names.reverse();
    Ok(names)
}
