//! Making, changing, assigning and deleting issues.

use plainwire::Entries;
use plainwire::prelude::*;
use plainwire::serde_json::Map;

use super::losses;
use crate::jira::Jira;
use crate::jira::input::list;
use crate::jira::issue::{CreateFields, Edit, Wanted, text_of};
use crate::jira::people::{Among, is_no_one};
use crate::jira::shown::{Cast, Texts as Amount, counted_issues};
use crate::tools::args::Texts;
use crate::tools::{write, write_once};
use crate::write::{Change, FieldChange, Inverse, Journal, Plan, Step};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(jira_create_issue)
        .tool(jira_batch_create_issues)
        .tool(jira_update_issue)
        .tool(jira_assign_issue)
        .tool(jira_delete_issue)
}

// An issue to make.
#[data]
pub(crate) struct CreateIssue {
    /// Such as SHOP.
    pub(crate) project_key: String,
    pub(crate) summary: String,
    /// Such as Task, Bug or Epic.
    pub(crate) issue_type: String,
    /// `me`, a name, an e-mail or an account id.
    pub(crate) assignee: Option<String>,
    /// Markdown.
    pub(crate) description: Option<String>,
    /// Names of components.
    #[serde(default)]
    pub(crate) components: Texts,
    /// Other fields, such as {"priority": "High", "parent": "SHOP-1", "Story Points": 3}.
    #[serde(default)]
    pub(crate) additional_fields: Map<String, Value>,
    /// As Jira stores it, not as Markdown.
    #[default(false)]
    pub(crate) raw: bool,
    /// Write even if content is lost.
    #[default(false)]
    pub(crate) accept_loss: bool,
    /// Only show it.
    #[default(false)]
    pub(crate) preview: bool,
    /// A repeated call with the same key makes nothing new.
    pub(crate) idempotency_key: Option<String>,
}

/// Makes an issue. Returns its key and an undo handle.
#[tool(additive, title = "Make an issue")]
pub(crate) async fn jira_create_issue(
    #[arguments] it: CreateIssue,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let project = jira.project_key(&it.project_key).await?;
    let mut fields = it.additional_fields.clone();
    fields.insert("summary".to_owned(), json!(it.summary));
    if let Some(assignee) = &it.assignee {
        let person = match is_no_one(assignee) {
            true => Value::Null,
            false => {
                json!(jira.person(assignee, Among::AssignableInProject(&project), "assignee").await?.id())
            }
        };
        fields.insert("assignee".to_owned(), person);
    }
    if let Some(description) = &it.description {
        fields.insert("description".to_owned(), json!(description));
    }
    if !it.components.0.is_empty() {
        fields.insert("components".to_owned(), json!(it.components));
    }
    let create = CreateFields {
        tool: "jira_create_issue",
        project: &project,
        issue_type: &it.issue_type,
        fields,
        is_raw: it.raw,
        losses: losses(it.accept_loss),
    };
    let plan = jira.plan_create(create).await?;
    let change = match it.preview {
        true => write(&jira, &journal, &context, plan, true).await,
        false => {
            let mut arguments = json!(it);
            arguments["idempotency_key"] = Value::Null;
            write_once(&jira, &journal, &context, plan, it.idempotency_key.as_deref(), &arguments).await
        }
    };
    jira.explained(change, &project, None, Some(&it.issue_type)).await
}

// Issues to make.
#[data]
struct BatchCreate {
    /// Objects of project_key, summary, issue_type and other fields by name.
    issues: Value,
    /// Another name of `preview`.
    #[schemars(extend("deprecated" = true))]
    #[default(false)]
    validate_only: bool,
    /// Write even if content is lost.
    #[default(false)]
    accept_loss: bool,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Makes up to 50 issues at once. Returns the keys of those made, and why others were not.
#[tool(additive, title = "Make issues")]
async fn jira_batch_create_issues(
    #[arguments] it: BatchCreate,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let all = list(&it.issues);
    if all.is_empty() || all.len() > 50 {
        let found = all.len();
        return Err(ToolError::invalid_input(format!(
            "expected a list of 1 to 50 issues, but found {found}"
        )));
    }
    let (mut bodies, mut changes, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    for (at, one) in all.iter().enumerate() {
        let Value::Object(members) = one else {
            return Err(ToolError::invalid_input(format!(
                "expected `issues[{at}]` to be an object, but found {one}"
            )));
        };
        let mut fields = members.clone();
        let mut take = |name: &str| {
            let missing =
                || ToolError::invalid_input(format!("expected `issues[{at}].{name}`, but found nothing"));
            fields.remove(name).as_ref().map(text_of).ok_or_else(missing)
        };
        let project = jira.project_key(&take("project_key")?).await?;
        let issue_type = take("issue_type")?;
        let create = CreateFields {
            tool: "jira_batch_create_issues",
            project: &project,
            issue_type: &issue_type,
            fields,
            is_raw: false,
            losses: losses(it.accept_loss),
        };
        let (body, changed, warned) = jira.create_body(&create).await?;
        let named = changed
            .into_iter()
            .map(|change| FieldChange { field: format!("[{at}] {}", change.field), ..change });
        changes.extend(named);
        warnings.extend(warned);
        bodies.push(body);
        context.progress((at + 1) as f64, Some(all.len() as f64), None);
    }
    let request =
        crate::rest::Request::post(jira.path(["issue", "bulk"])).json(&json!({ "issueUpdates": bodies }));
    let plan = Plan {
        tool: "jira_batch_create_issues",
        target: String::new(),
        summary: format!("make {}", counted_issues(bodies.len())),
        changes,
        steps: vec![Step::kept(request, "made")],
        inverse: Inverse::None("delete the issues one by one".to_owned()),
        warnings,
    };
    let mut change = write(&jira, &journal, &context, plan, it.preview || it.validate_only).await?;
    let made = change.result["made"].take();
    for failed in made["errors"].as_array().into_iter().flatten() {
        let errors = &failed["elementErrors"];
        change.warnings.push(format!(
            "[{}] was not made: {} {}",
            failed["failedElementNumber"], errors["errorMessages"], errors["errors"]
        ));
    }
    let keys: Vec<_> = made["issues"].as_array().into_iter().flatten().map(|it| it["key"].clone()).collect();
    change.result = json!({ "keys": keys });
    Ok(change)
}

// A change of an issue.
#[data]
pub(crate) struct UpdateIssue {
    /// Such as SHOP-1.
    pub(crate) issue_key: String,
    /// Values by name or id, null empties: {"summary": "…", "assignee": "me", "description": "Markdown", "status": "Done"}.
    pub(crate) fields: Map<String, Value>,
    /// More of `fields`.
    #[schemars(extend("deprecated" = true))]
    #[serde(default)]
    pub(crate) additional_fields: Map<String, Value>,
    /// A part of `fields`: names of components, in place of those it has.
    #[schemars(extend("deprecated" = true))]
    #[serde(default)]
    pub(crate) components: Option<Texts>,
    /// Paths of files: not supported here; jira_upload_attachment takes contents.
    #[schemars(extend("deprecated" = true))]
    #[serde(default)]
    pub(crate) attachments: Option<Texts>,
    /// Replace only this section, by its heading or as `[2]`.
    pub(crate) description_section: Option<String>,
    /// `description_revision` of jira_get_issue: refuse if it has changed since.
    pub(crate) based_on: Option<String>,
    /// Fields to return as they are afterwards: `*all`, or names. jira_get_issue returns them, too.
    #[schemars(extend("deprecated" = true))]
    #[serde(default)]
    pub(crate) return_fields: Option<Texts>,
    /// As Jira stores it, not as Markdown.
    #[default(false)]
    pub(crate) raw: bool,
    /// Write even if content is lost.
    #[default(false)]
    pub(crate) accept_loss: bool,
    /// Only show it.
    #[default(false)]
    pub(crate) preview: bool,
}

/// Changes fields of an issue. Parts of a description that were not edited stay. Returns the change and an undo handle.
#[tool(destructive, title = "Change an issue")]
pub(crate) async fn jira_update_issue(
    #[arguments] it: UpdateIssue,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&it.issue_key).await?;
    if it.attachments.as_ref().is_some_and(|it| !it.0.is_empty()) {
        let message = "expected no `attachments`: this server reads no files of its machine for a caller";
        return Err(ToolError::invalid_input(message).hint("send the contents with jira_upload_attachment"));
    }
    let mut fields = it.fields;
    fields.extend(it.additional_fields);
    if let Some(components) = it.components {
        fields.insert("components".to_owned(), json!(components));
    }
    if fields.is_empty() {
        return Err(ToolError::invalid_input("expected at least one field to change, but found none"));
    }
    let edit = Edit {
        tool: "jira_update_issue",
        key: key.as_str(),
        fields,
        section: it.description_section.as_deref(),
        based_on: it.based_on.as_deref(),
        is_raw: it.raw,
        losses: losses(it.accept_loss),
    };
    let known = jira.fields().await?;
    let returned = it.return_fields.map(|it| it.0).filter(|it| !it.is_empty() && *it != ["*none"]);
    let returned = returned.map(|names| Wanted::read(&known, &names)).transpose()?;
    let plan = jira.plan_edit(edit).await?;
    let issue = plan.target.clone();
    let mut change = write(&jira, &journal, &context, plan, it.preview).await;
    if let (Ok(change), Some(wanted), false) = (&mut change, returned, it.preview) {
        // The change was made, whatever comes of the reading.
        match jira.issue(&issue, &wanted.parameter(), &[]).await {
            Ok(issue) => {
                let shown = jira.view(&known, &issue, Amount::Whole, &mut Cast::default());
                change.result["fields"] = json!(shown);
            }
            Err(error) => change.warnings.push(format!("the fields can't be returned: {}", error.message())),
        }
    }
    let project = issue.rsplit_once('-').map_or("", |(project, _)| project).to_owned();
    jira.explained(change, &project, Some(&issue), None).await
}

/// Assigns an issue to a person or no one. Returns the change and an undo handle.
#[tool(destructive, idempotent, title = "Assign an issue")]
async fn jira_assign_issue(
    #[argument("Such as SHOP-1.")] issue_key: String,
    #[argument("`me`, a name, an e-mail or an account id; nothing for no one.")] assignee: Option<String>,
    #[argument("Only show it.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let assign = Assign { issue_key, person: assignee, argument: "assignee", preview };
    assigned(assign, &jira, &journal, &context).await
}

/// An issue, and the person who is to have it.
pub(crate) struct Assign {
    pub(crate) issue_key: String,
    /// Nothing for no one.
    pub(crate) person: Option<String>,
    /// The argument of the tool that names the person.
    pub(crate) argument: &'static str,
    pub(crate) preview: bool,
}

/// Assigns an issue, or shows it.
///
/// # Errors
/// A person who is not clear; those of the site.
pub(crate) async fn assigned(
    it: Assign,
    jira: &Jira,
    journal: &Journal,
    context: &Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&it.issue_key).await?;
    let plan = jira.plan_assign(key.as_str(), it.person.as_deref().unwrap_or_default(), it.argument).await?;
    write(jira, journal, context, plan, it.preview).await
}

/// Deletes an issue for good: this can't be undone. Returns what was deleted.
#[tool(destructive, title = "Delete an issue")]
async fn jira_delete_issue(
    #[argument("Such as SHOP-1.")] issue_key: String,
    #[argument("Delete its sub-tasks too.", default = false)] delete_subtasks: bool,
    #[argument("Only show it.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&issue_key).await?;
    let plan = jira.plan_delete(key.as_str(), delete_subtasks).await?;
    write(&jira, &journal, &context, plan, preview).await
}
