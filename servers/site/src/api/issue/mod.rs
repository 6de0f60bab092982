//! `issue`: making, reading, changing, assigning and deleting issues.

mod changelog;
mod fields;

use serde_json::{Map, Value as Json, json};

use super::{On, Operation, operation};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::field::{self, Value};
use crate::issue::{self, Change, Draft, Issue};
use crate::screen::{self, Screen};
use crate::view::{View, Wanted};
use crate::{permission, person};

use super::{comment, link, transition, worklog};

pub(crate) use fields::{Given, Scope, project_of};

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("POST", "/rest/api/{v}/issue", On::Both, create),
    operation("GET", "/rest/api/{v}/issue/{key}", On::Both, get),
    operation("PUT", "/rest/api/{v}/issue/{key}", On::Both, edit),
    operation("DELETE", "/rest/api/{v}/issue/{key}", On::Both, delete),
    operation("PUT", "/rest/api/{v}/issue/{key}/assignee", On::Both, assign),
    operation("GET", "/rest/api/{v}/issue/{key}/editmeta", On::Both, editmeta),
    operation("GET", "/rest/api/{v}/issue/{key}/changelog", On::Cloud, changelog::page),
    operation("POST", "/rest/api/{v}/changelog/bulkfetch", On::Cloud, changelog::bulk),
    operation("GET", "/rest/api/{v}/issue/{key}/properties", On::Both, properties),
    operation("GET", "/rest/api/{v}/issue/{key}/properties/{property}", On::Both, property),
];

/// Returns the issue of a key or id that the caller may see.
pub(crate) fn visible(call: &Call<'_>, key: &str) -> Result<Issue> {
    let id = issue::find(call.work, key)?.ok_or_else(Fault::no_issue)?;
    let issue = issue::get(call.work, id)?;
    match permission::can(call.work, call.person, issue.project_id, "BROWSE_PROJECTS")? {
        true => Ok(issue),
        false => Err(Fault::no_issue()),
    }
}

/// Returns the issue of the path.
pub(crate) fn of_path(call: &Call<'_>) -> Result<Issue> {
    visible(call, call.param("key"))
}

/// Refuses what the caller may not do with an issue.
pub(crate) fn require(call: &Call<'_>, issue: &Issue, permission: &str, message: &str) -> Result<()> {
    permission::require(call.work, call.person, issue.project_id, permission, message)
}

fn create(call: &Call<'_>) -> Result<Answer> {
    let body = call.object()?;
    let id = made(call, &body)?;
    Answer::created(short(call, id)?)
}

/// Makes an issue of a request, and returns its id.
pub(crate) fn made(call: &Call<'_>, body: &Map<String, Json>) -> Result<i64> {
    let project = project_of(call, body)?;
    permission::require(
        call.work,
        call.person,
        project,
        "CREATE_ISSUES",
        "You do not have permission to create issues in this project.",
    )?;
    let scope = Scope::create(call, project, body)?;
    let given = scope.read(call, body, None)?;
    let mut values = field::Values::new();
    for change in given.changes.iter() {
        if let Some(value) = &change.to {
            values.insert(change.field.clone(), value.clone());
        }
    }
    values.insert("issuetype".to_owned(), Value::Ref(scope.issue_type));
    if !values.contains_key("priority") && scope.has("priority") {
        let usual =
            "SELECT id FROM priority ORDER BY abs(position - (SELECT avg(position) FROM priority)) LIMIT 1";
        if let Some(id) = call.work.one(usual, [], |row| row.get(0))? {
            values.insert("priority".to_owned(), Value::Ref(id));
        }
    }
    let id = issue::create(call.work, &Draft { project, author: call.person, values })?;
    aside(call, id, &given)?;
    Ok(id)
}

/// Makes what a request adds beside fields: comments, worklogs and links.
pub(crate) fn aside(call: &Call<'_>, id: i64, given: &Given) -> Result<()> {
    let issue = issue::get(call.work, id)?;
    for body in &given.comments {
        comment::add(call, &issue, body)?;
    }
    for body in &given.worklogs {
        worklog::add(call, &issue, body)?;
    }
    for body in &given.links {
        link::add_to(call, &issue, body)?;
    }
    Ok(())
}

/// Returns `id`, `key` and `self` of an issue.
pub(crate) fn short(call: &Call<'_>, id: i64) -> Result<Json> {
    let issue = issue::get(call.work, id)?;
    Ok(json!({
        "id": id.to_string(), "key": issue.key, "self": call.view.api(&format!("issue/{id}")),
    }))
}

fn get(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    Answer::ok(shown(call, &issue, &Wanted::read(call.list("fields"), "*all"), &call.list("expand"))?)
}

/// Returns an issue with what `expand` asks for.
pub(crate) fn shown(call: &Call<'_>, issue: &Issue, wanted: &Wanted, expand: &[&str]) -> Result<Json> {
    if expand.contains(&"renderedFields") || expand.contains(&"versionedRepresentations") {
        return Err(Fault::lacking("renderedFields and versionedRepresentations"));
    }
    let fields = field::all(call.work)?;
    let mut value = call.view.issue(issue, &fields, wanted)?;
    watched(call, issue, &mut value)?;
    let shown: Vec<String> =
        value["fields"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    let shown = || fields.iter().filter(|it| shown.contains(&it.id));
    if expand.contains(&"names") {
        value["names"] = shown().map(|it| (it.id.clone(), json!(it.name))).collect();
    }
    if expand.contains(&"schema") {
        value["schema"] = shown().map(|it| (it.id.clone(), View::field_schema(it))).collect();
    }
    if expand.contains(&"transitions") {
        value["transitions"] = Json::Array(transition::possible(call, issue, false)?);
    }
    if expand.contains(&"editmeta") {
        value["editmeta"] = json!({ "fields": edit_fields(call, issue)? });
    }
    if expand.contains(&"changelog") {
        value["changelog"] = changelog::whole(call, issue.id)?;
    }
    let properties = call.list("properties");
    if !properties.is_empty() {
        let all = properties_of(call, issue.id)?;
        let wanted = all
            .into_iter()
            .filter(|(key, _)| properties.contains(&"*all") || properties.contains(&key.as_str()));
        value["properties"] = wanted.collect();
    }
    Ok(value)
}

/// Says whether the caller watches the issue, where that is shown.
fn watched(call: &Call<'_>, issue: &Issue, value: &mut Json) -> Result<()> {
    for (field, member, table) in [("watches", "isWatching", "watcher"), ("votes", "hasVoted", "vote")] {
        if let Some(shown) = value["fields"].get_mut(field).filter(|it| it.is_object()) {
            let sql = format!("SELECT 1 FROM {table} WHERE issue_id = ?1 AND person_id = ?2");
            let does = call.work.one(&sql, (issue.id, call.person), |_| Ok(()))?.is_some();
            shown[member] = json!(does);
        }
    }
    Ok(())
}

fn edit(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    require(call, &issue, "EDIT_ISSUES", "You do not have permission to edit issues in this project.")?;
    let body = call.object()?;
    let scope = Scope::edit(call, &issue)?;
    let given = scope.read(call, &body, Some(&issue))?;
    issue::change(call.work, issue.id, &given.changes, call.person)?;
    aside(call, issue.id, &given)?;
    if call.flag("returnIssue", false) {
        let issue = issue::get(call.work, issue.id)?;
        return Answer::ok(shown(call, &issue, &Wanted::read([], "*all"), &call.list("expand"))?);
    }
    Answer::done()
}

fn delete(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    require(call, &issue, "DELETE_ISSUES", "You do not have permission to delete issues in this project.")?;
    let sql =
        "SELECT v.issue_id FROM value v JOIN value t ON t.issue_id = v.issue_id AND t.field_id = 'issuetype'
        JOIN issue_type k ON k.id = t.ref WHERE v.field_id = 'parent' AND v.ref = ?1 AND k.level < 0";
    let children: Vec<i64> = call.work.all(sql, [issue.id], |row| row.get(0))?;
    if !children.is_empty() && !call.flag("deleteSubtasks", false) {
        let message = format!(
            "The issue '{}' has subtasks.  You must specify the 'deleteSubtasks' parameter to delete this issue and all its subtasks.",
            issue.key
        );
        return Err(Fault::bad(message));
    }
    for child in children {
        issue::delete(call.work, child)?;
    }
    issue::delete(call.work, issue.id)?;
    Answer::done()
}

fn assign(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    require(call, &issue, "ASSIGN_ISSUES", "You do not have permission to assign issues.")?;
    let body = call.object()?;
    let name = if call.work.is_cloud() { "accountId" } else { "name" };
    let to = match body.get(name) {
        None | Some(Json::Null) => None,
        // The default assignee: the lead of the project.
        Some(Json::String(named)) if named == "-1" => call
            .work
            .one("SELECT lead_id FROM project WHERE id = ?1", [issue.project_id], |row| row.get(0))?
            .map(Value::Ref),
        Some(Json::String(named)) => {
            let found = person::of_json(call.work, &json!({ name: named }))?;
            let can = |id: i64| -> Result<bool> {
                let active =
                    call.work.one("SELECT active FROM person WHERE id = ?1", [id], |row| row.get(0))?;
                Ok(active == Some(true)
                    && permission::can(call.work, id, issue.project_id, "ASSIGNABLE_USER")?)
            };
            match found {
                Some(id) if can(id)? => Some(Value::Ref(id)),
                _ => {
                    return Err(Fault::of_field(
                        "assignee",
                        format!("User '{named}' cannot be assigned issues."),
                    ));
                }
            }
        }
        Some(_) => {
            return Err(Fault::of_field(
                "assignee",
                format!("expected Object containing a '{name}' property"),
            ));
        }
    };
    issue::change(call.work, issue.id, &[Change { field: "assignee".to_owned(), to }], call.person)?;
    Answer::done()
}

fn editmeta(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    Answer::ok(json!({ "fields": edit_fields(call, &issue)? }))
}

fn edit_fields(call: &Call<'_>, issue: &Issue) -> Result<Json> {
    let kind = issue.ref_of("issuetype").unwrap_or_default();
    if !permission::can(call.work, call.person, issue.project_id, "EDIT_ISSUES")? {
        return Ok(json!({}));
    }
    let mut fields = Map::new();
    for it in screen::fields(call.work, issue.project_id, kind, Screen::Edit)? {
        fields.insert(it.field.id.clone(), screen::issue_meta(&call.view, &it, issue.project_id, kind)?);
    }
    Ok(Json::Object(fields))
}

fn properties_of(call: &Call<'_>, issue: i64) -> Result<Vec<(String, Json)>> {
    let sql = "SELECT key, value FROM property WHERE kind = 'issue' AND entity_id = ?1 ORDER BY key";
    let rows = call.work.all(sql, [issue], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    Ok(rows.into_iter().map(|(key, value)| (key, serde_json::from_str(&value).unwrap_or_default())).collect())
}

fn properties(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let keys = properties_of(call, issue.id)?.into_iter().map(|(key, _)| {
        json!({ "self": call.view.api(&format!("issue/{}/properties/{key}", issue.id)), "key": key })
    });
    Answer::ok(json!({ "keys": keys.collect::<Vec<_>>() }))
}

fn property(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let key = call.param("property");
    let found = properties_of(call, issue.id)?.into_iter().find(|(it, _)| it == key);
    let (key, value) =
        found.ok_or_else(|| Fault::missing(format!("Issue property with key '{key}' was not found.")))?;
    Answer::ok(json!({ "key": key, "value": value }))
}
