//! `issue/{key}/transitions`: the steps of workflows.

use serde_json::{Map, Value as Json, json};

use super::issue::{Scope, aside, of_path};
use super::{On, Operation, operation};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::field::Value;
use crate::issue::{self, Change, Issue};
use crate::permission;
use crate::screen;

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("GET", "/rest/api/{v}/issue/{key}/transitions", On::Both, list),
    operation("POST", "/rest/api/{v}/issue/{key}/transitions", On::Both, apply),
];

/// A transition of a workflow.
struct Transition {
    id: i64,
    name: String,
    is_global: bool,
    to: i64,
    rule: String,
    sets_resolution: Option<i64>,
}

fn list(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let with_fields = call.list("expand").contains(&"transitions.fields");
    let mut all = possible(call, &issue, with_fields)?;
    if let Some(id) = call.query("transitionId") {
        all.retain(|it| it["id"] == id);
    }
    Answer::ok(json!({ "expand": "transitions", "transitions": all }))
}

/// Returns the transitions that the caller may make now.
pub(crate) fn possible(call: &Call<'_>, issue: &Issue, with_fields: bool) -> Result<Vec<Json>> {
    let kind = issue.ref_of("issuetype").unwrap_or_default();
    let mut all = Vec::new();
    for it in allowed(call, issue)? {
        let screen = screen::of_transition(call.work, it.id)?;
        let mut value = json!({
            "id": it.id.to_string(),
            "name": it.name,
            "to": call.view.status(it.to)?,
        });
        if call.work.is_cloud() {
            value["hasScreen"] = json!(!screen.is_empty());
            value["isGlobal"] = json!(it.is_global);
            value["isInitial"] = json!(false);
            value["isConditional"] = json!(!it.rule.is_empty());
            value["isAvailable"] = json!(true);
            value["isLooped"] = json!(false);
        }
        if with_fields {
            let mut fields = Map::new();
            for field in &screen {
                let meta = screen::issue_meta(&call.view, field, issue.project_id, kind)?;
                fields.insert(field.field.id.clone(), meta);
            }
            value["fields"] = Json::Object(fields);
        }
        all.push(value);
    }
    Ok(all)
}

fn allowed(call: &Call<'_>, issue: &Issue) -> Result<Vec<Transition>> {
    if !permission::can(call.work, call.person, issue.project_id, "TRANSITION_ISSUES")? {
        return Ok(Vec::new());
    }
    let sql = "SELECT t.* FROM transition t JOIN project_issue_type p ON p.workflow_id = t.workflow_id
        WHERE p.project_id = ?1 AND p.issue_type_id = ?2
        AND (t.from_status_id = ?3 OR (t.from_status_id IS NULL AND t.to_status_id <> ?3)) ORDER BY t.position, t.id";
    let here = (issue.project_id, issue.ref_of("issuetype"), issue.ref_of("status"));
    let all = call.work.all(sql, here, |row| {
        Ok(Transition {
            id: row.get("id")?,
            name: row.get("name")?,
            is_global: row.get::<_, Option<i64>>("from_status_id")?.is_none(),
            to: row.get("to_status_id")?,
            rule: row.get("rule")?,
            sets_resolution: row.get("sets_resolution")?,
        })
    })?;
    let mut allowed = Vec::new();
    for it in all {
        if fits(call, issue, &it.rule)? {
            allowed.push(it);
        }
    }
    Ok(allowed)
}

fn fits(call: &Call<'_>, issue: &Issue, rule: &str) -> Result<bool> {
    match rule {
        "assignee" => Ok(issue.ref_of("assignee") == Some(call.person)),
        "subtasks-done" => {
            let sql = "SELECT 1 FROM value v JOIN value t ON t.issue_id = v.issue_id AND t.field_id = 'issuetype'
                JOIN issue_type k ON k.id = t.ref JOIN value u ON u.issue_id = v.issue_id AND u.field_id = 'status'
                JOIN status s ON s.id = u.ref
                WHERE v.field_id = 'parent' AND v.ref = ?1 AND k.level < 0 AND s.category <> 'done'";
            Ok(call.work.one(sql, [issue.id], |_| Ok(()))?.is_none())
        }
        _ => Ok(true),
    }
}

fn apply(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let body = call.object()?;
    let named = body.get("transition").and_then(|it| it.get("id"));
    let id = named
        .and_then(|it| it.as_str().map(ToOwned::to_owned).or_else(|| it.as_i64().map(|it| it.to_string())));
    let Some(id) = id else { return Err(Fault::bad("Missing 'transition' identifier")) };
    let found = allowed(call, &issue)?.into_iter().find(|it| it.id.to_string() == id);
    let Some(transition) = found else {
        return Err(Fault::bad(format!(
            "It seems that you have tried to perform an illegal workflow operation (transition id {id})."
        )));
    };
    let scope = Scope::transition(call, &issue, transition.id)?;
    let given = scope.read(call, &body, Some(&issue))?;
    let mut changes = given.changes.clone();
    if let Some(id) = transition.sets_resolution
        && !changes.iter().any(|it| it.field == "resolution")
    {
        changes.push(Change {
            field: "resolution".to_owned(),
            to: Some(id).filter(|it| *it != 0).map(Value::Ref),
        });
    }
    changes.push(Change { field: "status".to_owned(), to: Some(Value::Ref(transition.to)) });
    issue::change(call.work, issue.id, &changes, call.person)?;
    aside(call, issue.id, &given)?;
    Answer::done()
}
