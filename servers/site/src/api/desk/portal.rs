//! `servicedesk`: service desks, their request types, and the forms of these.

use serde_json::{Value as Json, json};

use super::{Desk, address, date, desk_of_path, desks, is_agent, page};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::field::{self, Field, Kind};
use crate::permission;
use crate::screen::{children, options};
use crate::view::View;

/// A request type.
#[derive(Clone, Debug)]
pub(super) struct RequestType {
    pub(super) id: i64,
    pub(super) issue_type: i64,
    name: String,
    description: String,
    help: String,
    group: String,
}

/// A field of a request type, under the name that customers see.
#[derive(Clone, Debug)]
pub(super) struct FormField {
    pub(super) field: Field,
    pub(super) label: String,
    description: String,
    pub(super) required: bool,
}

pub(super) fn info(call: &Call<'_>) -> Result<Answer> {
    let (version, platform) = match call.work.is_cloud() {
        true => ("1001.0.0-SNAPSHOT", "1001.0.0-SNAPSHOT"),
        false => ("11.3.8", "11.3.8"),
    };
    Answer::ok(json!({
        "version": version, "platformVersion": platform, "buildDate": date(1_735_689_600_000),
        "buildChangeSet": "0000000", "isLicensedForUse": true, "_links": { "self": address(call, "info") },
    }))
}

pub(super) fn list(call: &Call<'_>) -> Result<Answer> {
    let all = desks(call)?.into_iter().map(|it| shown(call, it)).collect::<Result<_>>()?;
    page(call, "servicedesk", all)
}

pub(super) fn get(call: &Call<'_>) -> Result<Answer> {
    Answer::ok(shown(call, desk_of_path(call)?)?)
}

pub(super) fn shown(call: &Call<'_>, desk: Desk) -> Result<Json> {
    let project = call.view.project(desk.project)?;
    let mut value = json!({
        "id": desk.id.to_string(),
        "projectId": desk.project.to_string(),
        "projectName": project["name"],
        "projectKey": project["key"],
        "_links": { "self": address(call, &format!("servicedesk/{}", desk.id)) },
    });
    if call.work.is_cloud() {
        value["projectTypeKey"] = project["projectTypeKey"].clone();
    }
    Ok(value)
}

/// Returns the request types of a service desk, in the order of their ids.
fn types_of(call: &Call<'_>, desk: Desk) -> Result<Vec<RequestType>> {
    let sql = "SELECT id, issue_type_id, name, description, help, group_name FROM request_type WHERE desk_id = ?1 ORDER BY id";
    call.work.all(sql, [desk.id], |row| {
        Ok(RequestType {
            id: row.get(0)?,
            issue_type: row.get(1)?,
            name: row.get(2)?,
            description: row.get(3)?,
            help: row.get(4)?,
            group: row.get(5)?,
        })
    })
}

/// Returns a request type of a service desk by its id.
pub(super) fn type_by_id(call: &Call<'_>, desk: Desk, id: &str) -> Result<RequestType> {
    let found = types_of(call, desk)?.into_iter().find(|it| it.id.to_string() == id);
    found.ok_or_else(|| Fault::missing("The request type you are trying to view does not exist."))
}

/// Returns the names of the groups of request types, in the order in which they first appear. A group's id is
/// its place, from one.
fn groups_of(types: &[RequestType]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for it in types {
        if !names.contains(&it.group.as_str()) {
            names.push(&it.group);
        }
    }
    names
}

fn group_id(types: &[RequestType], name: &str) -> String {
    groups_of(types).iter().position(|it| *it == name).map_or_else(String::new, |at| (at + 1).to_string())
}

pub(super) fn groups(call: &Call<'_>) -> Result<Answer> {
    let desk = desk_of_path(call)?;
    let types = types_of(call, desk)?;
    let all =
        groups_of(&types).iter().map(|name| json!({ "id": group_id(&types, name), "name": name })).collect();
    page(call, &format!("servicedesk/{}/requesttypegroup", desk.id), all)
}

pub(super) fn types(call: &Call<'_>) -> Result<Answer> {
    let desk = desk_of_path(call)?;
    let types = types_of(call, desk)?;
    let query = call.query("searchQuery").unwrap_or_default().to_lowercase();
    let found = types.iter().filter(|it| {
        let is_in_group = call.query("groupId").is_none_or(|id| group_id(&types, &it.group) == id);
        let text = format!("{}\n{}", it.name, it.description).to_lowercase();
        is_in_group && text.contains(&query)
    });
    let all = found.map(|it| shown_type(call, desk, &types, it)).collect::<Result<_>>()?;
    page(call, &format!("servicedesk/{}/requesttype", desk.id), all)
}

pub(super) fn get_type(call: &Call<'_>) -> Result<Answer> {
    let desk = desk_of_path(call)?;
    let found = type_by_id(call, desk, call.param("type"))?;
    Answer::ok(shown_type(call, desk, &types_of(call, desk)?, &found)?)
}

/// Returns a request type by its id, as a request expands it.
pub(super) fn type_of_request(call: &Call<'_>, desk: Desk, id: i64) -> Result<Json> {
    let types = types_of(call, desk)?;
    types.iter().find(|it| it.id == id).map_or(Ok(Json::Null), |it| shown_type(call, desk, &types, it))
}

fn shown_type(call: &Call<'_>, desk: Desk, types: &[RequestType], it: &RequestType) -> Result<Json> {
    let icons = call.view.avatars(&format!(
        "{}/secure/viewavatar?avatarType=SD_REQTYPE&avatarId={}",
        call.view.base,
        10_500 + it.id
    ));
    let mut value = json!({
        "_expands": ["field"],
        "id": it.id.to_string(),
        "_links": { "self": address(call, &format!("servicedesk/{}/requesttype/{}", desk.id, it.id)) },
        "name": it.name,
        "description": it.description,
        "helpText": it.help,
        "issueTypeId": it.issue_type.to_string(),
        "serviceDeskId": desk.id.to_string(),
        "groupIds": [group_id(types, &it.group)],
        "icon": { "id": (10_500 + it.id).to_string(), "_links": { "iconUrls": icons } },
    });
    if call.work.is_cloud() {
        value["portalId"] = json!(desk.id.to_string());
        value["canCreateRequest"] =
            json!(permission::can(call.work, call.person, desk.project, "CREATE_ISSUES")?);
        value["restrictionStatus"] = json!("OPEN");
    }
    if call.list("expand").contains(&"field") {
        value["fields"] = form(call, desk, it.id)?;
    }
    Ok(value)
}

/// Returns the fields of a request type, in the order of its form.
pub(super) fn fields_of(call: &Call<'_>, request_type: i64) -> Result<Vec<FormField>> {
    let sql = "SELECT field_id, name, description, required FROM request_type_field WHERE request_type_id = ?1 ORDER BY position";
    let rows = call.work.all(sql, [request_type], |row| {
        Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
    })?;
    let mut found = Vec::new();
    for (id, label, description, required) in rows {
        if let Some(field) = field::by_id(call.work, &id)? {
            found.push(FormField { field, label, description, required });
        }
    }
    Ok(found)
}

pub(super) fn fields(call: &Call<'_>) -> Result<Answer> {
    let desk = desk_of_path(call)?;
    let found = type_by_id(call, desk, call.param("type"))?;
    Answer::ok(form(call, desk, found.id)?)
}

fn form(call: &Call<'_>, desk: Desk, request_type: i64) -> Result<Json> {
    let fields = fields_of(call, request_type)?.into_iter().map(|it| {
        Ok(json!({
            "fieldId": it.field.id,
            "name": it.label,
            "description": it.description,
            "required": it.required,
            "defaultValues": [],
            "validValues": valid_values(call, &it.field, desk.project)?,
            "presetValues": [],
            "jiraSchema": View::field_schema(&it.field),
            "visible": true,
        }))
    });
    let agent = is_agent(call, desk)?;
    Ok(json!({
        "requestTypeFields": fields.collect::<Result<Vec<_>>>()?,
        "canRaiseOnBehalfOf": agent,
        "canAddRequestParticipants": agent,
    }))
}

/// Returns the values that may be chosen for a field; none for one that is written.
fn valid_values(call: &Call<'_>, field: &Field, project: i64) -> Result<Vec<Json>> {
    let named = |sql: &str| {
        call.work.all(sql, [project], |row| {
            let (id, name): (i64, String) = (row.get(0)?, row.get(1)?);
            Ok(json!({ "value": id.to_string(), "label": name, "children": [] }))
        })
    };
    match field.kind {
        Kind::Cascade | Kind::Option | Kind::Options => {
            options(call.work, &field.id, project)?.into_iter().map(|id| option(call, id)).collect()
        }
        Kind::Priority => named("SELECT id, name FROM priority WHERE ?1 IS NOT NULL ORDER BY position"),
        Kind::Components => named("SELECT id, name FROM component WHERE project_id = ?1 ORDER BY name"),
        Kind::Version | Kind::Versions => {
            named("SELECT id, name FROM version WHERE project_id = ?1 AND archived = 0 ORDER BY position")
        }
        _ => Ok(Vec::new()),
    }
}

fn option(call: &Call<'_>, id: i64) -> Result<Json> {
    let label: Option<String> =
        call.work.one("SELECT value FROM option WHERE id = ?1", [id], |row| row.get(0))?;
    let lower =
        children(call.work, id)?.into_iter().map(|it| option(call, it)).collect::<Result<Vec<_>>>()?;
    Ok(json!({ "value": id.to_string(), "label": label, "children": lower }))
}
