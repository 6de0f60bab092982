//! `board`: boards, their columns, projects and sprints.

use serde_json::{Value as Json, json};

use super::{Board, PAGE, State, address, board_of_path, boards, require_sprints, sprint, sprints_of};
use crate::api::project::visible_project;
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::field::{self, custom};

pub(super) fn list(call: &Call<'_>) -> Result<Answer> {
    let kinds = call.list("type");
    let name = call.query("name").unwrap_or_default().to_lowercase();
    let project = match call.query("projectKeyOrId") {
        None | Some("") => None,
        Some(named) => {
            let missing = || Fault::bad(format!("No project could be found with key or id '{named}'."));
            Some(visible_project(call, named).map_err(|_| missing())?)
        }
    };
    let mut found = boards(call)?;
    found.retain(|it| kinds.is_empty() || kinds.contains(&it.kind.as_str()));
    found.retain(|it| it.name.to_lowercase().contains(&name));
    found.retain(|it| project.is_none_or(|project| it.project == project));
    let values = found.iter().map(|it| shown(call, it)).collect::<Result<_>>()?;
    Answer::ok(call.page(PAGE, PAGE)?.values(values))
}

pub(super) fn get(call: &Call<'_>) -> Result<Answer> {
    Answer::ok(shown(call, &board_of_path(call)?)?)
}

fn shown(call: &Call<'_>, board: &Board) -> Result<Json> {
    let mut value = json!({
        "id": board.id,
        "self": address(call, &format!("board/{}", board.id)),
        "name": board.name,
        "type": board.kind,
    });
    if call.work.is_cloud() {
        let project = call.view.project(board.project)?;
        let (name, key) =
            (project["name"].as_str().unwrap_or_default(), project["key"].as_str().unwrap_or_default());
        value["location"] = json!({
            "projectId": board.project,
            "displayName": format!("{name} ({key})"),
            "projectName": name,
            "projectKey": key,
            "projectTypeKey": project["projectTypeKey"],
            "avatarURI": project["avatarUrls"]["24x24"],
            "name": format!("{name} ({key})"),
        });
        value["isPrivate"] = json!(false);
    }
    Ok(value)
}

/// Returns the columns of a board, one for each category of statuses, and the fields that it orders and
/// estimates by.
pub(super) fn configuration(call: &Call<'_>) -> Result<Answer> {
    let board = board_of_path(call)?;
    let is_scrum = board.kind == "scrum";
    let rank = field::by_id(call.work, custom::RANK)?.and_then(|it| it.number());
    let mut value = json!({
        "id": board.id,
        "name": board.name,
        "type": board.kind,
        "self": address(call, &format!("board/{}/configuration", board.id)),
        "filter": { "id": board.filter.to_string(), "self": call.view.api(&format!("filter/{}", board.filter)) },
        "columnConfig": {
            "columns": columns(call, &board)?,
            "constraintType": if is_scrum { "none" } else { "issueCount" },
        },
        "ranking": { "rankCustomFieldId": rank },
    });
    if call.work.is_cloud() {
        let project = call.view.project(board.project)?;
        value["location"] = json!({ "type": "project", "projectKeyOrId": project["key"] });
    }
    if let Some(points) = field::by_id(call.work, custom::STORY_POINTS)?.filter(|_| is_scrum) {
        let field = json!({ "fieldId": points.id, "displayName": points.name });
        value["estimation"] = json!({ "type": "field", "field": field });
    }
    Answer::ok(value)
}

fn columns(call: &Call<'_>, board: &Board) -> Result<Vec<Json>> {
    let sql = "SELECT DISTINCT s.id FROM status s JOIN transition t ON t.to_status_id = s.id OR t.from_status_id = s.id
        JOIN project_issue_type p ON p.workflow_id = t.workflow_id WHERE p.project_id = ?1 AND s.category = ?2 ORDER BY s.id";
    let columns = [("To Do", "new"), ("In Progress", "indeterminate"), ("Done", "done")];
    let columns = columns.into_iter().map(|(name, category)| {
        let statuses = call.work.all(sql, (board.project, category), |row| {
            let id: i64 = row.get(0)?;
            Ok(json!({ "id": id.to_string(), "self": call.view.api(&format!("status/{id}")) }))
        })?;
        Ok(json!({ "name": name, "statuses": statuses }))
    });
    columns.collect()
}

pub(super) fn projects(call: &Call<'_>) -> Result<Answer> {
    let board = board_of_path(call)?;
    let page = call.page(PAGE, PAGE)?;
    Answer::ok(page.values(vec![call.view.project(board.project)?]))
}

pub(super) fn sprints(call: &Call<'_>) -> Result<Answer> {
    let board = board_of_path(call)?;
    require_sprints(&board)?;
    let states = call.list("state").into_iter().map(|name| {
        State::read(name).ok_or_else(|| {
            Fault::bad(format!("The state '{name}' is not valid. Valid values are: future, active, closed."))
        })
    });
    let states: Vec<State> = states.collect::<Result<_>>()?;
    let found =
        sprints_of(call, board.id)?.into_iter().filter(|it| states.is_empty() || states.contains(&it.state));
    let values = found.map(|it| sprint::shown(call, &it)).collect();
    Answer::ok(call.page(PAGE, PAGE)?.values(values))
}
