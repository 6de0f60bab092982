//! `issue/{key}/comment`: comments of issues.

use serde_json::{Value as Json, json};

use super::issue::{of_path, require};
use super::{On, Operation, operation};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::field::Value;
use crate::issue::{self, Issue, Item};
use crate::screen::input::Input;
use crate::{permission, text};

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("GET", "/rest/api/{v}/issue/{key}/comment", On::Both, list),
    operation("POST", "/rest/api/{v}/issue/{key}/comment", On::Both, create),
    operation("GET", "/rest/api/{v}/issue/{key}/comment/{id}", On::Both, get),
    operation("PUT", "/rest/api/{v}/issue/{key}/comment/{id}", On::Both, edit),
    operation("DELETE", "/rest/api/{v}/issue/{key}/comment/{id}", On::Both, delete),
];

/// The largest number of comments of a page.
const MAX_PAGE: u64 = 5_000;

/// The number of comments of a page on Cloud, if none is asked for.
const PAGE: u64 = 100;

fn list(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let order = match call.query("orderBy") {
        None | Some("created" | "+created") => "ASC",
        Some("-created") => "DESC",
        Some(other) => return Err(Fault::bad(format!("The comments can not be ordered by '{other}'."))),
    };
    let sql = format!("SELECT id FROM comment WHERE issue_id = ?1 ORDER BY created {order}, id {order}");
    let ids: Vec<i64> = call.work.all(&sql, [issue.id], |row| row.get(0))?;
    let page = call.page(if call.work.is_cloud() { PAGE } else { MAX_PAGE }, MAX_PAGE)?;
    let total = ids.len();
    let some: Vec<_> = page.of(ids).into_iter().map(|id| call.view.comment(id)).collect::<Result<_>>()?;
    Answer::ok(json!({ "startAt": page.start, "maxResults": page.size, "total": total, "comments": some }))
}

fn create(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let id = add(call, &issue, &call.json()?)?;
    Answer::created(call.view.comment(id)?)
}

/// Adds a comment of a request to an issue, and returns its id.
pub(crate) fn add(call: &Call<'_>, issue: &Issue, json: &Json) -> Result<i64> {
    let message = "You do not have the permission to comment on this issue.";
    require(call, issue, "ADD_COMMENTS", message)?;
    let body = body_of(call, issue, json)?;
    let visibility = visibility_of(json)?;
    let internal = json
        .get("properties")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .any(|it| it["key"] == "sd.public.comment" && it["value"]["internal"] == true);
    let id = call.work.add(
        "INSERT INTO comment (id, issue_id, author_id, update_author_id, body, created, updated, visibility, internal)
         VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM comment), ?1, ?2, ?2, ?3, ?4, ?4, ?5, ?6)",
        (issue.id, call.person, &body, call.work.now, visibility, internal),
    )?;
    issue::set_words(call.work, issue.id, "comment", id, Some(&body))?;
    issue::touch(call.work, issue.id)?;
    Ok(id)
}

fn body_of(call: &Call<'_>, issue: &Issue, json: &Json) -> Result<String> {
    let input = Input { work: call.work, version: call.view.version, project: issue.project_id };
    let body = input.rich("comment", json.get("body").unwrap_or(&Json::Null))?;
    match body {
        Some(Value::Text(body)) if !text::is_empty(call.work.deployment, &body) => Ok(body),
        _ => Err(Fault::of_field("comment", "Comment body can not be empty!")),
    }
}

fn visibility_of(json: &Json) -> Result<Option<String>> {
    match json.get("visibility") {
        None | Some(Json::Null) => Ok(None),
        Some(it) if matches!(it["type"].as_str(), Some("role" | "group")) => Ok(Some(it.to_string())),
        Some(_) => Err(Fault::of_field("commentLevel", "Comment visibility must be a role or a group.")),
    }
}

/// Returns the id of the comment of the path, with its author.
fn of_issue(call: &Call<'_>, issue: &Issue) -> Result<(i64, i64)> {
    let missing = "Can not find a comment for the id: ";
    let id = call.id("id", &format!("{missing}{}.", call.param("id")))?;
    let sql = "SELECT author_id FROM comment WHERE id = ?1 AND issue_id = ?2";
    let author = call.work.one(sql, (id, issue.id), |row| row.get(0))?;
    author.map(|it| (id, it)).ok_or_else(|| Fault::missing(format!("{missing}{id}.")))
}

fn get(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let (id, _) = of_issue(call, &issue)?;
    Answer::ok(call.view.comment(id)?)
}

fn may(call: &Call<'_>, issue: &Issue, author: i64, permission: &str, message: &str) -> Result<()> {
    if author == call.person || permission::can(call.work, call.person, issue.project_id, permission)? {
        return Ok(());
    }
    Err(Fault::new(403, message))
}

fn edit(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let (id, author) = of_issue(call, &issue)?;
    may(call, &issue, author, "EDIT_ALL_COMMENTS", "You do not have the permission to edit this comment.")?;
    let json = call.json()?;
    let body = body_of(call, &issue, &json)?;
    let sql = "UPDATE comment SET body = ?1, updated = ?2, update_author_id = ?3 WHERE id = ?4";
    call.work.run(sql, (&body, call.work.now, call.person, id))?;
    if json.get("visibility").is_some() {
        call.work.run("UPDATE comment SET visibility = ?1 WHERE id = ?2", (visibility_of(&json)?, id))?;
    }
    issue::set_words(call.work, issue.id, "comment", id, Some(&body))?;
    issue::touch(call.work, issue.id)?;
    Answer::ok(call.view.comment(id)?)
}

fn delete(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let (id, author) = of_issue(call, &issue)?;
    may(
        call,
        &issue,
        author,
        "DELETE_ALL_COMMENTS",
        "You do not have the permission to delete this comment.",
    )?;
    let body: Option<String> =
        call.work.one("SELECT body FROM comment WHERE id = ?1", [id], |row| row.get(0))?;
    call.work.run("DELETE FROM comment WHERE id = ?1", [id])?;
    issue::set_words(call.work, issue.id, "comment", id, None)?;
    let text = text::as_wiki(call.work.deployment, &body.unwrap_or_default());
    issue::log(
        call.work,
        issue.id,
        call.person,
        &[Item::of_system("Comment", Some((id.to_string(), text)), None)],
    )?;
    Answer::done()
}
