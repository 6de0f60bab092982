//! The changelog of issues.

use serde_json::{Value as Json, json};

use super::{of_path, visible};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::time;

/// The largest number of entries of a page.
const MAX_PAGE: u64 = 100;

/// The largest number of issues of one request.
const MAX_ISSUES: usize = 1_000;

/// The largest page of many changelogs.
const MAX_BULK: u64 = 1_000;

/// Returns the changelog as `expand` shows it: at most a hundred entries, the newest ones.
pub(super) fn whole(call: &Call<'_>, issue: i64) -> Result<Json> {
    let mut all = entries(call, issue)?;
    let total = all.len();
    if call.work.is_cloud() {
        all.reverse();
        all.truncate(usize::try_from(MAX_PAGE).unwrap_or(usize::MAX));
    }
    Ok(json!({ "startAt": 0, "maxResults": all.len(), "total": total, "histories": all }))
}

pub(super) fn page(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let page = call.page(MAX_PAGE, MAX_PAGE)?;
    let mut value = page.values(entries(call, issue.id)?);
    value["self"] = json!(call.view.api(&format!("issue/{}/changelog", issue.id)));
    Answer::ok(value)
}

/// Returns the changelogs of several issues, in the order of their ids and times.
pub(super) fn bulk(call: &Call<'_>) -> Result<Answer> {
    let body = call.object()?;
    let named = body.get("issueIdsOrKeys").and_then(Json::as_array).cloned().unwrap_or_default();
    if named.is_empty() || named.len() > MAX_ISSUES {
        return Err(Fault::bad(format!("issueIdsOrKeys must have 1 to {MAX_ISSUES} elements.")));
    }
    let wanted: Vec<&str> = body
        .get("fieldIds")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect();
    let size = body.get("maxResults").and_then(Json::as_u64).unwrap_or(MAX_BULK).clamp(1, MAX_BULK);
    let token = body.get("nextPageToken").and_then(Json::as_str);
    let start = match token {
        None => 0,
        Some(token) => token.parse::<u64>().map_err(|_| Fault::bad("The nextPageToken is not valid."))?,
    };
    let mut all = Vec::new();
    for named in named.iter().filter_map(Json::as_str) {
        let Ok(issue) = visible(call, named) else { continue };
        for mut entry in entries(call, issue.id)? {
            if let Some(items) = entry["items"].as_array_mut().filter(|_| !wanted.is_empty()) {
                items.retain(|it| it["fieldId"].as_str().is_some_and(|id| wanted.contains(&id)));
                if items.is_empty() {
                    continue;
                }
            }
            all.push((issue.id, entry));
        }
    }
    let total = all.len() as u64;
    let skip = usize::try_from(start).unwrap_or(usize::MAX);
    let some = all.into_iter().skip(skip).take(usize::try_from(size).unwrap_or(usize::MAX));
    let mut logs: Vec<Json> = Vec::new();
    for (issue, entry) in some {
        let id = issue.to_string();
        match logs.last_mut().filter(|it| it["issueId"] == id.as_str()) {
            Some(log) => drop(log["changeHistories"].as_array_mut().map(|it| it.push(entry))),
            None => logs.push(json!({ "issueId": id, "changeHistories": [entry] })),
        }
    }
    let mut value = json!({ "issueChangeLogs": logs });
    if start + size < total {
        value["nextPageToken"] = json!((start + size).to_string());
    }
    Answer::ok(value)
}

/// Returns the entries of an issue, the oldest first.
fn entries(call: &Call<'_>, issue: i64) -> Result<Vec<Json>> {
    let sql = "SELECT id, author_id, created FROM change_group WHERE issue_id = ?1 ORDER BY created, id";
    let groups = call
        .work
        .all(sql, [issue], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)))?;
    let mut entries = Vec::new();
    for (id, author, created) in groups {
        let sql = "SELECT field, field_type, field_id, from_id, from_text, to_id, to_text FROM change_item WHERE group_id = ?1 ORDER BY position";
        let items = call.work.all(sql, [id], |row| {
            let text = |at: usize| row.get::<_, Option<String>>(at);
            let mut item = json!({
                "field": text(0)?, "fieldtype": text(1)?,
                "from": text(3)?, "fromString": text(4)?, "to": text(5)?, "toString": text(6)?,
            });
            if let Some(field) = text(2)?.filter(|_| call.work.is_cloud()) {
                item["fieldId"] = json!(field);
            }
            Ok(item)
        })?;
        entries.push(json!({
            "id": id.to_string(), "author": call.view.person(author)?, "created": time::of(created), "items": items,
        }));
    }
    Ok(entries)
}
