//! `/rest/agile/1.0`: boards, sprints, epics, and the order of the backlog.
//!
//! In: requests about them. Out: their JSON, which is that of Jira Software on both deployments, and changes
//! of the field Sprint, the epic and the rank of issues. It adds no boards and changes none, and knows no
//! parallel sprints: they are off unless an administrator wants them.

mod board;
mod epic;
mod issues;
mod moves;
mod sprint;
#[cfg(test)]
mod tests;

use serde_json::Value as Json;

use super::{On, Operation, operation};
use crate::call::Call;
use crate::fault::{Fault, Result};
use crate::issue::Issue;
use crate::permission;

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("GET", "/rest/agile/1.0/board", On::Both, board::list),
    operation("GET", "/rest/agile/1.0/board/{id}", On::Both, board::get),
    operation("GET", "/rest/agile/1.0/board/{id}/configuration", On::Both, board::configuration),
    operation("GET", "/rest/agile/1.0/board/{id}/project", On::Both, board::projects),
    operation("GET", "/rest/agile/1.0/board/{id}/sprint", On::Both, board::sprints),
    operation("GET", "/rest/agile/1.0/board/{id}/epic", On::Both, epic::of_board),
    operation("GET", "/rest/agile/1.0/board/{id}/issue", On::Both, issues::of_board),
    operation("GET", "/rest/agile/1.0/board/{id}/backlog", On::Both, issues::of_backlog),
    operation(
        "GET",
        "/rest/agile/1.0/board/{id}/sprint/{sprint}/issue",
        On::Both,
        issues::of_board_and_sprint,
    ),
    operation("GET", "/rest/agile/1.0/board/{id}/epic/none/issue", On::Both, issues::of_board_without_epic),
    operation("GET", "/rest/agile/1.0/board/{id}/epic/{key}/issue", On::Both, issues::of_board_and_epic),
    operation("POST", "/rest/agile/1.0/sprint", On::Both, sprint::create),
    operation("GET", "/rest/agile/1.0/sprint/{sprint}", On::Both, sprint::get),
    operation("POST", "/rest/agile/1.0/sprint/{sprint}", On::Both, sprint::edit_some),
    operation("PUT", "/rest/agile/1.0/sprint/{sprint}", On::Both, sprint::edit_all),
    operation("DELETE", "/rest/agile/1.0/sprint/{sprint}", On::Both, sprint::delete),
    operation("GET", "/rest/agile/1.0/sprint/{sprint}/issue", On::Both, issues::of_sprint),
    operation("POST", "/rest/agile/1.0/sprint/{sprint}/issue", On::Both, moves::to_sprint),
    operation("POST", "/rest/agile/1.0/backlog/issue", On::Both, moves::to_backlog),
    operation("GET", "/rest/agile/1.0/epic/none/issue", On::Both, issues::without_epic),
    operation("POST", "/rest/agile/1.0/epic/none/issue", On::Both, moves::out_of_epic),
    operation("GET", "/rest/agile/1.0/epic/{key}", On::Both, epic::get),
    operation("GET", "/rest/agile/1.0/epic/{key}/issue", On::Both, issues::of_epic),
    operation("POST", "/rest/agile/1.0/epic/{key}/issue", On::Both, moves::to_epic),
    operation("PUT", "/rest/agile/1.0/issue/rank", On::Both, moves::rank),
    operation("GET", "/rest/agile/1.0/issue/{key}", On::Both, issues::get),
];

/// The number of boards, sprints and epics of a page, and the largest one.
const PAGE: u64 = 50;

/// A board.
#[derive(Clone, Debug)]
struct Board {
    id: i64,
    name: String,
    /// `scrum` or `kanban`
    kind: String,
    project: i64,
    filter: i64,
    /// The JQL of its filter.
    jql: String,
}

/// A sprint.
#[derive(Clone, Debug)]
struct Sprint {
    id: i64,
    board: i64,
    name: String,
    state: State,
    goal: String,
    start: Option<i64>,
    end: Option<i64>,
    completed: Option<i64>,
    activated: Option<i64>,
    created: i64,
}

/// A state of a sprint. It goes from the first to the last, and never back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Future,
    Active,
    Closed,
}

impl State {
    fn read(name: &str) -> Option<Self> {
        [Self::Future, Self::Active, Self::Closed]
            .into_iter()
            .find(|it| it.name() == name.to_ascii_lowercase())
    }

    fn name(self) -> &'static str {
        match self {
            Self::Future => "future",
            Self::Active => "active",
            Self::Closed => "closed",
        }
    }
}

/// Returns the boards that the caller may see, in the order of their ids: those whose filter and whose
/// project they may see.
fn boards(call: &Call<'_>) -> Result<Vec<Board>> {
    let sql = "SELECT b.id, b.name, b.type, b.project_id, b.filter_id, f.jql FROM board b JOIN filter f ON f.id = b.filter_id
        WHERE f.owner_id = ?1 OR f.viewers = 'global' ORDER BY b.id";
    let mut all = call.work.all(sql, [call.person], |row| {
        Ok(Board {
            id: row.get(0)?,
            name: row.get(1)?,
            kind: row.get(2)?,
            project: row.get(3)?,
            filter: row.get(4)?,
            jql: row.get(5)?,
        })
    })?;
    let visible = permission::visible_projects(call.work, call.person)?;
    all.retain(|it| visible.contains(&it.project));
    Ok(all)
}

/// Returns a board, if the caller may see it.
fn board_by_id(call: &Call<'_>, id: Option<i64>) -> Result<Board> {
    let found = boards(call)?.into_iter().find(|it| Some(it.id) == id);
    found.ok_or_else(|| {
        let message =
            "The requested board cannot be viewed because it either does not exist or you do not have permission to view it.";
        Fault::missing(message)
    })
}

/// Returns the board of the path.
fn board_of_path(call: &Call<'_>) -> Result<Board> {
    board_by_id(call, call.param("id").parse().ok())
}

/// Refuses a board without sprints.
fn require_sprints(board: &Board) -> Result<()> {
    if board.kind == "scrum" { Ok(()) } else { Err(Fault::bad("The board does not support sprints")) }
}

/// Returns the sprints of a board: closed ones first, then the active one, then those to come; older ones
/// before newer ones.
fn sprints_of(call: &Call<'_>, board: i64) -> Result<Vec<Sprint>> {
    let sql = "SELECT id FROM sprint WHERE board_id = ?1
        ORDER BY CASE state WHEN 'closed' THEN 0 WHEN 'active' THEN 1 ELSE 2 END, coalesce(completed, start_date, created), id";
    let ids: Vec<i64> = call.work.all(sql, [board], |row| row.get(0))?;
    let all: Vec<_> = ids.into_iter().map(|id| sprint_by_id(call, id)).collect::<Result<_>>()?;
    Ok(all.into_iter().flatten().collect())
}

/// Returns a sprint. Whether the caller may see it is another question.
fn sprint_by_id(call: &Call<'_>, id: i64) -> Result<Option<Sprint>> {
    call.work.one("SELECT * FROM sprint WHERE id = ?1", [id], |row| {
        let state: String = row.get("state")?;
        Ok(Sprint {
            id: row.get("id")?,
            board: row.get("board_id")?,
            name: row.get("name")?,
            state: State::read(&state).unwrap_or(State::Future),
            goal: row.get("goal")?,
            start: row.get("start_date")?,
            end: row.get("end_date")?,
            completed: row.get("completed")?,
            activated: row.get("activated")?,
            created: row.get("created")?,
        })
    })
}

/// Returns the sprint of the path with its board, if the caller may see the board.
fn sprint_of_path(call: &Call<'_>) -> Result<(Sprint, Board)> {
    let missing = || Fault::missing("The sprint does not exist, or you do not have permission to view it.");
    let id = call.param("sprint").parse().map_err(|_| missing())?;
    let sprint = sprint_by_id(call, id)?.ok_or_else(missing)?;
    let board = board_by_id(call, Some(sprint.board)).map_err(|_| missing())?;
    Ok((sprint, board))
}

/// Returns the level of an issue's type: 1 for epics, 0 for standard issues, -1 for sub-tasks.
fn level(call: &Call<'_>, issue: &Issue) -> Result<i64> {
    let sql = "SELECT level FROM issue_type WHERE id = ?1";
    Ok(call.work.one(sql, [issue.ref_of("issuetype")], |row| row.get(0))?.unwrap_or_default())
}

/// Returns an address below this API.
fn address(call: &Call<'_>, path: &str) -> Json {
    Json::String(format!("{}/rest/agile/1.0/{path}", call.view.base))
}
