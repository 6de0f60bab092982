//! Screens: what can be set on new and present issues, and the priorities and statuses of the site.

use plainwire::Entries;
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::jira::allowed;
use crate::jira::screens::{by_type, categories};
use crate::tools::args::Texts;

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(jira_get_project_issue_types)
        .tool(jira_get_create_fields)
        .tool(jira_get_project_fields)
        .tool(jira_get_edit_metadata)
        .tool(jira_get_priorities)
        .tool(jira_get_statuses)
}

/// Types of issues.
#[data(kind = "jiraIssueTypes:v1")]
struct IssueTypes {
    issue_types: Vec<Value>,
}

/// Lists the types of issues that can be made in a project. Returns their ids and names, and which are sub-tasks.
#[tool(read_only, title = "Types of issues of a project")]
async fn jira_get_project_issue_types(
    #[argument("Such as SHOP.")] project_key: String,
    jira: State<Jira>,
) -> Result<IssueTypes, ToolError> {
    let project = jira.project_key(&project_key).await?;
    let all = jira.issue_types(&project).await?;
    let issue_types = all.iter().map(|it| {
        let mut shown = json!({ "id": it["id"], "name": it["name"] });
        if it["subtask"] == true {
            shown["subtask"] = json!(true);
        }
        if it["description"].as_str().is_some_and(|it| !it.is_empty()) {
            shown["description"] = it["description"].clone();
        }
        shown
    });
    Ok(IssueTypes { issue_types: issue_types.collect() })
}

/// Fields of a screen.
#[data(kind = "jiraScreenFields:v1")]
struct ScreenFields {
    fields: Vec<Value>,
}

/// Lists the fields of the screen for a new issue of a type. Returns their types, which are required, and the values that they allow.
#[tool(read_only, title = "Fields of a new issue")]
async fn jira_get_create_fields(
    #[argument("Such as SHOP.")] project_key: String,
    #[argument("The id or the name of the type.")] issue_type_id: String,
    jira: State<Jira>,
) -> Result<ScreenFields, ToolError> {
    let project = jira.project_key(&project_key).await?;
    let found = jira.create_meta(&project, issue_type_id.trim()).await?;
    Ok(ScreenFields {
        fields: found.as_object().into_iter().flatten().map(|(id, it)| shown(id, it)).collect(),
    })
}

/// Lists the fields that issues of a project can have, over all types. Returns their types, and the issue types if not all have the
/// field; jira_get_create_fields has the values that they allow.
#[tool(read_only, title = "Fields of a project")]
async fn jira_get_project_fields(
    #[argument("Such as SHOP.")] project_key: String,
    jira: State<Jira>,
) -> Result<ScreenFields, ToolError> {
    let project = jira.project_key(&project_key).await?;
    Ok(ScreenFields { fields: jira.project_fields(&project).await? })
}

/// Lists the fields of an issue that can be changed now. Returns their types, which are required, and the values that they allow.
#[tool(read_only, title = "Fields to change")]
async fn jira_get_edit_metadata(
    #[argument("Such as SHOP-1.")] issue_key: String,
    #[argument("Only these fields, by name or id.")] fields: Option<Texts>,
    jira: State<Jira>,
) -> Result<ScreenFields, ToolError> {
    let key = jira.key(&issue_key).await?;
    let names = fields.unwrap_or_default();
    let known = jira.fields().await?;
    let wanted = names.all().iter().map(|it| known.meant(it).map(|field| field.id.clone()));
    let wanted: Vec<_> = wanted.collect::<Result<_, _>>()?;
    let found: Value = jira.site().json(jira.get(["issue", key.as_str(), "editmeta"])).await?;
    let all = found["fields"].as_object().into_iter().flatten();
    let some = all.filter(|(id, _)| wanted.is_empty() || wanted.contains(id));
    Ok(ScreenFields { fields: some.map(|(id, it)| shown(id, it)).collect() })
}

/// Returns the view of a field of a screen under its id.
fn shown(id: &str, described: &Value) -> Value {
    let mut shown = allowed::shown(described);
    shown["id"] = json!(id);
    shown
}

/// The priorities of the site.
#[data(kind = "jiraPriorities:v1")]
struct Priorities {
    /// The highest first.
    priorities: Vec<Value>,
}

/// Lists the priorities of the site, the highest first. Returns their ids, names and descriptions.
#[tool(read_only, title = "Priorities")]
async fn jira_get_priorities(jira: State<Jira>) -> Result<Priorities, ToolError> {
    let all: Vec<Value> = jira.site().json(jira.get(["priority"])).await?;
    let priorities =
        all.iter().map(|it| json!({ "id": it["id"], "name": it["name"], "description": it["description"] }));
    Ok(Priorities { priorities: priorities.collect() })
}

/// Statuses.
#[data(kind = "jiraStatuses:v1")]
struct Statuses {
    /// With a project: for each type of issue its statuses.
    statuses: Vec<Value>,
}

/// Lists the statuses of the site, or those of the types of issues of a project. Returns their names and categories.
#[tool(read_only, title = "Statuses")]
async fn jira_get_statuses(
    #[argument("Only the statuses of this project, such as SHOP.")] project_key: Option<String>,
    jira: State<Jira>,
) -> Result<Statuses, ToolError> {
    let statuses = match super::worklogs::given(project_key.as_deref()) {
        Some(project) => {
            let project = jira.project_key(project).await?;
            let found: Vec<Value> = jira.site().json(jira.get(["project", &project, "statuses"])).await?;
            by_type(&found)
        }
        None => {
            let found: Vec<Value> = jira.site().json(jira.get(["status"])).await?;
            categories(&found)
        }
    };
    Ok(Statuses { statuses })
}
