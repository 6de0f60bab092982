//! Versions of projects.

use plainwire::Entries;
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::jira::input::list;
use crate::jira::versions::{VersionFields, shown};
use crate::tools::args;
use crate::tools::{write, writer};
use crate::write::{Change, Journal};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(jira_get_project_versions)
        .tool(jira_create_version)
        .tool(jira_batch_create_versions)
        .tool(jira_update_version)
}

/// The largest number of versions of a batch.
const MAX_BATCH: usize = 50;

/// Versions of a project.
#[data(kind = "jiraVersions:v1")]
struct VersionsView {
    total: u64,
    versions: Vec<Value>,
    /// For `page_token` of the next call; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

/// Lists the versions of a project, in its order. Returns their ids, names, dates, and whether they are released or archived.
#[tool(read_only, title = "Versions of a project")]
async fn jira_get_project_versions(
    #[argument("Such as SHOP.")] project_key: String,
    #[argument("The largest number of versions, at most 200.", default = 50)] limit: u64,
    #[argument("From `next_page_token`.")] page_token: Option<String>,
    jira: State<Jira>,
) -> Result<VersionsView, ToolError> {
    let project = jira.project_key(&project_key).await?;
    let most = usize::try_from(args::limit(Some(limit), 50, 200)).unwrap_or(50);
    let found = jira.versions(&project, most, page_token.as_deref()).await?;
    Ok(VersionsView { total: found.total, versions: found.items, next_page_token: found.next })
}

/// Makes a version in a project. Returns the version with its id, and an undo handle.
#[tool(additive, title = "Make a version")]
async fn jira_create_version(
    #[argument("Such as SHOP.")] project_key: String,
    #[argument("The name, such as 2.1.0.")] name: String,
    #[argument("A day such as 2026-11-27.")] start_date: Option<String>,
    #[argument("A day such as 2026-12-24.")] release_date: Option<String>,
    #[argument("What it is.")] description: Option<String>,
    #[argument("Only show it.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let project = jira.project_key(&project_key).await?;
    let number = jira.project_number(&project).await?;
    let new =
        VersionFields { name: Some(name), description, start_date, release_date, ..VersionFields::default() };
    let plan = jira.plan_version("jira_create_version", &project, number, &new)?;
    let mut change = write(&jira, &journal, &context, plan, preview).await?;
    if let Some(version) = change.result.get("version") {
        change.result = json!({ "version": shown(version) });
    }
    Ok(change)
}

/// Makes up to 50 versions in a project. Returns for each its id or why it was not made, and one undo handle for all.
#[tool(additive, title = "Make versions")]
async fn jira_batch_create_versions(
    #[argument("Such as SHOP.")] project_key: String,
    #[argument("A list of objects with name, and optionally startDate, releaseDate and description.")]
    versions: Value,
    #[argument("Only show it.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let project = jira.project_key(&project_key).await?;
    let all = list(&versions);
    if all.is_empty() || all.len() > MAX_BATCH {
        let found = all.len();
        return Err(ToolError::invalid_input(format!(
            "expected a list of 1 to {MAX_BATCH} versions, but found {found}"
        )));
    }
    let number = jira.project_number(&project).await?;
    let mut plans = Vec::new();
    for (at, one) in all.iter().enumerate() {
        let text =
            |names: [&str; 2]| names.iter().find_map(|name| one[*name].as_str()).map(ToOwned::to_owned);
        let new = VersionFields {
            name: text(["name", "name"]),
            description: text(["description", "description"]),
            start_date: text(["startDate", "start_date"]),
            release_date: text(["releaseDate", "release_date"]),
            ..VersionFields::default()
        };
        let plan = jira.plan_version("jira_batch_create_versions", &project, number, &new);
        let mut plan =
            plan.map_err(|error| ToolError::invalid_input(format!("versions[{at}]: {}", error.message())))?;
        for change in &mut plan.changes {
            change.field = format!("[{at}] {}", change.field);
        }
        plans.push(plan);
    }
    let summary = format!("make {} versions in {project}", plans.len());
    let each = writer(&jira, &journal, &context).write_each(summary, project, plans, preview).await?;
    let mut change = each.change;
    let outcomes = each.outcomes.iter().zip(&all).map(|(outcome, asked)| match outcome {
        Ok(kept) => json!({ "version": shown(&kept["version"]) }),
        Err(error) => json!({ "name": asked["name"], "error": error.message() }),
    });
    let outcomes: Vec<_> = outcomes.collect();
    if !preview {
        change.result = json!({ "versions": outcomes });
    }
    Ok(change)
}

// A change of a version.
#[data]
struct UpdateVersion {
    /// From jira_get_project_versions.
    version_id: String,
    name: Option<String>,
    description: Option<String>,
    /// A day such as 2026-11-27; an empty text for none.
    start_date: Option<String>,
    /// A day such as 2026-12-24; an empty text for none.
    release_date: Option<String>,
    /// Whether it is hidden from lists of versions to choose.
    archived: Option<bool>,
    /// Whether it is out.
    released: Option<bool>,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Changes a version: what is not given stays as it is. Returns what changed and an undo handle.
#[tool(destructive, idempotent, title = "Change a version")]
async fn jira_update_version(
    #[arguments] it: UpdateVersion,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let wanted = VersionFields {
        name: it.name,
        description: it.description,
        start_date: it.start_date,
        release_date: it.release_date,
        archived: it.archived,
        released: it.released,
    };
    let plan = jira.plan_version_change(it.version_id.trim(), &wanted).await?;
    let mut change = write(&jira, &journal, &context, plan, it.preview).await?;
    if let Some(version) = change.result.get("version") {
        change.result = json!({ "version": shown(version) });
    }
    Ok(change)
}
