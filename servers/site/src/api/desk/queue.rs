//! `servicedesk/{id}/queue`: the queues of agents.

use serde_json::{Value as Json, json};

use super::{Desk, address, asked_page, desk_of_path, page, paged, require_agent};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::view::Wanted;
use crate::{field, issue, jql};

/// The columns of each queue.
const COLUMNS: [&str; 6] = ["issuetype", "issuekey", "status", "summary", "created", "reporter"];

/// A queue.
#[derive(Clone, Debug)]
struct Queue {
    id: i64,
    name: String,
    jql: String,
}

/// Returns the service desk of the path with its queues, for its agents.
fn queues(call: &Call<'_>) -> Result<(Desk, Vec<Queue>)> {
    let desk = desk_of_path(call)?;
    require_agent(call, desk)?;
    let sql = "SELECT id, name, jql FROM queue WHERE desk_id = ?1 ORDER BY position, id";
    let all = call
        .work
        .all(sql, [desk.id], |row| Ok(Queue { id: row.get(0)?, name: row.get(1)?, jql: row.get(2)? }))?;
    Ok((desk, all))
}

fn of_path(call: &Call<'_>) -> Result<(Desk, Queue)> {
    let (desk, all) = queues(call)?;
    let found = all.into_iter().find(|it| it.id.to_string() == call.param("queue"));
    found
        .map(|it| (desk, it))
        .ok_or_else(|| Fault::missing("The queue you are trying to view does not exist."))
}

fn shown(call: &Call<'_>, desk: Desk, queue: &Queue) -> Result<Json> {
    let mut value = json!({
        "id": queue.id.to_string(), "name": queue.name, "jql": queue.jql, "fields": COLUMNS,
        "_links": { "self": address(call, &format!("servicedesk/{}/queue/{}", desk.id, queue.id)) },
    });
    if call.flag("includeCount", false) {
        value["issueCount"] = json!(jql::compile(call.work, call.person, &queue.jql)?.count(call.work)?);
    }
    Ok(value)
}

pub(super) fn list(call: &Call<'_>) -> Result<Answer> {
    let (desk, all) = queues(call)?;
    let all = all.iter().map(|it| shown(call, desk, it)).collect::<Result<_>>()?;
    page(call, &format!("servicedesk/{}/queue", desk.id), all)
}

pub(super) fn get(call: &Call<'_>) -> Result<Answer> {
    let (desk, queue) = of_path(call)?;
    Answer::ok(shown(call, desk, &queue)?)
}

pub(super) fn issues(call: &Call<'_>) -> Result<Answer> {
    let (desk, queue) = of_path(call)?;
    let asked = asked_page(call)?;
    let mut ids =
        jql::compile(call.work, call.person, &queue.jql)?.ids(call.work, asked.start, asked.size + 1)?;
    let is_last = ids.len() as u64 <= asked.size;
    ids.truncate(usize::try_from(asked.size).unwrap_or(usize::MAX));
    let fields = field::all(call.work)?;
    let wanted = Wanted::read(COLUMNS, "");
    let issues = issue::load(call.work, &ids)?;
    let values = issues.iter().map(|it| call.view.issue(it, &fields, &wanted)).collect::<Result<_>>()?;
    let path = format!("servicedesk/{}/queue/{}/issue", desk.id, queue.id);
    Answer::ok(paged(call, &path, asked, values, is_last))
}
