//! `request/{key}/comment`: what customers and agents write about a request.

use serde_json::{Value as Json, json};

use super::request::{Request, of_path};
use super::{address, date, page, user};
use crate::api::comment::add;
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::permission;

/// A comment.
struct Comment {
    id: i64,
    author: i64,
    body: String,
    created: i64,
    internal: bool,
}

/// Returns the comments of a request that the caller may see, the oldest first.
fn visible(call: &Call<'_>, request: &Request) -> Result<Vec<Comment>> {
    let sql =
        "SELECT id, author_id, body, created, internal FROM comment WHERE issue_id = ?1 ORDER BY created, id";
    let mut all = call.work.all(sql, [request.issue.id], |row| {
        Ok(Comment {
            id: row.get(0)?,
            author: row.get(1)?,
            body: row.get(2)?,
            created: row.get(3)?,
            internal: row.get(4)?,
        })
    })?;
    if !sees_internal(call, request)? {
        all.retain(|it| !it.internal);
    }
    Ok(all)
}

/// Who may browse the project sees what is not for customers.
fn sees_internal(call: &Call<'_>, request: &Request) -> Result<bool> {
    permission::can(call.work, call.person, request.desk.project, "BROWSE_PROJECTS")
}

fn shown(call: &Call<'_>, request: &Request, comment: &Comment) -> Result<Json> {
    let path = format!("request/{}/comment/{}", request.issue.id, comment.id);
    Ok(json!({
        "_expands": ["attachment", "renderedBody"],
        "id": comment.id.to_string(),
        "body": call.view.rich(&comment.body),
        "public": !comment.internal,
        "author": user(call, comment.author)?,
        "created": date(comment.created),
        "_links": { "self": address(call, &path) },
    }))
}

/// Returns all comments that the caller may see, as a request expands them.
pub(super) fn all(call: &Call<'_>, request: &Request) -> Result<Vec<Json>> {
    visible(call, request)?.iter().map(|it| shown(call, request, it)).collect()
}

pub(super) fn list(call: &Call<'_>) -> Result<Answer> {
    let request = of_path(call)?;
    let (public, internal) = (call.flag("public", true), call.flag("internal", true));
    let found = visible(call, &request)?.into_iter().filter(|it| if it.internal { internal } else { public });
    let all = found.map(|it| shown(call, &request, &it)).collect::<Result<_>>()?;
    page(call, &format!("request/{}/comment", call.param("key")), all)
}

fn one(call: &Call<'_>, request: &Request, id: &str) -> Result<Json> {
    let found = visible(call, request)?.into_iter().find(|it| it.id.to_string() == id);
    let found = found.ok_or_else(|| Fault::missing("The comment you are trying to view does not exist."))?;
    shown(call, request, &found)
}

pub(super) fn get(call: &Call<'_>) -> Result<Answer> {
    let request = of_path(call)?;
    Answer::ok(one(call, &request, call.param("id"))?)
}

/// Adds a comment: a public one, unless the body says `"public": false`, which needs a colleague.
pub(super) fn create(call: &Call<'_>) -> Result<Answer> {
    let request = of_path(call)?;
    let body = call.object()?;
    let is_public = body.get("public").and_then(Json::as_bool).unwrap_or(true);
    if !is_public && !sees_internal(call, &request)? {
        return Err(Fault::new(
            403,
            "You do not have permission to add an internal comment to this request.",
        ));
    }
    let json = json!({
        "body": body.get("body"),
        "properties": [{ "key": "sd.public.comment", "value": { "internal": !is_public } }],
    });
    let id = add(call, &request.issue, &json)?;
    Answer::created(one(call, &request, &id.to_string())?)
}
