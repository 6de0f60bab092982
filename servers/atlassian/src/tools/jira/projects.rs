//! Projects and their components.

use plainwire::Entries;
use plainwire::prelude::*;

use super::worklogs::given;
use crate::jira::Jira;
use crate::jira::paging::Part;
use crate::jira::projects::{Archived, NewComponent};
use crate::tools::args::{self, Texts};
use crate::tools::write;
use crate::write::{Change, Journal};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(jira_get_all_projects)
        .tool(jira_search_projects)
        .tool(jira_get_project_components)
        .tool(jira_create_component)
}

/// The largest page of projects: that of Cloud.
const MAX_PROJECTS: u64 = 100;

/// Projects.
#[data(kind = "jiraProjects:v1")]
pub(crate) struct ProjectsView {
    total: u64,
    projects: Vec<Value>,
    /// For `page_token` of the next call; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

impl From<Part<Value>> for ProjectsView {
    fn from(it: Part<Value>) -> Self {
        Self { total: it.total, projects: it.items, next_page_token: it.next }
    }
}

/// Lists the projects that the account can see. Returns their keys, names, ids, types and leads.
#[tool(read_only, title = "Projects")]
pub(crate) async fn jira_get_all_projects(
    #[argument("Whether archived ones are listed too.", default = false)] include_archived: bool,
    #[argument("The largest number of projects, at most 100.", default = 100)] limit: u64,
    #[argument("From `next_page_token`.")] page_token: Option<String>,
    jira: State<Jira>,
) -> Result<ProjectsView, ToolError> {
    let archived = if include_archived { Archived::Listed } else { Archived::LeftOut };
    let most = usize::try_from(args::limit(Some(limit), MAX_PROJECTS, MAX_PROJECTS)).unwrap_or(100);
    Ok(jira.find_projects("", archived, most, page_token.as_deref()).await?.into())
}

// A search of projects.
#[data]
struct SearchProjects {
    /// A part of the name or key.
    query: String,
    /// The largest number of projects, at most 100.
    #[default(20)]
    max_results: u64,
    /// Ids of projects to leave out.
    #[serde(default)]
    current_project_ids: Texts,
    /// From `next_page_token`.
    page_token: Option<String>,
}

/// Finds projects by a part of their name or key. Returns their keys, names, ids, types and leads.
#[tool(read_only, title = "Find projects")]
async fn jira_search_projects(
    #[arguments] it: SearchProjects,
    jira: State<Jira>,
) -> Result<ProjectsView, ToolError> {
    let most = usize::try_from(args::limit(Some(it.max_results), 20, MAX_PROJECTS)).unwrap_or(20);
    let mut found = jira.find_projects(&it.query, Archived::LeftOut, most, it.page_token.as_deref()).await?;
    found.items.retain(|project| it.current_project_ids.all().iter().all(|id| project["id"] != id.as_str()));
    Ok(found.into())
}

/// Components of a project.
#[data(kind = "jiraComponents:v1")]
struct ComponentsView {
    total: u64,
    components: Vec<Value>,
    /// For `page_token` of the next call; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

/// Lists the components of a project. Returns their ids, names, descriptions and leads.
#[tool(read_only, title = "Components of a project")]
async fn jira_get_project_components(
    #[argument("Such as SHOP.")] project_key: String,
    #[argument("The largest number of components, at most 500.", default = 100)] limit: u64,
    #[argument("From `next_page_token`.")] page_token: Option<String>,
    jira: State<Jira>,
) -> Result<ComponentsView, ToolError> {
    let project = jira.project_key(&project_key).await?;
    let most = usize::try_from(args::limit(Some(limit), 100, 500)).unwrap_or(100);
    let found = jira.components(&project, most, page_token.as_deref()).await?;
    Ok(ComponentsView { total: found.total, components: found.items, next_page_token: found.next })
}

/// Makes a component in a project. Returns its id and an undo handle.
#[tool(additive, title = "Make a component")]
async fn jira_create_component(
    #[argument("Such as SHOP.")] project_key: String,
    #[argument("The name.")] name: String,
    #[argument("What it is for.")] description: Option<String>,
    #[argument("Its lead: `me`, a name, an e-mail address or an account id.")] lead: Option<String>,
    #[argument("Who gets new issues: PROJECT_DEFAULT, COMPONENT_LEAD, PROJECT_LEAD or UNASSIGNED.")]
    assignee_type: Option<String>,
    #[argument("Only show it.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let project = jira.project_key(&project_key).await?;
    let new = NewComponent {
        project: &project,
        name: name.trim(),
        description: given(description.as_deref()),
        lead: given(lead.as_deref()),
        assignee_type: given(assignee_type.as_deref()),
    };
    let plan = jira.plan_component(new).await?;
    let mut change = write(&jira, &journal, &context, plan, preview).await?;
    if let Some(id) = change.result.pointer("/component/id").cloned() {
        change.result = json!({ "component_id": id });
    }
    Ok(change)
}
