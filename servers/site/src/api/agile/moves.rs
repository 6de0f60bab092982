//! Moving issues: into sprints, to the backlog, into epics, and up and down.

use serde_json::{Map, Value as Json};

use super::issues::of_body;
use super::{State, epic, level, sprint_by_id, sprint_of_path};
use crate::api::issue::{require, visible};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::field::{Value, custom, epic_field};
use crate::issue::{self, Change, Issue, Side};

/// Moves issues to a sprint. They leave the sprint that they are in, unless it is closed.
pub(super) fn to_sprint(call: &Call<'_>) -> Result<Answer> {
    let (sprint, _) = sprint_of_path(call)?;
    if sprint.state == State::Closed {
        return Err(Fault::bad("Issues can only be moved to open or active sprints."));
    }
    let body = call.object()?;
    let issues = editable(call, &body)?;
    for it in &issues {
        set_sprint(call, it, Some(sprint.id))?;
    }
    if body.contains_key("rankBeforeIssue") || body.contains_key("rankAfterIssue") {
        rank_beside(call, &body, &issues)?;
    }
    Answer::done()
}

/// Moves issues to the backlog: they are in no sprint that goes on or is to come.
pub(super) fn to_backlog(call: &Call<'_>) -> Result<Answer> {
    let body = call.object()?;
    for it in editable(call, &body)? {
        set_sprint(call, &it, None)?;
    }
    Answer::done()
}

/// Returns the issues of a body, which the caller has to be allowed to edit, and none of which may be a
/// sub-task.
fn editable(call: &Call<'_>, body: &Map<String, Json>) -> Result<Vec<Issue>> {
    let issues = of_body(call, body)?;
    for it in &issues {
        let message = format!("You do not have permission to edit the issue '{}'.", it.key);
        require(call, it, "EDIT_ISSUES", &message)?;
        if level(call, it)? < 0 {
            let message = format!("The issue '{}' is a sub-task, which is where its parent is.", it.key);
            return Err(Fault::of_field("issues", message));
        }
    }
    Ok(issues)
}

/// Puts an issue and its sub-tasks into a sprint, or into none; the closed ones stay.
fn set_sprint(call: &Call<'_>, issue: &Issue, sprint: Option<i64>) -> Result<()> {
    let sql =
        "SELECT v.issue_id FROM value v JOIN value t ON t.issue_id = v.issue_id AND t.field_id = 'issuetype'
        JOIN issue_type k ON k.id = t.ref WHERE v.field_id = 'parent' AND v.ref = ?1 AND k.level < 0";
    let children: Vec<i64> = call.work.all(sql, [issue.id], |row| row.get(0))?;
    for it in std::iter::once(issue.clone()).chain(issue::load(call.work, &children)?) {
        let mut sprints = Vec::new();
        for id in it.refs_of(custom::SPRINT) {
            if sprint_by_id(call, *id)?.is_some_and(|it| it.state == State::Closed) {
                sprints.push(*id);
            }
        }
        sprints.extend(sprint);
        let to = Some(sprints).filter(|it| !it.is_empty()).map(Value::Refs);
        issue::change(call.work, it.id, &[Change { field: custom::SPRINT.to_owned(), to }], call.person)?;
    }
    Ok(())
}

pub(super) fn to_epic(call: &Call<'_>) -> Result<Answer> {
    let epic = epic::of_path(call)?;
    require(
        call,
        &epic,
        "EDIT_ISSUES",
        &format!("You do not have permission to edit the issue '{}'.", epic.key),
    )?;
    set_epic(call, Some(epic.id))
}

pub(super) fn out_of_epic(call: &Call<'_>) -> Result<Answer> {
    set_epic(call, None)
}

fn set_epic(call: &Call<'_>, epic: Option<i64>) -> Result<Answer> {
    let body = call.object()?;
    let issues = editable(call, &body)?;
    for it in &issues {
        if level(call, it)? > 0 {
            let message = format!("The issue '{}' is an epic, and cannot be in another one.", it.key);
            return Err(Fault::of_field("issues", message));
        }
    }
    let field = epic_field(call.work.deployment);
    for it in issues {
        let change = Change { field: field.to_owned(), to: epic.map(Value::Ref) };
        issue::change(call.work, it.id, &[change], call.person)?;
    }
    Answer::done()
}

/// Ranks issues before or after another one. Their order among themselves is that of the body.
pub(super) fn rank(call: &Call<'_>) -> Result<Answer> {
    let body = call.object()?;
    let issues = of_body(call, &body)?;
    for it in &issues {
        let message = format!("You do not have permission to rank the issue '{}'.", it.key);
        require(call, it, "EDIT_ISSUES", &message)?;
    }
    rank_beside(call, &body, &issues)?;
    Answer::done()
}

fn rank_beside(call: &Call<'_>, body: &Map<String, Json>, issues: &[Issue]) -> Result<()> {
    let is_rank = |it: &Json| it.as_i64().is_some_and(|it| format!("customfield_{it}") == custom::RANK);
    if body.get("rankCustomFieldId").is_some_and(|it| !it.is_null() && !is_rank(it)) {
        return Err(Fault::of_field("rankCustomFieldId", "The custom field is not a rank field."));
    }
    let named = |name: &str| body.get(name).and_then(Json::as_str);
    let (mut side, other) = match (named("rankBeforeIssue"), named("rankAfterIssue")) {
        (Some(before), None) => (Side::Before, before),
        (None, Some(after)) => (Side::After, after),
        _ => return Err(Fault::bad("Exactly one of rankBeforeIssue and rankAfterIssue must be specified.")),
    };
    let mut other = visible(call, other).map_err(|_| Fault::no_issue())?.id;
    if issues.iter().any(|it| it.id == other) {
        return Err(Fault::bad("An issue cannot be ranked before or after itself."));
    }
    for it in issues {
        issue::move_beside(call.work, it.id, side, other)?;
        // The others follow the first one.
        (side, other) = (Side::After, it.id);
    }
    Ok(())
}
