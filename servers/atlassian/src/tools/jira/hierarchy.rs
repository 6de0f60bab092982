//! How the issues of a project hang together, and on which others they depend.

use plainwire::Entries;
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::tools::args::limit;

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new().tool(jira_get_project_epic_hierarchy).tool(jira_get_cross_project_dependencies)
}

/// The largest number of issues that are looked at.
const MOST: u64 = 1_000;

fn most(wanted: u64) -> usize {
    usize::try_from(limit(Some(wanted), 200, MOST)).unwrap_or(200)
}

/// The epics of a project.
#[data(kind = "jiraEpics:v1")]
struct EpicsView {
    total_epics: u64,
    /// Whether there are no more epics.
    is_complete: bool,
    /// Epics by the issue that they are a part of; those that are part of none come last.
    groups: Value,
}

/// Lists the epics of a project below their parents. Returns the status of each, and how many of its issues are done.
#[tool(read_only, title = "Epics of a project")]
async fn jira_get_project_epic_hierarchy(
    #[argument("Such as SHOP.")] project_key: String,
    #[argument("The largest number of epics, at most 1000.", default = 200)] max_epics: u64,
    jira: State<Jira>,
) -> Result<EpicsView, ToolError> {
    let project = jira.project_key(&project_key).await?;
    let mut found = jira.epic_hierarchy(&project, most(max_epics)).await?;
    Ok(EpicsView {
        total_epics: found["total_epics"].as_u64().unwrap_or_default(),
        is_complete: found["is_complete"] == true,
        groups: found["groups"].take(),
    })
}

/// Links between projects.
#[data(kind = "jiraDependencies:v1")]
struct DependenciesView {
    /// How many issues of the project were looked at, those updated last first.
    issues_looked_at: u64,
    /// Whether these are all issues of the project.
    is_complete: bool,
    total_links: u64,
    /// The links, by the key of the other project.
    by_project: Value,
}

/// Finds links from issues of a project to those of other projects. Returns them by project, with the status of the other issue.
#[tool(read_only, title = "Dependencies between projects")]
async fn jira_get_cross_project_dependencies(
    #[argument("Such as SHOP.")] project_key: String,
    #[argument("The largest number of issues to look at, at most 1000.", default = 200)] max_issues: u64,
    jira: State<Jira>,
) -> Result<DependenciesView, ToolError> {
    let project = jira.project_key(&project_key).await?;
    let mut found = jira.dependencies(&project, most(max_issues)).await?;
    Ok(DependenciesView {
        issues_looked_at: found["issues_looked_at"].as_u64().unwrap_or_default(),
        is_complete: found["is_complete"] == true,
        total_links: found["total_links"].as_u64().unwrap_or_default(),
        by_project: found["by_project"].take(),
    })
}
