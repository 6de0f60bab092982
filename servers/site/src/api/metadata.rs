//! What issues can have: fields, types, statuses, priorities, resolutions, permissions, and the screens for new issues.

use serde_json::{Map, Value as Json, json};

use super::issue::visible;
use super::project::visible_project;
use super::{Access, On, Operation, operation};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::field::{self, Field, Kind};
use crate::permission;
use crate::screen::{self, Screen};
use crate::time;
use crate::view::View;

pub(crate) const OPERATIONS: &[Operation] = &[
    Operation {
        access: Access::Anyone,
        ..operation("GET", "/rest/api/{v}/serverInfo", On::Both, server_info)
    },
    operation("GET", "/rest/api/{v}/field", On::Both, fields),
    operation("GET", "/rest/api/{v}/field/search", On::Cloud, search_fields),
    operation("GET", "/rest/api/{v}/field/{field}/context", On::Cloud, contexts),
    operation("GET", "/rest/api/{v}/field/{field}/context/{context}/option", On::Cloud, options),
    operation("GET", "/rest/api/{v}/customFields", On::DataCenter, custom_fields),
    operation("GET", "/rest/api/{v}/customFields/{field}/options", On::DataCenter, custom_options),
    operation("GET", "/rest/api/{v}/status", On::Both, statuses),
    operation("GET", "/rest/api/{v}/status/{id}", On::Both, status),
    operation("GET", "/rest/api/{v}/statuscategory", On::Both, categories),
    operation("GET", "/rest/api/{v}/issuetype", On::Both, issue_types),
    operation("GET", "/rest/api/{v}/priority", On::Both, priorities),
    operation("GET", "/rest/api/{v}/resolution", On::Both, resolutions),
    operation("GET", "/rest/api/{v}/mypermissions", On::Both, my_permissions),
    operation("GET", "/rest/api/{v}/issue/createmeta/{project}/issuetypes", On::Both, create_types),
    operation("GET", "/rest/api/{v}/issue/createmeta/{project}/issuetypes/{type}", On::Both, create_fields),
];

fn server_info(call: &Call<'_>) -> Result<Answer> {
    let (version, numbers) =
        if call.work.is_cloud() { ("1001.0.0-SNAPSHOT", [1001, 0, 0]) } else { ("11.3.8", [11, 3, 8]) };
    let deployment = if call.work.is_cloud() { "Cloud" } else { "Server" };
    Answer::ok(json!({
        "baseUrl": call.view.base, "version": version, "versionNumbers": numbers, "deploymentType": deployment,
        "buildNumber": 100_300, "buildDate": "2026-10-01T00:00:00.000+0000", "serverTime": time::of(call.work.now),
        "scmInfo": "stand-in", "serverTitle": "Plainwire stand-in site",
    }))
}

/// Returns a field as lists show it.
fn field_json(view: &View<'_>, field: &Field) -> Json {
    let mut names = vec![field.clause.clone().unwrap_or_else(|| field.id.clone())];
    if let Some(number) = field.number() {
        names = vec![format!("cf[{number}]"), field.name.clone()];
    }
    let is_kept = field.kind != Kind::Computed;
    let mut value = json!({
        "id": field.id, "name": field.name, "custom": field.is_custom(), "orderable": is_kept, "navigable": true,
        "searchable": is_kept, "clauseNames": names, "schema": View::field_schema(field),
    });
    if view.work.is_cloud() {
        value["key"] = json!(field.id);
    }
    value
}

fn fields(call: &Call<'_>) -> Result<Answer> {
    let all = field::all(call.work)?;
    Answer::ok(all.iter().map(|it| field_json(&call.view, it)).collect())
}

fn search_fields(call: &Call<'_>) -> Result<Answer> {
    let query = call.query("query").unwrap_or_default().to_lowercase();
    let (ids, types) = (call.list("id"), call.list("type"));
    let all = field::all(call.work)?.into_iter().filter(|it| {
        let fits = it.name.to_lowercase().contains(&query) || it.description.to_lowercase().contains(&query);
        let kind = if it.is_custom() { "custom" } else { "system" };
        fits && (ids.is_empty() || ids.contains(&it.id.as_str()))
            && (types.is_empty() || types.contains(&kind))
    });
    let all = all.map(|it| {
        json!({ "id": it.id, "name": it.name, "schema": View::field_schema(&it), "description": it.description, "key": it.id })
    });
    Answer::ok(call.page(50, 100)?.values(all.collect()))
}

/// Returns the custom field of the path.
fn custom_of_path(call: &Call<'_>) -> Result<Field> {
    let id = call.param("field");
    let id =
        if id.bytes().all(|it| it.is_ascii_digit()) { format!("customfield_{id}") } else { id.to_owned() };
    let found = field::by_id(call.work, &id)?.filter(Field::is_custom);
    found.ok_or_else(|| Fault::missing("The custom field was not found."))
}

fn contexts(call: &Call<'_>) -> Result<Answer> {
    let field = custom_of_path(call)?;
    let sql = "SELECT id, name, NOT EXISTS (SELECT 1 FROM context_project p WHERE p.context_id = context.id) FROM context WHERE field_id = ?1 ORDER BY id";
    let all = call.work.all(sql, [&field.id], |row| {
        Ok(json!({
            "id": row.get::<_, i64>(0)?.to_string(), "name": row.get::<_, String>(1)?, "description": "",
            "isGlobalContext": row.get::<_, bool>(2)?, "isAnyIssueType": true,
        }))
    })?;
    Answer::ok(call.page(50, 100)?.values(all))
}

fn options(call: &Call<'_>) -> Result<Answer> {
    let field = custom_of_path(call)?;
    let missing = "The custom field context was not found.";
    let context = call.id("context", missing)?;
    let exists = "SELECT 1 FROM context WHERE id = ?1 AND field_id = ?2";
    if call.work.one(exists, (context, &field.id), |_| Ok(()))?.is_none() {
        return Err(Fault::missing(missing));
    }
    let sql = "SELECT id, value, disabled, parent_id FROM option WHERE context_id = ?1 ORDER BY parent_id IS NOT NULL, parent_id, position, id";
    let all = call.work.all(sql, [context], |row| {
        let mut value = json!({
            "id": row.get::<_, i64>(0)?.to_string(), "value": row.get::<_, String>(1)?, "disabled": row.get::<_, bool>(2)?,
        });
        if let Some(parent) = row.get::<_, Option<i64>>(3)? {
            value["optionId"] = json!(parent.to_string());
        }
        Ok(value)
    })?;
    Answer::ok(call.page(100, 100)?.values(all))
}

fn custom_fields(call: &Call<'_>) -> Result<Answer> {
    let search = call.query("search").unwrap_or_default().to_lowercase();
    let all = field::all(call.work)?
        .into_iter()
        .filter(|it| it.is_custom() && it.name.to_lowercase().contains(&search));
    let all = all.map(|it| {
        json!({
            "id": it.id, "name": it.name, "description": it.description, "type": it.custom, "numericId": it.number(),
            "searcherKey": "", "self": call.view.api(&format!("customFields/{}", it.id)), "isAllProjects": true, "isLocked": false,
            "isManaged": false, "isTrusted": true, "projectsCount": 0, "screensCount": 1,
        })
    });
    let page = call.page(50, 1_000)?;
    Answer::ok(page.values(all.collect()))
}

/// Returns the options of a custom field on Data Center, where the projects are those of the query.
fn custom_options(call: &Call<'_>) -> Result<Answer> {
    let field = custom_of_path(call)?;
    let query = call.query("query").unwrap_or_default().to_lowercase();
    let projects: Vec<i64> = call.list("projectIds").into_iter().filter_map(|it| it.parse().ok()).collect();
    let sql = "SELECT o.id, o.value, o.disabled, o.parent_id, o.context_id FROM option o JOIN context c ON c.id = o.context_id
        WHERE c.field_id = ?1 ORDER BY o.context_id, o.parent_id IS NOT NULL, o.position, o.id";
    let rows = call.work.all(sql, [&field.id], |row| {
        Ok((
            row.get::<_, i64>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, bool>(2)?,
            row.get::<_, Option<i64>>(3)?,
            row.get::<_, i64>(4)?,
        ))
    })?;
    let mut contexts = Vec::new();
    for project in &projects {
        contexts.extend(screen::context(call.work, &field.id, *project)?);
    }
    let all: Vec<_> = rows
        .iter()
        .filter(|it| {
            (projects.is_empty() || contexts.contains(&it.4))
                && it.1.to_lowercase().contains(&query)
                && it.3.is_none()
        })
        .map(|it| {
            let children: Vec<i64> =
                rows.iter().filter(|child| child.3 == Some(it.0)).map(|child| child.0).collect();
            json!({
                "id": it.0, "value": it.1, "disabled": it.2, "childrenIds": children,
                "self": call.view.api(&format!("customFieldOption/{}", it.0)),
            })
        })
        .collect();
    let total = all.len();
    let page = call.page(100, 1_000)?;
    Answer::ok(
        json!({ "maxResults": page.size, "startAt": page.start, "total": total, "isLast": true, "options": page.of(all) }),
    )
}

fn shown(call: &Call<'_>, sql: &str, show: impl Fn(i64) -> Result<Json>) -> Result<Answer> {
    let ids: Vec<i64> = call.work.all(sql, [], |row| row.get(0))?;
    Answer::ok(Json::Array(ids.into_iter().map(show).collect::<Result<_>>()?))
}

fn statuses(call: &Call<'_>) -> Result<Answer> {
    shown(call, "SELECT id FROM status ORDER BY id", |id| call.view.status(id))
}

fn status(call: &Call<'_>) -> Result<Answer> {
    let sql = "SELECT id FROM status WHERE CAST(id AS TEXT) = ?1 OR name = ?1 COLLATE NOCASE";
    let found = call.work.one(sql, [call.param("id")], |row| row.get(0))?;
    let id = found.ok_or_else(|| Fault::missing("The status was not found."))?;
    Answer::ok(call.view.status(id)?)
}

fn categories(call: &Call<'_>) -> Result<Answer> {
    let all = ["undefined", "new", "indeterminate", "done"].map(|it| call.view.status_category(it));
    Answer::ok(json!(all))
}

fn issue_types(call: &Call<'_>) -> Result<Answer> {
    shown(call, "SELECT id FROM issue_type ORDER BY id", |id| call.view.issue_type(id))
}

fn priorities(call: &Call<'_>) -> Result<Answer> {
    shown(call, "SELECT id FROM priority ORDER BY position", |id| {
        let mut value = call.view.priority(id)?;
        let sql = "SELECT description, color FROM priority WHERE id = ?1";
        let more: Option<(String, String)> =
            call.work.one(sql, [id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (description, color) = more.unwrap_or_default();
        value["description"] = json!(description);
        value["statusColor"] = json!(color);
        Ok(value)
    })
}

fn resolutions(call: &Call<'_>) -> Result<Answer> {
    shown(call, "SELECT id FROM resolution ORDER BY id", |id| call.view.resolution(id))
}

/// Returns which permissions the caller has: in a project, or in any.
fn my_permissions(call: &Call<'_>) -> Result<Answer> {
    let project = match (
        call.query("projectKey").or(call.query("projectId")),
        call.query("issueKey").or(call.query("issueId")),
    ) {
        (Some(project), _) => Some(visible_project(call, project)?),
        (None, Some(issue)) => Some(visible(call, issue)?.project_id),
        (None, None) => None,
    };
    let wanted = call.list("permissions");
    if wanted.is_empty() && call.work.is_cloud() {
        return Err(Fault::bad("The 'permissions' query parameter is required."));
    }
    if let Some(unknown) = wanted.iter().find(|it| permission::ALL.iter().all(|(key, _)| key != *it)) {
        return Err(Fault::bad(format!("Unrecognized permission: {unknown}")));
    }
    let projects = match project {
        Some(project) => vec![project],
        None => permission::visible_projects(call.work, call.person)?,
    };
    let mut all = Map::new();
    for (at, (key, name)) in permission::ALL.iter().enumerate() {
        if !wanted.is_empty() && !wanted.contains(key) {
            continue;
        }
        let mut has = false;
        for project in &projects {
            has |= permission::can(call.work, call.person, *project, key)?;
        }
        all.insert((*key).to_owned(), json!({
            "id": (at + 10).to_string(), "key": key, "name": name, "type": "PROJECT", "description": name, "havePermission": has,
        }));
    }
    Answer::ok(json!({ "permissions": all }))
}

fn create_types(call: &Call<'_>) -> Result<Answer> {
    let project = visible_project(call, call.param("project"))?;
    let sql = "SELECT issue_type_id FROM project_issue_type WHERE project_id = ?1 ORDER BY position";
    let ids: Vec<i64> = call.work.all(sql, [project], |row| row.get(0))?;
    let page = call.page(50, 200)?;
    let total = ids.len();
    let some: Vec<_> = page.of(ids).into_iter().map(|id| call.view.issue_type(id)).collect::<Result<_>>()?;
    listed(call, page, total, "issueTypes", some)
}

fn create_fields(call: &Call<'_>) -> Result<Answer> {
    let project = visible_project(call, call.param("project"))?;
    let kind = call.id("type", "The issue type was not found.")?;
    let all = screen::fields(call.work, project, kind, Screen::Create)?;
    let page = call.page(50, 200)?;
    let total = all.len();
    let some = page.of(all).into_iter().map(|it| screen::meta(&call.view, &it, project, kind));
    listed(call, page, total, "fields", some.collect::<Result<_>>()?)
}

/// A page of `createmeta`: its list has a name of its own on Cloud.
fn listed(
    call: &Call<'_>,
    page: crate::call::Page,
    total: usize,
    name: &str,
    some: Vec<Json>,
) -> Result<Answer> {
    if call.work.is_cloud() {
        return Answer::ok(
            json!({ "maxResults": page.size, "startAt": page.start, "total": total, name: some }),
        );
    }
    let is_last = page.start + some.len() as u64 >= total as u64;
    Answer::ok(json!({
        "maxResults": page.size, "startAt": page.start, "total": total, "isLast": is_last, "values": some,
    }))
}
