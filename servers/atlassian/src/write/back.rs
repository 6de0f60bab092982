//! Taking a change back.
//!
//! In: a handle. Out: the change that took it back. Nothing is written over a value that was changed since: all is looked at before the first
//! request that writes.

use plainwire::prelude::*;

use super::apply::{partly, plain};
use super::undo::{How, Restore};
use super::{Change, FieldChange, Inverse, Writer};
use crate::rest::{Request, Upstream};
use crate::runtime;

impl Writer<'_> {
    /// Takes a change back, if nobody changed the same things since.
    ///
    /// # Errors
    /// A handle that does not work; something that was changed since, with the new value.
    pub async fn undo(&self, handle: &str, is_preview: bool) -> Result<Change, ToolError> {
        let (handles, owner, text, now) =
            (self.journal.handles.clone(), self.owner(), handle.to_owned(), self.now);
        let read = runtime::blocking(move || handles.read(&owner, &text, now)).await;
        let record = read.map_err(|_| ToolError::new("failed", "the undo handles can't be read"))??;
        let back: Vec<FieldChange> = record
            .changes
            .iter()
            .map(|it| FieldChange::new(it.field.clone(), it.new.clone(), it.old.clone()))
            .collect();
        let steps = match &record.inverse {
            Inverse::Steps(steps) => steps,
            Inverse::None(reason) => return Err(ToolError::new("conflict", reason.clone())),
        };
        let mut requests = Vec::new();
        for step in steps {
            requests.push(self.back(step).await?);
        }
        let change = Change {
            is_preview,
            summary: format!("take back: {}", record.summary),
            key: Some(record.target.clone()).filter(|it| !it.is_empty()),
            changes: back.clone(),
            ..Change::default()
        };
        if is_preview {
            return Ok(change);
        }
        let count = requests.len();
        let line = self.line("atlassian_undo", &record.target, &back);
        for (at, request) in requests.into_iter().enumerate() {
            let done: Result<Value, Upstream> = self.site.json(request).await;
            if let Err(error) = done {
                line.failed(at, &error);
                let error = ToolError::from(error);
                return Err(if at == 0 { error } else { partly(error, at, count) });
            }
        }
        line.done();
        self.journal.handles.end(handle);
        Ok(change)
    }

    /// Returns the request of a step, after a look at what is there now.
    async fn back(&self, step: &Restore) -> Result<Request, ToolError> {
        let path = || step.path.iter().map(String::as_str);
        match &step.how {
            How::Delete { query } => {
                let request = Request::delete(path());
                Ok(query.iter().fold(request, |it, (name, value)| it.query(name, value)))
            }
            How::Send { method, body } if method == "PUT" => Ok(Request::put(path()).json(body)),
            How::Send { body, .. } => Ok(Request::post(path()).json(body)),
            How::Body { member, before, after } => {
                let now: Value = self.site.json(Request::get(path())).await?;
                same(member, after, &now[member], &now)?;
                Ok(Request::put(path()).json(&json!({ member: before })))
            }
            How::Members { before, after } => {
                let now: Value = self.site.json(Request::get(path())).await?;
                for (name, value) in after.as_object().into_iter().flatten() {
                    same(name, value, &now[name], &now)?;
                }
                Ok(Request::put(path()).json(before))
            }
            How::Checked { method, checks, body } => {
                super::guard::hold(self.site, checks).await?;
                let request = match method.as_str() {
                    "DELETE" => Request::delete(path()),
                    "PUT" => Request::put(path()),
                    _ => Request::post(path()),
                };
                Ok(if body.is_null() { request } else { request.json(body) })
            }
            How::Ranked { order, body } => {
                super::guard::in_order(self.site, order).await?;
                Ok(Request::put(path()).json(body))
            }
            How::Whole { body, after, .. } => {
                let now: Value = self.site.json(Request::get(path())).await?;
                for (name, value) in after.as_object().into_iter().flatten() {
                    same(name, value, &now[name], &now)?;
                }
                Ok(Request::put(path()).json(body))
            }
            How::Unlink { issue, kind, end, other } => {
                let request = Request::get(issue.iter().map(String::as_str)).query("fields", "issuelinks");
                let now: Value = self.site.json(request).await?;
                let links = now["fields"]["issuelinks"].as_array().into_iter().flatten();
                let mut fitting = links.filter(|it| {
                    it["type"]["id"] == kind.as_str() && it[end.as_str()]["id"] == other.as_str()
                });
                let gone = || {
                    ToolError::new("conflict", "nothing was taken back, because the link is no longer there")
                };
                let id = fitting.next().and_then(|it| it["id"].as_str()).ok_or_else(gone)?;
                Ok(Request::delete(path().chain([id])))
            }
            How::Fields { before, after, .. } => {
                let names: Vec<&str> =
                    after.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
                let request =
                    Request::get(path()).query("fields", names.join(",")).query("expand", "changelog");
                let now: Value = self.site.json(request).await?;
                for name in names {
                    same(name, &after[name], &now["fields"][name], &now)?;
                }
                Ok(Request::put(path()).json(&json!({ "fields": before })))
            }
            How::Status { before, name, after } => {
                let now: Value = self
                    .site
                    .json(
                        Request::get(path())
                            .query("fields", "status")
                            .query("expand", "changelog,transitions"),
                    )
                    .await?;
                same("status", &json!(after), &now["fields"]["status"]["id"], &now)?;
                let transitions = now["transitions"].as_array().into_iter().flatten();
                let mut leading = transitions.filter(|it| it["to"]["id"] == before.as_str());
                let Some(transition) = leading.next() else {
                    let message = format!(
                        "expected a transition back to {name:?}, but the workflow has none from here"
                    );
                    return Err(ToolError::new("conflict", message));
                };
                let path = path().chain(["transitions"]);
                Ok(Request::post(path).json(&json!({ "transition": { "id": transition["id"] } })))
            }
        }
    }
}

/// Refuses to take a field back that was changed since, and says by whom if the changelog tells.
fn same(field: &str, expected: &Value, found: &Value, issue: &Value) -> Result<(), ToolError> {
    if plain(expected) == plain(found) {
        return Ok(());
    }
    let histories = issue["changelog"]["histories"].as_array().into_iter().flatten();
    let last = histories
        .filter(|it| {
            it["items"]
                .as_array()
                .into_iter()
                .flatten()
                .any(|item| item["field"] == field || item["fieldId"] == field)
        })
        .max_by_key(|it| it["created"].as_str().unwrap_or_default().to_owned());
    let who = last.map_or_else(String::new, |it| {
        format!(
            " by {} at {}",
            it["author"]["displayName"].as_str().unwrap_or("someone"),
            it["created"].as_str().unwrap_or_default()
        )
    });
    let message = format!("nothing was taken back, because `{field}` was changed since{who}");
    Err(ToolError::new("conflict", message)
        .hint("read the present value, and change it yourself if that is still right"))
}
