//! Transitions: the steps that an issue can take, and taking one.

use plainwire::Entries;
use plainwire::prelude::*;
use plainwire::serde_json::Map;

use super::losses;
use crate::jira::Jira;
use crate::jira::allowed;
use crate::jira::input::Place;
use crate::tools::write;
use crate::write::{Change, FieldChange, How, Inverse, Journal, Plan, Restore, newest_entry};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new().tool(jira_get_transitions).tool(jira_transition_issue)
}

/// The transitions of an issue.
#[data(kind = "jiraTransitions:v1")]
struct Transitions {
    transitions: Value,
}

/// Lists the transitions possible now. Returns ids, names, the statuses they lead to, and the fields they ask for.
#[tool(read_only, title = "Transitions of an issue")]
async fn jira_get_transitions(
    #[argument("Such as SHOP-1.")] issue_key: String,
    jira: State<Jira>,
) -> Result<Transitions, ToolError> {
    let key = jira.key(&issue_key).await?;
    let request = jira.get(["issue", key.as_str(), "transitions"]).query("expand", "transitions.fields");
    let found: Value = jira.site().json(request).await?;
    Ok(Transitions { transitions: shown(&found["transitions"]) })
}

/// Returns the view of transitions.
pub(crate) fn shown(all: &Value) -> Value {
    let all = all.as_array().into_iter().flatten().map(|it| {
        let mut shown = json!({ "id": it["id"], "name": it["name"], "to": it["to"]["name"] });
        let fields = it["fields"].as_object().into_iter().flatten().map(|(id, field)| {
            let mut shown = allowed::shown(field);
            shown["id"] = json!(id);
            shown
        });
        let fields: Vec<_> = fields.collect();
        if !fields.is_empty() {
            shown["fields"] = json!(fields);
        }
        shown
    });
    Value::Array(all.collect())
}

// A step of an issue.
#[data]
pub(crate) struct Transition {
    /// Such as SHOP-1.
    pub(crate) issue_key: String,
    /// A transition by id or name, or the status it leads to.
    pub(crate) transition_id: String,
    /// Fields of its screen, such as {"resolution": "Fixed"}.
    #[serde(default)]
    pub(crate) fields: Map<String, Value>,
    /// Markdown.
    pub(crate) comment: Option<String>,
    /// Write even if content is lost.
    #[default(false)]
    pub(crate) accept_loss: bool,
    /// Only show it.
    #[default(false)]
    pub(crate) preview: bool,
}

/// Moves an issue to another status. Returns the change and an undo handle.
#[tool(destructive, title = "Move an issue to a status")]
async fn jira_transition_issue(
    #[arguments] it: Transition,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    moved(it, "transition_id", &jira, &journal, &context).await
}

/// Moves an issue to another status, or shows it. `argument` is the argument of the tool that names the transition.
///
/// # Errors
/// A transition that is not clear; a field or text that the site does not take.
pub(crate) async fn moved(
    it: Transition,
    argument: &str,
    jira: &Jira,
    journal: &Journal,
    context: &Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&it.issue_key).await?;
    let known = jira.fields().await?;
    let mut wanted = Vec::new();
    for (name, value) in &it.fields {
        wanted.push((known.meant(name)?, value));
    }
    let mut ids: Vec<&str> = wanted.iter().map(|(field, _)| field.id.as_str()).collect();
    ids.extend(["status", "resolution"]);
    let issue = jira.issue(key.as_str(), &ids.join(","), &["changelog"]).await?;
    let place = Place { project: issue.project(), issue: Some(&issue.key) };
    let (mut fields, mut before, mut changes) = (Map::new(), Map::new(), Vec::new());
    for (field, value) in wanted {
        let api = match (field.schema.is_rich(), value) {
            (true, Value::String(text)) => jira.body(text, false, losses(it.accept_loss))?.0.to_json(),
            _ => jira.input(field, value, place).await?,
        };
        let old = issue.value(&field.id);
        changes.push(FieldChange::new(
            &field.name,
            crate::jira::shown::short(old.clone(), &mut Default::default()),
            value.clone(),
        ));
        before.insert(field.id.clone(), crate::jira::input::writable(field, &old));
        fields.insert(field.id.clone(), api);
    }
    let mut extra = Map::new();
    if !fields.is_empty() {
        extra.insert("fields".to_owned(), Value::Object(fields));
    }
    let mut warnings = Vec::new();
    if let Some(comment) = &it.comment {
        let (rich, lost) = jira.body(comment, false, losses(it.accept_loss))?;
        warnings.extend(lost);
        extra.insert("update".to_owned(), json!({ "comment": [{ "add": { "body": rich.to_json() } }] }));
        changes.push(FieldChange::new("comment", Value::Null, rich.markdown()));
        warnings.push("taking this back leaves the comment".to_owned());
    }
    let moved = jira.transition(&issue, &it.transition_id, Some(argument), extra).await?;
    changes.splice(0..0, moved.change);
    let mut steps = vec![moved.back];
    before.remove("resolution");
    if !before.is_empty() {
        let seen = newest_entry(&json!(issue.more));
        let how = How::Fields { before: Value::Object(before), after: json!({}), seen };
        steps.push(Restore { path: jira.path(["issue", &issue.key]), how });
    }
    warnings.push("taking this back needs a transition of the workflow that leads back, which also decides the resolution".to_owned());
    let plan = Plan {
        tool: "jira_transition_issue",
        summary: format!("move {} to another status", issue.key),
        target: issue.key,
        changes,
        steps: vec![moved.step],
        inverse: Inverse::Steps(steps),
        warnings,
    };
    write(jira, journal, context, plan, it.preview)
        .await
        .map_err(|error| allowed::with_values(error, &moved.screen))
}
