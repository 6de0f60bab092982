//! `epic`: epics, as boards show them.

use serde_json::{Value as Json, json};

use super::issues::{Search, level_names};
use super::{PAGE, address, board_of_path, level};
use crate::api::issue::visible;
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::field::custom;
use crate::issue::{self, Issue};

/// Returns the epic of the path, by its id or key.
pub(super) fn of_path(call: &Call<'_>) -> Result<Issue> {
    let named = call.param("key");
    let missing = || {
        Fault::missing(format!(
            "The epic '{named}' does not exist, or you do not have permission to view it."
        ))
    };
    let issue = visible(call, named).map_err(|_| missing())?;
    if level(call, &issue)? == 1 { Ok(issue) } else { Err(missing()) }
}

pub(super) fn get(call: &Call<'_>) -> Result<Answer> {
    Answer::ok(shown(call, &of_path(call)?)?)
}

/// Returns an epic in the form of this API.
pub(super) fn shown(call: &Call<'_>, epic: &Issue) -> Result<Json> {
    let summary = epic.text_of("summary").unwrap_or_default();
    Ok(json!({
        "id": epic.id,
        "key": epic.key,
        "self": address(call, &format!("epic/{}", epic.id)),
        "name": epic.text_of(custom::EPIC_NAME).unwrap_or(summary),
        "summary": summary,
        "color": { "key": format!("color_{}", epic.id % 14 + 1) },
        "done": is_done(call, epic)?,
    }))
}

fn is_done(call: &Call<'_>, issue: &Issue) -> Result<bool> {
    let sql = "SELECT category = 'done' FROM status WHERE id = ?1";
    Ok(call.work.one(sql, [issue.ref_of("status")], |row| row.get(0))?.unwrap_or(false))
}

/// Returns the epics of a board, in the order of their ranks.
pub(super) fn of_board(call: &Call<'_>) -> Result<Answer> {
    let board = board_of_path(call)?;
    let epics = level_names(call, "level = 1")?;
    let search = Search::of(&board.jql).and(format!("issuetype IN ({epics})"));
    let ids = search.compile(call)?.ids(call.work, 0, u64::from(u32::MAX))?;
    let mut values = Vec::new();
    for it in issue::load(call.work, &ids)? {
        let epic = shown(call, &it)?;
        if call.query("done").is_none_or(|done| done.is_empty() || epic["done"] == (done == "true")) {
            values.push(epic);
        }
    }
    Answer::ok(call.page(PAGE, PAGE)?.values(values))
}
