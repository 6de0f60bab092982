//! `project`, `component` and `version`.

use serde_json::{Value as Json, json};

use super::{On, Operation, operation};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::permission;
use crate::time;

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("GET", "/rest/api/{v}/project", On::Both, all),
    operation("GET", "/rest/api/{v}/project/search", On::Cloud, search),
    operation("GET", "/rest/api/{v}/projects/picker", On::DataCenter, picker),
    operation("GET", "/rest/api/{v}/project/{project}", On::Both, get),
    operation("GET", "/rest/api/{v}/project/{project}/statuses", On::Both, statuses),
    operation("GET", "/rest/api/{v}/project/{project}/components", On::Both, components),
    operation("GET", "/rest/api/{v}/project/{project}/versions", On::Both, versions),
    operation("GET", "/rest/api/{v}/project/{project}/version", On::Both, version_page),
    operation("POST", "/rest/api/{v}/component", On::Both, add_component),
    operation("GET", "/rest/api/{v}/component/{id}", On::Both, component),
    operation("DELETE", "/rest/api/{v}/component/{id}", On::Both, delete_component),
    operation("POST", "/rest/api/{v}/version", On::Both, add_version),
    operation("GET", "/rest/api/{v}/version/{id}", On::Both, version),
    operation("PUT", "/rest/api/{v}/version/{id}", On::Both, edit_version),
    operation("DELETE", "/rest/api/{v}/version/{id}", On::DataCenter, delete_version),
    operation("POST", "/rest/api/{v}/version/{id}/removeAndSwap", On::Both, delete_version),
];

/// Returns the project of a key or id that the caller may see. A former key works too.
pub(crate) fn visible_project(call: &Call<'_>, named: &str) -> Result<i64> {
    let sql = "SELECT id FROM project WHERE key = ?1 OR CAST(id AS TEXT) = ?1
        UNION SELECT project_id FROM former_project_key WHERE key = ?1";
    let found: Option<i64> = call.work.one(sql, [named.to_uppercase()], |row| row.get(0))?;
    let missing = || Fault::missing(format!("No project could be found with key '{named}'."));
    let id = found.ok_or_else(missing)?;
    if permission::can(call.work, call.person, id, "BROWSE_PROJECTS")? { Ok(id) } else { Err(missing()) }
}

fn of_path(call: &Call<'_>) -> Result<i64> {
    visible_project(call, call.param("project"))
}

fn detailed(call: &Call<'_>, id: i64) -> Result<Json> {
    let mut value = call.view.project(id)?;
    let sql = "SELECT description, lead_id, url FROM project WHERE id = ?1";
    let found = call.work.one(sql, [id], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, Option<String>>(2)?))
    })?;
    let (description, lead, url) = found.unwrap_or_default();
    value["description"] = json!(description);
    value["lead"] = call.view.person(lead)?;
    value["assigneeType"] = json!("UNASSIGNED");
    if let Some(url) = url {
        value["url"] = json!(url);
    }
    Ok(value)
}

fn get(call: &Call<'_>) -> Result<Answer> {
    let id = of_path(call)?;
    let mut value = detailed(call, id)?;
    value["components"] = Json::Array(components_of(call, id)?);
    value["versions"] = Json::Array(versions_of(call, id)?);
    let sql = "SELECT issue_type_id FROM project_issue_type WHERE project_id = ?1 ORDER BY position";
    let types: Vec<i64> = call.work.all(sql, [id], |row| row.get(0))?;
    value["issueTypes"] =
        Json::Array(types.into_iter().map(|it| call.view.issue_type(it)).collect::<Result<_>>()?);
    value["roles"] = json!({});
    Answer::ok(value)
}

fn is_archived(call: &Call<'_>, id: i64) -> Result<bool> {
    let found = call.work.one("SELECT archived FROM project WHERE id = ?1", [id], |row| row.get(0))?;
    Ok(found.unwrap_or(false))
}

fn all(call: &Call<'_>) -> Result<Answer> {
    let with_archived = call.flag("includeArchived", false);
    let mut projects = Vec::new();
    for id in permission::visible_projects(call.work, call.person)? {
        if with_archived || !is_archived(call, id)? {
            projects.push(call.view.project(id)?);
        }
    }
    Answer::ok(Json::Array(projects))
}

/// Returns the projects in one of the states whose key or name has the text, in the order of their keys.
fn matching(call: &Call<'_>, query: &str, states: &[&str]) -> Result<Vec<i64>> {
    let query = query.to_lowercase();
    let mut found = Vec::new();
    for id in permission::visible_projects(call.work, call.person)? {
        let sql = "SELECT key, name FROM project WHERE id = ?1";
        let row: Option<(String, String)> = call.work.one(sql, [id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (key, name) = row.unwrap_or_default();
        let state = if is_archived(call, id)? { "archived" } else { "live" };
        if states.contains(&state)
            && (key.to_lowercase().contains(&query) || name.to_lowercase().contains(&query))
        {
            found.push(id);
        }
    }
    Ok(found)
}

fn search(call: &Call<'_>) -> Result<Answer> {
    let states = call.list("status");
    let states = if states.is_empty() { vec!["live"] } else { states };
    let mut ids = matching(call, call.query("query").unwrap_or_default(), &states)?;
    let (keys, types) = (call.list("keys"), call.list("typeKey"));
    let mut values = Vec::new();
    ids.dedup();
    for id in ids {
        let value = detailed(call, id)?;
        let has = |list: &[&str], member: &str| {
            list.is_empty()
                || value[member]
                    .as_str()
                    .is_some_and(|it| list.iter().any(|one| one.eq_ignore_ascii_case(it)))
        };
        if has(&keys, "key") && has(&types, "projectTypeKey") {
            values.push(value);
        }
    }
    Answer::ok(call.page(50, 100)?.values(values))
}

fn picker(call: &Call<'_>) -> Result<Answer> {
    let ids = matching(call, call.query("query").unwrap_or_default(), &["live"])?;
    let total = ids.len();
    let most = call.number("maxResults", 20)?;
    let mut projects = Vec::new();
    for id in ids.into_iter().take(usize::try_from(most).unwrap_or(usize::MAX)) {
        let it = call.view.project(id)?;
        projects.push(json!({ "id": it["id"], "key": it["key"], "name": it["name"], "html": it["name"], "avatar": it["avatarUrls"]["24x24"] }));
    }
    let header = format!("Showing {} of {total} matching projects", projects.len());
    Answer::ok(json!({ "projects": projects, "total": total, "header": header }))
}

fn statuses(call: &Call<'_>) -> Result<Answer> {
    let project = of_path(call)?;
    let sql =
        "SELECT issue_type_id, workflow_id FROM project_issue_type WHERE project_id = ?1 ORDER BY position";
    let types: Vec<(i64, i64)> = call.work.all(sql, [project], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut values = Vec::new();
    for (kind, workflow) in types {
        let sql = "SELECT initial_status_id FROM workflow WHERE id = ?1 UNION SELECT to_status_id FROM transition WHERE workflow_id = ?1 ORDER BY 1";
        let ids: Vec<i64> = call.work.all(sql, [workflow], |row| row.get(0))?;
        let statuses: Vec<_> = ids.into_iter().map(|id| call.view.status(id)).collect::<Result<_>>()?;
        let it = call.view.issue_type(kind)?;
        values.push(json!({ "self": it["self"], "id": it["id"], "name": it["name"], "subtask": it["subtask"], "statuses": statuses }));
    }
    Answer::ok(Json::Array(values))
}

fn components_of(call: &Call<'_>, project: i64) -> Result<Vec<Json>> {
    let sql = "SELECT id FROM component WHERE project_id = ?1 ORDER BY name";
    let ids: Vec<i64> = call.work.all(sql, [project], |row| row.get(0))?;
    ids.into_iter().map(|id| component_json(call, id)).collect()
}

fn component_json(call: &Call<'_>, id: i64) -> Result<Json> {
    let mut value = call.view.component(id)?;
    let sql = "SELECT p.id, p.key, c.lead_id FROM component c JOIN project p ON p.id = c.project_id WHERE c.id = ?1";
    let found: Option<(i64, String, Option<i64>)> =
        call.work.one(sql, [id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    if let Some((project, key, lead)) = found {
        value["project"] = json!(key);
        value["projectId"] = json!(project);
        value["assigneeType"] = json!("PROJECT_DEFAULT");
        value["isAssigneeTypeValid"] = json!(false);
        if let Some(lead) = lead {
            value["lead"] = call.view.person(lead)?;
        }
    }
    Ok(value)
}

fn components(call: &Call<'_>) -> Result<Answer> {
    let project = of_path(call)?;
    Answer::ok(Json::Array(components_of(call, project)?))
}

/// Returns the component or version of the path, whose project the caller may see, and the project.
fn part_of_path(call: &Call<'_>, table: &str) -> Result<(i64, i64)> {
    let missing = || Fault::missing(format!("Could not find {table} for id '{}'.", call.param("id")));
    let id: i64 = call.param("id").parse().map_err(|_| missing())?;
    let sql = format!("SELECT project_id FROM {table} WHERE id = ?1");
    let project: Option<i64> = call.work.one(&sql, [id], |row| row.get(0))?;
    let project = project.ok_or_else(missing)?;
    let sees = permission::can(call.work, call.person, project, "BROWSE_PROJECTS")?;
    if sees { Ok((id, project)) } else { Err(missing()) }
}

fn administer(call: &Call<'_>, project: i64) -> Result<()> {
    let message = "You must have the permission to administer this project.";
    permission::require(call.work, call.person, project, "ADMINISTER_PROJECTS", message)
}

fn component(call: &Call<'_>) -> Result<Answer> {
    let (id, _) = part_of_path(call, "component")?;
    Answer::ok(component_json(call, id)?)
}

fn delete_component(call: &Call<'_>) -> Result<Answer> {
    let (id, project) = part_of_path(call, "component")?;
    administer(call, project)?;
    call.work.run("DELETE FROM value WHERE field_id = 'components' AND ref = ?1", [id])?;
    call.work.run("DELETE FROM component WHERE id = ?1", [id])?;
    Answer::done()
}

/// Returns the project that a body names by `project` or `projectId`.
fn project_of_body(call: &Call<'_>, body: &Json) -> Result<i64> {
    let named = match (&body["projectId"], &body["project"]) {
        (Json::Number(id), _) => id.to_string(),
        (Json::String(text), _) | (_, Json::String(text)) => text.clone(),
        _ => return Err(Fault::of_field("project", "You must specify a project.")),
    };
    visible_project(call, &named)
}

/// Returns the name that a body has to have, if no other part of the project has it.
fn name_of(call: &Call<'_>, table: &str, body: &Json, project: i64, except: Option<i64>) -> Result<String> {
    let name = body["name"].as_str().unwrap_or_default().trim();
    let what = if table == "version" { "version" } else { "component" };
    if name.is_empty() {
        return Err(Fault::of_field("name", format!("The {what} name must not be empty.")));
    }
    if name.chars().count() > 255 {
        return Err(Fault::of_field(
            "name",
            format!("The {what} name must not exceed 255 characters in length."),
        ));
    }
    let sql =
        format!("SELECT id FROM {table} WHERE project_id = ?1 AND name = ?2 COLLATE NOCASE AND id IS NOT ?3");
    if call.work.one(&sql, (project, name, except), |_| Ok(()))?.is_some() {
        let message = match table {
            "version" => "A version with this name already exists in this project.".to_owned(),
            _ => format!("A component with the name {name} already exists in this project."),
        };
        return Err(Fault::of_field("name", message));
    }
    Ok(name.to_owned())
}

fn add_component(call: &Call<'_>) -> Result<Answer> {
    let body = call.json()?;
    let project = project_of_body(call, &body)?;
    administer(call, project)?;
    let name = name_of(call, "component", &body, project, None)?;
    let lead = match (&body["leadAccountId"], &body["leadUserName"]) {
        (Json::String(account), _) => crate::person::by_account(call.work, account)?,
        (_, Json::String(name)) => crate::person::by_name(call.work, name)?,
        _ => None,
    };
    let sql = "INSERT INTO component (id, project_id, name, description, lead_id)
        VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM component), ?1, ?2, ?3, ?4)";
    let id = call.work.add(sql, (project, name, body["description"].as_str().unwrap_or_default(), lead))?;
    Answer::created(component_json(call, id)?)
}

fn versions_of(call: &Call<'_>, project: i64) -> Result<Vec<Json>> {
    let sql = "SELECT id FROM version WHERE project_id = ?1 ORDER BY position, id";
    let ids: Vec<i64> = call.work.all(sql, [project], |row| row.get(0))?;
    ids.into_iter().map(|id| version_json(call, id)).collect()
}

fn version_json(call: &Call<'_>, id: i64) -> Result<Json> {
    let mut value = call.view.version_of(id)?;
    let sql = "SELECT project_id, start_date, release_date, released FROM version WHERE id = ?1";
    let found: Option<(i64, Option<String>, Option<String>, bool)> =
        call.work.one(sql, [id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    if let Some((project, start, release, released)) = found {
        value["projectId"] = json!(project);
        if let Some(start) = start {
            value["startDate"] = json!(start);
        }
        if let Some(release) = release {
            value["overdue"] = json!(!released && release < time::day(call.work.now).to_string());
        }
    }
    Ok(value)
}

fn versions(call: &Call<'_>) -> Result<Answer> {
    let project = of_path(call)?;
    Answer::ok(Json::Array(versions_of(call, project)?))
}

fn version_page(call: &Call<'_>) -> Result<Answer> {
    let project = of_path(call)?;
    let query = call.query("query").unwrap_or_default().to_lowercase();
    let mut all = versions_of(call, project)?;
    all.retain(|it| it["name"].as_str().is_some_and(|name| name.to_lowercase().contains(&query)));
    Answer::ok(call.page(50, 200)?.values(all))
}

fn version(call: &Call<'_>) -> Result<Answer> {
    let (id, _) = part_of_path(call, "version")?;
    Answer::ok(version_json(call, id)?)
}

/// Returns a date of a body; `Some(None)` empties it.
fn date_of(body: &Json, name: &str) -> Result<Option<Option<String>>> {
    match body.get(name) {
        None => Ok(None),
        Some(Json::Null) => Ok(Some(None)),
        Some(Json::String(text)) if text.is_empty() => Ok(Some(None)),
        Some(Json::String(text)) if time::is_day(text) => Ok(Some(Some(text.clone()))),
        Some(_) => Err(Fault::of_field(name, "The date is not valid: expected YYYY-MM-DD.")),
    }
}

fn add_version(call: &Call<'_>) -> Result<Answer> {
    let body = call.json()?;
    let project = project_of_body(call, &body)?;
    administer(call, project)?;
    let name = name_of(call, "version", &body, project, None)?;
    let sql = "INSERT INTO version (id, project_id, name, position)
        VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM version), ?1, ?2, (SELECT coalesce(max(position), 0) + 1 FROM version WHERE project_id = ?1))";
    let id = call.work.add(sql, (project, name))?;
    change_version(call, id, &body)?;
    Answer::created(version_json(call, id)?)
}

fn edit_version(call: &Call<'_>) -> Result<Answer> {
    let (id, project) = part_of_path(call, "version")?;
    administer(call, project)?;
    let body = call.json()?;
    if body.get("name").is_some() {
        let name = name_of(call, "version", &body, project, Some(id))?;
        call.work.run("UPDATE version SET name = ?1 WHERE id = ?2", (name, id))?;
    }
    change_version(call, id, &body)?;
    Answer::ok(version_json(call, id)?)
}

fn change_version(call: &Call<'_>, id: i64, body: &Json) -> Result<()> {
    if let Some(description) = body["description"].as_str() {
        call.work.run("UPDATE version SET description = ?1 WHERE id = ?2", (description, id))?;
    }
    for (name, column) in [("startDate", "start_date"), ("releaseDate", "release_date")] {
        if let Some(date) = date_of(body, name)? {
            call.work.run(&format!("UPDATE version SET {column} = ?1 WHERE id = ?2"), (date, id))?;
        }
    }
    for name in ["released", "archived"] {
        if let Some(flag) = body[name].as_bool() {
            call.work.run(&format!("UPDATE version SET {name} = ?1 WHERE id = ?2"), (flag, id))?;
        }
    }
    let sql = "SELECT 1 FROM version WHERE id = ?1 AND start_date > release_date";
    if call.work.one(sql, [id], |_| Ok(()))?.is_some() {
        return Err(Fault::of_field("startDate", "The start date must be before the release date."));
    }
    Ok(())
}

fn delete_version(call: &Call<'_>) -> Result<Answer> {
    let (id, project) = part_of_path(call, "version")?;
    administer(call, project)?;
    call.work.run("DELETE FROM value WHERE field_id IN ('fixVersions', 'versions') AND ref = ?1", [id])?;
    call.work.run("DELETE FROM version WHERE id = ?1", [id])?;
    Answer::done()
}
