//! `issue/{key}/worklog`: the time that people spent on issues.

use serde_json::{Value as Json, json};

use super::issue::{of_path, require};
use super::{On, Operation, operation};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::field::Value;
use crate::issue::{self, Change, Issue};
use crate::screen::input::Input;
use crate::{duration, permission, time};

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("GET", "/rest/api/{v}/issue/{key}/worklog", On::Both, list),
    operation("POST", "/rest/api/{v}/issue/{key}/worklog", On::Both, create),
    operation("GET", "/rest/api/{v}/issue/{key}/worklog/{id}", On::Both, get),
    operation("PUT", "/rest/api/{v}/issue/{key}/worklog/{id}", On::Both, edit),
    operation("DELETE", "/rest/api/{v}/issue/{key}/worklog/{id}", On::Both, delete),
];

/// The largest number of worklogs of a page.
const MAX_PAGE: u64 = 5_000;

fn list(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let sql = "SELECT id FROM worklog WHERE issue_id = ?1 ORDER BY started, id";
    let ids: Vec<i64> = call.work.all(sql, [issue.id], |row| row.get(0))?;
    let page = call.page(MAX_PAGE, MAX_PAGE)?;
    let total = ids.len();
    let some: Vec<_> = page.of(ids).into_iter().map(|id| call.view.worklog(id)).collect::<Result<_>>()?;
    Answer::ok(json!({ "startAt": page.start, "maxResults": page.size, "total": total, "worklogs": some }))
}

fn create(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let id = add(call, &issue, &call.json()?)?;
    Answer::created(call.view.worklog(id)?)
}

/// Adds a worklog of a request to an issue, and returns its id.
pub(crate) fn add(call: &Call<'_>, issue: &Issue, json: &Json) -> Result<i64> {
    require(
        call,
        issue,
        "WORK_ON_ISSUES",
        "You do not have permission to associate a worklog to this issue.",
    )?;
    let seconds =
        seconds_of(json)?.ok_or_else(|| Fault::of_field("timeLogged", "Time Spent is required."))?;
    let started = started_of(json)?.unwrap_or(call.work.now);
    let comment = comment_of(call, issue, json)?;
    let id = call.work.add(
        "INSERT INTO worklog (id, issue_id, author_id, update_author_id, comment, started, seconds, created, updated)
         VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM worklog), ?1, ?2, ?2, ?3, ?4, ?5, ?6, ?6)",
        (issue.id, call.person, comment, started, seconds, call.work.now),
    )?;
    follow(call, issue, seconds)?;
    Ok(id)
}

fn seconds_of(json: &Json) -> Result<Option<i64>> {
    let spent = json.get("timeSpent").and_then(Json::as_str);
    let seconds = match (json.get("timeSpentSeconds").and_then(Json::as_i64), spent) {
        (Some(seconds), _) => Some(seconds),
        (None, Some(text)) => match duration::read(text) {
            Some(seconds) => Some(seconds),
            None => return Err(Fault::of_field("timeLogged", "Invalid time duration entered.")),
        },
        (None, None) => None,
    };
    match seconds {
        Some(seconds) if seconds < 60 => {
            Err(Fault::of_field("timeLogged", "Time Spent can not be less than one minute."))
        }
        seconds => Ok(seconds),
    }
}

fn started_of(json: &Json) -> Result<Option<i64>> {
    let Some(started) = json.get("started").and_then(Json::as_str) else { return Ok(None) };
    let read = time::read(started).map(Some);
    read.ok_or_else(|| Fault::of_field("started", format!("Error parsing time: {started}")))
}

fn comment_of(call: &Call<'_>, issue: &Issue, json: &Json) -> Result<Option<String>> {
    let input = Input { work: call.work, version: call.view.version, project: issue.project_id };
    match input.rich("comment", json.get("comment").unwrap_or(&Json::Null))? {
        Some(Value::Text(comment)) => Ok(Some(comment)),
        _ => Ok(None),
    }
}

/// Changes the estimates after `more` seconds of work, as the query says: `auto`, `leave`, `new` or `manual`.
fn follow(call: &Call<'_>, issue: &Issue, more: i64) -> Result<()> {
    let total = "SELECT coalesce(sum(seconds), 0) FROM worklog WHERE issue_id = ?1";
    let spent: i64 = call.work.one(total, [issue.id], |row| row.get(0))?.unwrap_or_default();
    let spent = Some(spent).filter(|it| *it > 0).map(|it| Value::Number(it as f64));
    let mut changes = vec![Change { field: "timespent".to_owned(), to: spent }];
    let now = issue.number_of("timeestimate");
    let named = |name: &str| -> Result<f64> {
        let text = call.query(name).unwrap_or_default();
        let seconds = duration::read(text);
        seconds.map(|it| it as f64).ok_or_else(|| Fault::bad(format!("You must supply a valid '{name}'.")))
    };
    let estimate = match call.query("adjustEstimate").unwrap_or("auto") {
        "leave" => now,
        "new" => Some(named("newEstimate")?),
        "manual" => now.map(|it| (it - named("reduceBy").unwrap_or_default()).max(0.0)),
        "auto" => now.map(|it| (it - more as f64).max(0.0)),
        other => return Err(Fault::bad(format!("'{other}' is not a way to adjust the estimate."))),
    };
    changes.push(Change { field: "timeestimate".to_owned(), to: estimate.map(Value::Number) });
    issue::change(call.work, issue.id, &changes, call.person)?;
    Ok(())
}

/// Returns the id of the worklog of the path, with its author and seconds.
fn of_issue(call: &Call<'_>, issue: &Issue) -> Result<(i64, i64, i64)> {
    let missing = || Fault::missing(format!("Cannot find worklog with id: '{}'.", call.param("id")));
    let id: i64 = call.param("id").parse().map_err(|_| missing())?;
    let sql = "SELECT author_id, seconds FROM worklog WHERE id = ?1 AND issue_id = ?2";
    let found = call.work.one(sql, (id, issue.id), |row| Ok((id, row.get(0)?, row.get(1)?)))?;
    found.ok_or_else(missing)
}

fn get(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let (id, ..) = of_issue(call, &issue)?;
    Answer::ok(call.view.worklog(id)?)
}

fn edit(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let (id, author, before) = of_issue(call, &issue)?;
    if author != call.person {
        return Err(Fault::new(403, "You do not have permission to edit this worklog."));
    }
    let json = call.json()?;
    let seconds = seconds_of(&json)?.unwrap_or(before);
    let sql = "UPDATE worklog SET seconds = ?1, updated = ?2, update_author_id = ?3 WHERE id = ?4";
    call.work.run(sql, (seconds, call.work.now, call.person, id))?;
    if let Some(started) = started_of(&json)? {
        call.work.run("UPDATE worklog SET started = ?1 WHERE id = ?2", (started, id))?;
    }
    if json.get("comment").is_some() {
        call.work
            .run("UPDATE worklog SET comment = ?1 WHERE id = ?2", (comment_of(call, &issue, &json)?, id))?;
    }
    follow(call, &issue, seconds - before)?;
    Answer::ok(call.view.worklog(id)?)
}

fn delete(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let (id, author, seconds) = of_issue(call, &issue)?;
    let all = permission::can(call.work, call.person, issue.project_id, "DELETE_ALL_WORKLOGS")?;
    if author != call.person && !all {
        return Err(Fault::new(403, "You do not have permission to delete this worklog."));
    }
    call.work.run("DELETE FROM worklog WHERE id = ?1", [id])?;
    follow(call, &issue, -seconds)?;
    Answer::done()
}
