//! Many issues at once: `issue/bulk`, and the moves of Cloud, which go on after their request was answered.

use serde_json::{Map, Value as Json, json};

use super::issue::{made, short, visible};
use super::{On, Operation, operation};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::field::Value;
use crate::issue::{self, Change};
use crate::permission;
use crate::time;

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("POST", "/rest/api/{v}/issue/bulk", On::Both, create),
    operation("POST", "/rest/api/{v}/bulk/issues/move", On::Cloud, start_move),
    operation("GET", "/rest/api/{v}/bulk/queue/{task}", On::Cloud, progress),
];

/// The largest number of issues of a request.
const MAX_ISSUES: usize = 50;

/// The largest number of issues that are moved at once.
const MAX_MOVED: usize = 1_000;

/// The time that a move takes, in milliseconds.
const TAKES: i64 = 300;

/// Makes issues: those that can't be made are reported beside those that were.
fn create(call: &Call<'_>) -> Result<Answer> {
    let body = call.object()?;
    let all = body.get("issueUpdates").and_then(Json::as_array).cloned().unwrap_or_default();
    if all.is_empty() || all.len() > MAX_ISSUES {
        return Err(Fault::bad(format!("A request can make 1 to {MAX_ISSUES} issues.")));
    }
    let (mut issues, mut errors) = (Vec::new(), Vec::new());
    for (at, update) in all.iter().enumerate() {
        let empty = Map::new();
        let update = update.as_object().unwrap_or(&empty);
        call.work.db.execute_batch("SAVEPOINT one")?;
        match made(call, update).and_then(|id| short(call, id)) {
            Ok(made) => {
                call.work.db.execute_batch("RELEASE one")?;
                issues.push(made);
            }
            Err(fault) => {
                call.work.db.execute_batch("ROLLBACK TO one; RELEASE one")?;
                errors.push(json!({
                    "status": fault.status,
                    "elementErrors": { "errorMessages": fault.messages, "errors": fault.errors },
                    "failedElementNumber": at,
                }));
            }
        }
    }
    let status = if issues.is_empty() { 400 } else { 201 };
    Ok(Answer::Json(status, json!({ "issues": issues, "errors": errors })))
}

/// A move to make: an issue, its new project and type.
struct Move {
    issue: issue::Issue,
    project: i64,
    issue_type: i64,
}

fn start_move(call: &Call<'_>) -> Result<Answer> {
    let body = call.object()?;
    let targets = body.get("targetToSourcesMapping").and_then(Json::as_object);
    let targets = targets.ok_or_else(|| Fault::bad("targetToSourcesMapping is required."))?;
    let mut moves = Vec::new();
    for (target, mapping) in targets {
        moves.extend(moves_to(call, target, mapping)?);
    }
    if moves.is_empty() || moves.len() > MAX_MOVED {
        return Err(Fault::bad(format!("A request can move 1 to {MAX_MOVED} issues.")));
    }
    let ids: Vec<i64> = moves.iter().map(|it| it.issue.id).collect();
    for it in &moves {
        issue::move_to(call.work, it.issue.id, it.project, call.person)?;
        settle(call, it)?;
    }
    let sql = "INSERT INTO task (id, kind, person_id, submitted, ends, status, input, result)
        VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM task), 'move', ?1, ?2, ?3, 'COMPLETE', ?4, ?5)";
    let result = json!({ "processedAccessibleIssues": ids }).to_string();
    let values = (call.person, call.work.now, call.work.now + TAKES, Json::Object(body).to_string(), result);
    let id = call.work.add(sql, values)?;
    Answer::created(json!({ "taskId": id.to_string() }))
}

/// Returns the moves to a target such as `SHOP,10001` or `SHOP,10004,SHOP-7` (a project, a type, and the parent of sub-tasks).
fn moves_to(call: &Call<'_>, target: &str, mapping: &Json) -> Result<Vec<Move>> {
    let mut parts = target.split(',');
    let (key, kind) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let sql = "SELECT p.id, t.issue_type_id FROM project p JOIN project_issue_type t ON t.project_id = p.id
        WHERE (p.key = ?1 OR CAST(p.id AS TEXT) = ?1) AND CAST(t.issue_type_id AS TEXT) = ?2";
    let found: Option<(i64, i64)> = call.work.one(sql, (key, kind), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (project, issue_type) = found
        .ok_or_else(|| Fault::bad(format!("The target '{target}' has no such project or issue type.")))?;
    let denied = "You do not have permission to move issues to this project.";
    permission::require(call.work, call.person, project, "CREATE_ISSUES", denied)?;
    let keys = mapping.get("issueIdsOrKeys").and_then(Json::as_array).into_iter().flatten();
    let mut moves = Vec::new();
    for key in keys.filter_map(Json::as_str) {
        let issue = visible(call, key)?;
        permission::require(
            call.work,
            call.person,
            issue.project_id,
            "MOVE_ISSUES",
            "You do not have permission to move this issue.",
        )?;
        moves.push(Move { issue, project, issue_type });
    }
    Ok(moves)
}

/// Gives a moved issue what its new project needs: the type, a status of its workflow, and no values that only the old one has.
fn settle(call: &Call<'_>, it: &Move) -> Result<()> {
    let mut changes = vec![Change { field: "issuetype".to_owned(), to: Some(Value::Ref(it.issue_type)) }];
    let sql = "SELECT w.initial_status_id, EXISTS (SELECT 1 FROM transition t WHERE t.workflow_id = w.id AND ?3 IN (t.from_status_id, t.to_status_id))
        FROM project_issue_type p JOIN workflow w ON w.id = p.workflow_id WHERE p.project_id = ?1 AND p.issue_type_id = ?2";
    let status = it.issue.ref_of("status");
    let found: Option<(i64, bool)> =
        call.work.one(sql, (it.project, it.issue_type, status), |row| Ok((row.get(0)?, row.get(1)?)))?;
    if let Some((initial, false)) = found {
        changes.push(Change { field: "status".to_owned(), to: Some(Value::Ref(initial)) });
    }
    for field in ["components", "fixVersions", "versions"] {
        changes.push(Change { field: field.to_owned(), to: None });
    }
    issue::change(call.work, it.issue.id, &changes, call.person)?;
    Ok(())
}

fn progress(call: &Call<'_>) -> Result<Answer> {
    let missing = || Fault::missing("No bulk operation with this task id exists.");
    let id: i64 = call.param("task").parse().map_err(|_| missing())?;
    let sql = "SELECT submitted, ends, result FROM task WHERE id = ?1 AND person_id = ?2";
    let found = call.work.one(sql, (id, call.person), |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, Option<String>>(2)?))
    })?;
    let (submitted, ends, result) = found.ok_or_else(missing)?;
    let is_done = call.work.now >= ends;
    let percent = if is_done { 100 } else { (call.work.now - submitted) * 100 / (ends - submitted).max(1) };
    let result: Json = result.and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_default();
    let mut value = json!({
        "taskId": id.to_string(), "status": if is_done { "COMPLETE" } else { "RUNNING" }, "progressPercent": percent,
        "submittedBy": { "accountId": call.view.person(call.person)?["accountId"] },
        "created": time::of(submitted), "started": time::of(submitted), "updated": time::of(call.work.now),
        "totalIssueCount": result["processedAccessibleIssues"].as_array().map_or(0, Vec::len),
        "invalidOrInaccessibleIssueCount": 0,
    });
    if is_done {
        value["processedAccessibleIssues"] = result["processedAccessibleIssues"].clone();
        value["failedAccessibleIssues"] = json!({});
    }
    Answer::ok(value)
}
