//! `issue/{key}/watchers`: the people who follow an issue.

use serde_json::{Value as Json, json};

use super::issue::of_path;
use super::{On, Operation, operation};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::{permission, person};

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("GET", "/rest/api/{v}/issue/{key}/watchers", On::Both, list),
    operation("POST", "/rest/api/{v}/issue/{key}/watchers", On::Both, add),
    operation("DELETE", "/rest/api/{v}/issue/{key}/watchers", On::Both, remove),
];

fn list(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let sql = "SELECT w.person_id FROM watcher w JOIN person p ON p.id = w.person_id WHERE w.issue_id = ?1 ORDER BY p.display_name, p.id";
    let ids: Vec<i64> = call.work.all(sql, [issue.id], |row| row.get(0))?;
    let watches = ids.contains(&call.person);
    let people: Vec<_> = ids.into_iter().map(|id| call.view.person(id)).collect::<Result<_>>()?;
    Answer::ok(json!({
        "self": call.view.api(&format!("issue/{}/watchers", issue.key)),
        "isWatching": watches, "watchCount": people.len(), "watchers": people,
    }))
}

/// Returns the person that a request names; without a name, the caller.
fn named(call: &Call<'_>, name: Option<&str>) -> Result<i64> {
    let Some(name) = name else { return Ok(call.person) };
    let member = if call.work.is_cloud() { "accountId" } else { "name" };
    let found = person::of_json(call.work, &json!({ member: name }))?;
    found.ok_or_else(|| Fault::missing(format!("The user \"{name}\" does not exist")))
}

fn may(call: &Call<'_>, project: i64, person: i64) -> Result<()> {
    if person == call.person || permission::can(call.work, call.person, project, "MANAGE_WATCHERS")? {
        return Ok(());
    }
    Err(Fault::new(403, "You do not have permission to manage the watcher list."))
}

fn add(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let body = call.json().unwrap_or_default();
    let person = match body {
        Json::String(name) => named(call, Some(&name))?,
        Json::Null => call.person,
        _ => return Err(Fault::bad("Can not deserialize instance: expected a string.")),
    };
    may(call, issue.project_id, person)?;
    let sql = "INSERT OR IGNORE INTO watcher (issue_id, person_id) VALUES (?1, ?2)";
    call.work.run(sql, (issue.id, person))?;
    Answer::done()
}

fn remove(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let parameter = if call.work.is_cloud() { "accountId" } else { "username" };
    let person = named(call, call.query(parameter))?;
    may(call, issue.project_id, person)?;
    call.work.run("DELETE FROM watcher WHERE issue_id = ?1 AND person_id = ?2", (issue.id, person))?;
    Answer::done()
}
