//! `/rest/servicedeskapi`: the service desk, as its customers and its agents see it.
//!
//! In: requests about service desks, their request types and queues, and the requests of customers. Out: JSON
//! in the form of Jira Service Management. A customer sees their own requests and public comments; an agent,
//! who may edit the issues of the project, sees all. It has no organizations, no approvals and no temporary
//! attachments.

mod comment;
mod portal;
mod queue;
mod request;
mod sla;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value as Json, json};

use super::{Access, On, Operation, operation};
use crate::call::{Answer, Call, Page};
use crate::fault::{Fault, Result};
use crate::{permission, time};

pub(crate) const OPERATIONS: &[Operation] = &[
    Operation {
        access: Access::Anyone,
        ..operation("GET", "/rest/servicedeskapi/info", On::Both, portal::info)
    },
    operation("GET", "/rest/servicedeskapi/servicedesk", On::Both, portal::list),
    operation("GET", "/rest/servicedeskapi/servicedesk/{id}", On::Both, portal::get),
    operation("GET", "/rest/servicedeskapi/servicedesk/{id}/requesttypegroup", On::Both, portal::groups),
    operation("GET", "/rest/servicedeskapi/servicedesk/{id}/requesttype", On::Both, portal::types),
    operation("GET", "/rest/servicedeskapi/servicedesk/{id}/requesttype/{type}", On::Both, portal::get_type),
    operation(
        "GET",
        "/rest/servicedeskapi/servicedesk/{id}/requesttype/{type}/field",
        On::Both,
        portal::fields,
    ),
    operation("GET", "/rest/servicedeskapi/servicedesk/{id}/queue", On::Both, queue::list),
    operation("GET", "/rest/servicedeskapi/servicedesk/{id}/queue/{queue}", On::Both, queue::get),
    operation("GET", "/rest/servicedeskapi/servicedesk/{id}/queue/{queue}/issue", On::Both, queue::issues),
    operation("GET", "/rest/servicedeskapi/request", On::Both, request::list),
    operation("POST", "/rest/servicedeskapi/request", On::Both, request::create),
    operation("GET", "/rest/servicedeskapi/request/{key}", On::Both, request::get),
    operation("GET", "/rest/servicedeskapi/request/{key}/comment", On::Both, comment::list),
    operation("POST", "/rest/servicedeskapi/request/{key}/comment", On::Both, comment::create),
    operation("GET", "/rest/servicedeskapi/request/{key}/comment/{id}", On::Both, comment::get),
    operation("GET", "/rest/servicedeskapi/request/{key}/sla", On::Both, sla::list),
    operation("GET", "/rest/servicedeskapi/request/{key}/sla/{id}", On::Both, sla::get),
    operation("GET", "/rest/servicedeskapi/request/{key}/status", On::Both, request::statuses),
    operation("GET", "/rest/servicedeskapi/request/{key}/participant", On::Both, request::participants),
    operation("POST", "/rest/servicedeskapi/request/{key}/participant", On::Both, request::add_participants),
    operation(
        "DELETE",
        "/rest/servicedeskapi/request/{key}/participant",
        On::Both,
        request::remove_participants,
    ),
];

/// The number of elements of a page, if none is asked for, and the largest one.
const PAGE: u64 = 50;
const MAX_PAGE: u64 = 100;

/// A service desk, and the project that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Desk {
    id: i64,
    project: i64,
}

/// Returns the service desks that the caller may use.
fn desks(call: &Call<'_>) -> Result<Vec<Desk>> {
    let all = call.work.all("SELECT id, project_id FROM desk ORDER BY id", [], |row| {
        Ok(Desk { id: row.get(0)?, project: row.get(1)? })
    })?;
    let mut found = Vec::new();
    for desk in all {
        let can = |name: &str| permission::can(call.work, call.person, desk.project, name);
        if can("BROWSE_PROJECTS")? || can("CREATE_ISSUES")? {
            found.push(desk);
        }
    }
    Ok(found)
}

/// Returns the service desk of the path: by its id, or by its project as `projectId:10001` or
/// `projectKey:HELP`; the bare key works too.
fn desk_of_path(call: &Call<'_>) -> Result<Desk> {
    desk_by_name(call, call.param("id"))
}

fn desk_by_name(call: &Call<'_>, named: &str) -> Result<Desk> {
    let missing = || Fault::missing("The Service Desk you are trying to view does not exist.");
    let number = |text: &str| text.parse::<i64>().map_err(|_| missing());
    let of_key = |key: &str| -> Result<Option<i64>> {
        let sql = "SELECT id FROM project WHERE key = ?1 UNION SELECT project_id FROM former_project_key WHERE key = ?1";
        call.work.one(sql, [key.to_uppercase()], |row| row.get(0))
    };
    let all = desks(call)?;
    let found = if let Some(id) = named.strip_prefix("projectId:") {
        let id = number(id)?;
        all.into_iter().find(|it| it.project == id)
    } else if let Ok(id) = named.parse::<i64>() {
        all.into_iter().find(|it| it.id == id)
    } else {
        let project = of_key(named.strip_prefix("projectKey:").unwrap_or(named))?;
        all.into_iter().find(|it| Some(it.project) == project)
    };
    found.ok_or_else(missing)
}

/// Returns whether the caller is an agent of a service desk.
fn is_agent(call: &Call<'_>, desk: Desk) -> Result<bool> {
    permission::can(call.work, call.person, desk.project, "EDIT_ISSUES")
}

/// Refuses what only agents may do.
fn require_agent(call: &Call<'_>, desk: Desk) -> Result<()> {
    if is_agent(call, desk)? {
        return Ok(());
    }
    Err(Fault::new(
        403,
        "You do not have the permission to perform this action: you must be an agent of the service desk.",
    ))
}

/// Returns an address below this API.
fn address(call: &Call<'_>, path: &str) -> String {
    format!("{}/rest/servicedeskapi/{path}", call.view.base)
}

/// Returns the page that the query asks for.
fn asked_page(call: &Call<'_>) -> Result<Page> {
    Ok(Page { start: call.number("start", 0)?, size: call.number("limit", PAGE)?.clamp(1, MAX_PAGE) })
}

/// Answers with a page of a whole list. `path` is that of the request below this API.
fn page(call: &Call<'_>, path: &str, all: Vec<Json>) -> Result<Answer> {
    let page = asked_page(call)?;
    let total = all.len() as u64;
    let values = page.of(all);
    let is_last = page.start + values.len() as u64 >= total;
    Answer::ok(paged(call, path, page, values, is_last))
}

/// Returns a page in the form of this API.
fn paged(call: &Call<'_>, path: &str, page: Page, values: Vec<Json>, is_last: bool) -> Json {
    let link = |start: u64| {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let others = call.query.iter().filter(|(name, _)| name != "start" && name != "limit");
        query.extend_pairs(others);
        query.append_pair("start", &start.to_string()).append_pair("limit", &page.size.to_string());
        format!("{}?{}", address(call, path), query.finish())
    };
    let mut links = json!({
        "self": address(call, path),
        "base": format!("{}/rest/servicedeskapi", call.view.base),
        "context": context(call),
    });
    if !is_last {
        links["next"] = json!(link(page.start + values.len() as u64));
    }
    if page.start > 0 {
        links["prev"] = json!(link(page.start.saturating_sub(page.size)));
    }
    json!({
        "_expands": [], "size": values.len(), "start": page.start, "limit": page.size,
        "isLastPage": is_last, "_links": links, "values": values,
    })
}

/// The path of the product at its address, on Data Center.
fn context(call: &Call<'_>) -> String {
    if call.work.is_cloud() {
        return String::new();
    }
    url::Url::parse(&call.view.base)
        .map_or_else(|_| String::new(), |it| it.path().trim_end_matches('/').to_owned())
}

/// Returns a time in the forms of this API.
fn date(millis: i64) -> Json {
    let zoned = Timestamp::from_millisecond(millis).unwrap_or_default().to_zoned(TimeZone::UTC);
    json!({
        "iso8601": zoned.strftime("%Y-%m-%dT%H:%M:%S%z").to_string(),
        "jira": time::of(millis),
        "friendly": zoned.strftime("%d/%b/%y %-I:%M %p").to_string(),
        "epochMillis": millis,
    })
}

/// Returns a person in the form of this API.
fn user(call: &Call<'_>, id: i64) -> Result<Json> {
    let mut person = call.view.person(id)?;
    let address = person["self"].take();
    let links = json!({ "jiraRest": address, "avatarUrls": person["avatarUrls"].take(), "self": address });
    let Some(members) = person.as_object_mut() else { return Ok(Json::Null) };
    for name in ["self", "avatarUrls", "accountType"] {
        members.remove(name);
    }
    members.insert("_links".to_owned(), links);
    Ok(person)
}
