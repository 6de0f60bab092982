//! `myself`, `user` and `users`: people.

use serde_json::{Value as Json, json};

use super::issue::visible;
use super::project::visible_project;
use super::{On, Operation, operation};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::{permission, person};

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("GET", "/rest/api/{v}/myself", On::Both, myself),
    operation("GET", "/rest/api/{v}/user", On::Both, get),
    operation("GET", "/rest/api/{v}/user/search", On::Both, search),
    operation("GET", "/rest/api/{v}/user/assignable/search", On::Both, assignable),
    operation("GET", "/rest/api/{v}/user/picker", On::Both, picker),
    operation("GET", "/rest/api/{v}/users/search", On::Cloud, everyone),
    operation("GET", "/rest/api/{v}/user/bulk", On::Cloud, several),
];

/// The largest number of people of a page.
const MAX_PAGE: u64 = 1_000;

fn detailed(call: &Call<'_>, id: i64) -> Result<Json> {
    let mut value = call.view.person(id)?;
    let sql = "SELECT g.id FROM \"group\" g JOIN member m ON m.group_id = g.id WHERE m.person_id = ?1 ORDER BY g.name";
    let groups: Vec<i64> = call.work.all(sql, [id], |row| row.get(0))?;
    let expand = call.list("expand");
    let items = match expand.contains(&"groups") {
        true => groups.iter().map(|id| call.view.group(*id)).collect::<Result<Vec<_>>>()?,
        false => Vec::new(),
    };
    value["groups"] = json!({ "size": groups.len(), "items": items });
    value["applicationRoles"] = json!({ "size": 1, "items": [] });
    value["locale"] = json!("en_US");
    Ok(value)
}

fn myself(call: &Call<'_>) -> Result<Answer> {
    Answer::ok(detailed(call, call.person)?)
}

fn get(call: &Call<'_>) -> Result<Answer> {
    let found = if call.work.is_cloud() {
        call.query("accountId").map_or(Ok(None), |it| person::by_account(call.work, it))?
    } else {
        match (call.query("username"), call.query("key")) {
            (Some(name), _) => person::by_name(call.work, name)?,
            (None, Some(key)) => person::by_key(call.work, key)?,
            (None, None) => {
                return Err(Fault::bad(
                    "Either the username or the key query parameters need to be provided",
                ));
            }
        }
    };
    let id = found.ok_or_else(|| Fault::missing("The user does not exist"))?;
    Answer::ok(detailed(call, id)?)
}

fn is_active(call: &Call<'_>, id: i64) -> Result<bool> {
    let found = call.work.one("SELECT active FROM person WHERE id = ?1", [id], |row| row.get(0))?;
    Ok(found.unwrap_or(false))
}

/// Returns a page of people: a list without a total.
fn listed(call: &Call<'_>, ids: Vec<i64>) -> Result<Answer> {
    let page = call.page(50, MAX_PAGE)?;
    let some = page.of(ids).into_iter().map(|id| call.view.person(id));
    Answer::ok(Json::Array(some.collect::<Result<_>>()?))
}

/// Returns the text that a search of people is for: `query` on Cloud, `username` on Data Center.
fn query<'a>(call: &'a Call<'_>) -> Option<&'a str> {
    if call.work.is_cloud() { call.query("query") } else { call.query("username") }
}

fn search(call: &Call<'_>) -> Result<Answer> {
    if call.work.is_cloud()
        && let Some(account) = call.query("accountId")
    {
        return listed(call, person::by_account(call.work, account)?.into_iter().collect());
    }
    let Some(text) = query(call) else {
        let name = if call.work.is_cloud() { "query" } else { "username" };
        return Err(Fault::bad(format!("The {name} query parameter was not provided")));
    };
    let text = if text == "." && !call.work.is_cloud() { "" } else { text };
    let with_inactive = call.flag("includeInactive", call.work.is_cloud());
    let mut found = Vec::new();
    for id in person::search(call.work, text)? {
        if with_inactive || is_active(call, id)? {
            found.push(id);
        }
    }
    listed(call, found)
}

fn assignable(call: &Call<'_>) -> Result<Answer> {
    let project = match (call.query("issueKey"), call.query("project")) {
        (Some(key), _) => visible(call, key)?.project_id,
        (None, Some(project)) => visible_project(call, project)?,
        (None, None) => return Err(Fault::bad("A project or an issue key must be specified.")),
    };
    let mut found = Vec::new();
    for id in person::search(call.work, query(call).unwrap_or_default())? {
        if is_active(call, id)? && permission::can(call.work, id, project, "ASSIGNABLE_USER")? {
            found.push(id);
        }
    }
    listed(call, found)
}

fn picker(call: &Call<'_>) -> Result<Answer> {
    let text = call.query("query").ok_or_else(|| Fault::bad("The query parameter was not provided"))?;
    let ids = person::search(call.work, text)?;
    let total = ids.len();
    let mut users = Vec::new();
    for id in call.page(50, MAX_PAGE)?.of(ids) {
        let it = call.view.person(id)?;
        let mut user = json!({ "displayName": it["displayName"], "html": it["displayName"] });
        for name in ["accountId", "accountType", "name", "key"] {
            if let Some(value) = it.get(name) {
                user[name] = value.clone();
            }
        }
        users.push(user);
    }
    let header = format!("Showing {} of {total} matching users", users.len());
    Answer::ok(json!({ "users": users, "total": total, "header": header }))
}

fn everyone(call: &Call<'_>) -> Result<Answer> {
    listed(call, call.work.all("SELECT id FROM person ORDER BY id", [], |row| row.get(0))?)
}

fn several(call: &Call<'_>) -> Result<Answer> {
    let mut found = Vec::new();
    for account in call.list("accountId") {
        if let Some(id) = person::by_account(call.work, account)? {
            found.push(call.view.person(id)?);
        }
    }
    Answer::ok(call.page(10, 200)?.values(found))
}
