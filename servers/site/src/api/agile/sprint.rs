//! `sprint`: making, changing, starting, closing and deleting sprints.
//!
//! States: a sprint is made as `future`; an update with the state `active` starts it, one with `closed` ends
//! it. Nothing else moves it.

use serde_json::{Map, Value as Json, json};

use super::{Board, Sprint, State, address, board_by_id, require_sprints, sprint_by_id, sprint_of_path};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::field::{Value, custom};
use crate::issue::{self, Change};
use crate::view::iso;
use crate::{permission, time};

/// The largest number of characters of a name and of a goal.
const MAX_NAME: usize = 30;
const MAX_GOAL: usize = 1_000;

/// Returns a sprint in the form of this API.
pub(super) fn shown(call: &Call<'_>, sprint: &Sprint) -> Json {
    let mut value = json!({
        "id": sprint.id,
        "self": address(call, &format!("sprint/{}", sprint.id)),
        "state": sprint.state.name(),
        "name": sprint.name,
        "originBoardId": sprint.board,
        "goal": sprint.goal,
    });
    let mut set = |name: &str, time: Option<i64>| {
        if let Some(time) = time {
            value[name] = json!(iso(time));
        }
    };
    set("startDate", sprint.start);
    set("endDate", sprint.end);
    set("completeDate", sprint.completed);
    if call.work.is_cloud() {
        set("createdDate", Some(sprint.created));
    } else {
        set("activatedDate", sprint.activated);
        value["synced"] = json!(false);
        value["autoStartStop"] = json!(false);
    }
    value
}

pub(super) fn get(call: &Call<'_>) -> Result<Answer> {
    let (sprint, _) = sprint_of_path(call)?;
    Answer::ok(shown(call, &sprint))
}

pub(super) fn create(call: &Call<'_>) -> Result<Answer> {
    let body = call.object()?;
    let name =
        name_of(&body)?.ok_or_else(|| Fault::of_field("name", "The sprint name must be specified."))?;
    let origin = body.get("originBoardId").and_then(Json::as_i64);
    let origin =
        origin.ok_or_else(|| Fault::of_field("originBoardId", "The origin board must be specified."))?;
    let board = board_by_id(call, Some(origin))?;
    require_sprints(&board)?;
    require(call, &board)?;
    let (start, end) = (date_of(&body, "startDate")?.flatten(), date_of(&body, "endDate")?.flatten());
    in_order(start, end)?;
    let goal = goal_of(&body)?.unwrap_or_default();
    let id = call.work.add(
        "INSERT INTO sprint (board_id, name, state, goal, start_date, end_date, created) VALUES (?1, ?2, 'future', ?3, ?4, ?5, ?6)",
        (board.id, name, goal, start, end, call.work.now),
    )?;
    let sprint = sprint_by_id(call, id)?;
    Answer::created(sprint.map_or(Json::Null, |it| shown(call, &it)))
}

/// Changes what the body names.
pub(super) fn edit_some(call: &Call<'_>) -> Result<Answer> {
    let (sprint, board) = sprint_of_path(call)?;
    let body = call.object()?;
    let mut new = sprint.clone();
    if let Some(name) = name_of(&body)? {
        new.name = name;
    }
    if let Some(goal) = goal_of(&body)? {
        new.goal = goal;
    }
    if let Some(start) = date_of(&body, "startDate")? {
        new.start = start;
    }
    if let Some(end) = date_of(&body, "endDate")? {
        new.end = end;
    }
    if let Some(state) = state_of(&body)? {
        new.state = state;
    }
    edit(call, &board, &sprint, new, &body)
}

/// Makes the sprint what the body says: what the body lacks is emptied.
pub(super) fn edit_all(call: &Call<'_>) -> Result<Answer> {
    let (sprint, board) = sprint_of_path(call)?;
    let body = call.object()?;
    let new = Sprint {
        name: name_of(&body)?.ok_or_else(|| Fault::of_field("name", "The sprint name must be specified."))?,
        goal: goal_of(&body)?.unwrap_or_default(),
        start: date_of(&body, "startDate")?.flatten(),
        end: date_of(&body, "endDate")?.flatten(),
        state: state_of(&body)?
            .ok_or_else(|| Fault::of_field("state", "The sprint state must be specified."))?,
        ..sprint.clone()
    };
    edit(call, &board, &sprint, new, &body)
}

/// Stores a sprint in the place of `old`, if its state may become what it is to be.
fn edit(
    call: &Call<'_>,
    board: &Board,
    old: &Sprint,
    mut new: Sprint,
    body: &Map<String, Json>,
) -> Result<Answer> {
    require(call, board)?;
    if old.state == State::Closed {
        return Err(Fault::bad("The sprint is closed and cannot be updated."));
    }
    if body.get("id").is_some_and(|it| it.as_i64() != Some(old.id)) {
        return Err(Fault::of_field("id", "The id of a sprint cannot be changed."));
    }
    if date_of(body, "completeDate")?.flatten() != old.completed {
        return Err(Fault::of_field("completeDate", "The completeDate field cannot be updated manually."));
    }
    in_order(new.start, new.end)?;
    match (old.state, new.state) {
        (State::Future, State::Active) => {
            may_start(call, &new)?;
            new.activated = Some(call.work.now);
        }
        (State::Active, State::Closed) => new.completed = Some(call.work.now),
        (from, to) if from == to => {}
        (from, to) => {
            let message =
                format!("The sprint state cannot be changed from '{}' to '{}'.", from.name(), to.name());
            return Err(Fault::of_field("state", message));
        }
    }
    call.work.run(
        "UPDATE sprint SET name = ?1, state = ?2, goal = ?3, start_date = ?4, end_date = ?5, completed = ?6, activated = ?7 WHERE id = ?8",
        (&new.name, new.state.name(), &new.goal, new.start, new.end, new.completed, new.activated, new.id),
    )?;
    Answer::ok(shown(call, &new))
}

fn may_start(call: &Call<'_>, sprint: &Sprint) -> Result<()> {
    if sprint.start.is_none() || sprint.end.is_none() {
        return Err(Fault::bad(
            "The sprint cannot be started because its start date and end date are not set.",
        ));
    }
    let sql = "SELECT name FROM sprint WHERE board_id = ?1 AND state = 'active' AND id <> ?2";
    let active: Option<String> = call.work.one(sql, (sprint.board, sprint.id), |row| row.get(0))?;
    match active {
        None => Ok(()),
        Some(name) => Err(Fault::bad(format!(
            "The sprint cannot be started because the board has an active sprint, '{name}'."
        ))),
    }
}

/// Deletes a sprint. Its issues are in the backlog again; on Data Center, only a sprint that was not started
/// can be deleted.
pub(super) fn delete(call: &Call<'_>) -> Result<Answer> {
    let (sprint, board) = sprint_of_path(call)?;
    require(call, &board)?;
    if !call.work.is_cloud() && sprint.state != State::Future {
        return Err(Fault::bad("The sprint cannot be deleted because it is active or completed."));
    }
    let sql = "SELECT issue_id FROM value WHERE field_id = ?1 AND ref = ?2 ORDER BY issue_id";
    let issues: Vec<i64> = call.work.all(sql, (custom::SPRINT, sprint.id), |row| row.get(0))?;
    for it in issue::load(call.work, &issues)? {
        let left: Vec<i64> =
            it.refs_of(custom::SPRINT).iter().copied().filter(|id| *id != sprint.id).collect();
        let to = Some(left).filter(|it| !it.is_empty()).map(Value::Refs);
        let change = Change { field: custom::SPRINT.to_owned(), to };
        issue::change(call.work, it.id, &[change], call.person)?;
    }
    call.work.run("DELETE FROM property WHERE kind = 'sprint' AND entity_id = ?1", [sprint.id])?;
    call.work.run("DELETE FROM sprint WHERE id = ?1", [sprint.id])?;
    Answer::done()
}

fn require(call: &Call<'_>, board: &Board) -> Result<()> {
    let message = "You do not have permission to manage sprints on all projects of the board.";
    permission::require(call.work, call.person, board.project, "MANAGE_SPRINTS_PERMISSION", message)
}

/// Returns the name of a body, trimmed; nothing if the body has none.
fn name_of(body: &Map<String, Json>) -> Result<Option<String>> {
    let name = match body.get("name") {
        None | Some(Json::Null) => return Ok(None),
        Some(value) => value.as_str().unwrap_or_default().trim(),
    };
    if name.is_empty() {
        return Err(Fault::of_field("name", "The sprint name must be specified."));
    }
    if name.chars().count() > MAX_NAME {
        let message = format!("The sprint name must be shorter than {MAX_NAME} characters.");
        return Err(Fault::of_field("name", message));
    }
    Ok(Some(name.to_owned()))
}

fn goal_of(body: &Map<String, Json>) -> Result<Option<String>> {
    let Some(goal) = body.get("goal") else { return Ok(None) };
    let goal = goal.as_str().unwrap_or_default();
    if goal.chars().count() > MAX_GOAL {
        let message = format!("The sprint goal must be shorter than {MAX_GOAL} characters.");
        return Err(Fault::of_field("goal", message));
    }
    Ok(Some(goal.to_owned()))
}

fn state_of(body: &Map<String, Json>) -> Result<Option<State>> {
    let Some(state) = body.get("state") else { return Ok(None) };
    let name = state.as_str().unwrap_or_default();
    let message = || format!("The sprint state '{name}' is not valid.");
    State::read(name).map(Some).ok_or_else(|| Fault::of_field("state", message()))
}

/// Returns a time of a body: nothing if the body lacks it, and an empty one if it is null.
#[expect(
    clippy::option_option,
    reason = "a member that is absent is left as it is, one that is null is emptied"
)]
fn date_of(body: &Map<String, Json>, name: &str) -> Result<Option<Option<i64>>> {
    match body.get(name) {
        None => Ok(None),
        Some(Json::Null) => Ok(Some(None)),
        Some(value) => {
            let text = value.as_str().unwrap_or_default();
            let message = || format!("The date '{text}' is not valid: it must be in the ISO 8601 format.");
            time::read(text).map(|it| Some(Some(it))).ok_or_else(|| Fault::of_field(name, message()))
        }
    }
}

fn in_order(start: Option<i64>, end: Option<i64>) -> Result<()> {
    match (start, end) {
        (Some(start), Some(end)) if end <= start => {
            Err(Fault::of_field("endDate", "The end date of a sprint must be after its start date."))
        }
        _ => Ok(()),
    }
}
