//! `jira_standup`: what changed since yesterday, for a person or in a sprint.

use std::collections::BTreeMap;

use jiff::{Timestamp, ToSpan};
use plainwire::prelude::*;
use plainwire::serde_json::from_str;
use plainwire::serde_json::value::RawValue;

use super::{as_argument, attached, given};
use crate::jira::agile::Slice;
use crate::jira::issue::{Comment, Issue};
use crate::jira::people::Among;
use crate::jira::search::{Query, quoted};
use crate::jira::shown::Cast;
use crate::jira::{Jira, changelog};
use crate::resources::search_uri;

/// The largest number of issues. Each is a request.
const MAX_ISSUES: u64 = 20;

/// The largest number of days to look back.
const MAX_DAYS: i64 = 14;

#[data]
pub(super) struct Standup {
    /// A person: name, e-mail address, id or `me`. By default `me`, if no board is given.
    person: Option<String>,
    /// The number of a board: only issues of its active sprint.
    board_id: Option<String>,
    /// How many days to look back, at most 14. By default 1; on a Monday 3 has the Friday too.
    days: Option<i64>,
}

pub(super) async fn standup(it: Standup, jira: State<Jira>) -> Result<Vec<PromptMessage>, ToolError> {
    let days = it.days.unwrap_or(1).clamp(1, MAX_DAYS);
    let (mut conditions, mut about) = (vec![format!("updated >= -{days}d")], Vec::new());
    let board = given(it.board_id.as_ref());
    if let Some(who) = given(it.person.as_ref()).or(Some("me").filter(|_| board.is_none())) {
        let person = jira.person(who, Among::All, "person").await.map_err(as_argument)?;
        let id = quoted(person.id());
        conditions.push(format!("(assignee = {id} OR issuekey IN updatedBy({id}, \"-{days}d\"))"));
        about.push(format!("that {} has, or worked on", person.display_name));
    }
    if let Some(board) = board {
        let board = jira.board_id(board).await.map_err(as_argument)?;
        let slice = Slice { start: 0, limit: 50, token: None };
        let active =
            jira.sprints(&board, Some("active"), slice).await.map_err(|it| as_argument(it.into()))?.items;
        if active.is_empty() {
            return Err(ToolError::invalid_input(format!("the board {board} has no active sprint")));
        }
        let ids: Vec<_> = active.iter().map(|it| it["id"].to_string()).collect();
        conditions.push(format!("sprint IN ({})", ids.join(", ")));
        about.push(format!("in the sprint {}", active[0]["name"]));
    }
    let jql = jira.limited(&format!("{} ORDER BY updated DESC", conditions.join(" AND "))).await?;
    let (value, count) = changes(&jira, &jql, days).await?;
    let about = about.join(", ");
    if count == 0 {
        let text = format!("No issue {about}, has changed for {days} days. Say so, and do nothing else.");
        return Ok(vec![PromptMessage::user(text)]);
    }
    let text = format!(
        "Prepare a stand-up from what changed since `since` in the {count} issues {about}. Three short parts: what was finished, what goes on and what is \
         next, and what blocks or waits (a question without an answer, a blocked status, a due day that has passed). Group by issue and not by change, and by \
         person if there are several. Name issues by key and summary. Leave out changes that tell nobody anything, such as ranks. Say nothing \
         that the changes and comments do not tell."
    );
    Ok(vec![PromptMessage::user(text), attached(search_uri(&jql), &value)])
}

/// Returns the issues that JQL finds, with their changes and comments of the last days.
async fn changes(jira: &Jira, jql: &str, days: i64) -> Result<(Value, usize), ToolError> {
    let since = now(jira)
        .await?
        .checked_sub((days * 24).hours())
        .map_err(|error| ToolError::invalid_input(error.to_string()))?;
    let query =
        Query { jql: jql.to_owned(), fields: "summary".to_owned(), limit: MAX_ISSUES, start: 0, token: None };
    let found = jira.search(&query).await?;
    let (mut cast, mut issues) = (Cast::default(), Vec::new());
    for issue in &found.issues {
        let issue = jira.issue(&issue.key, "summary,status,assignee,duedate,comment", &["changelog"]).await?;
        issues.push(shown(jira, &issue, since, &mut cast));
    }
    let count = issues.len();
    Ok((json!({ "since": since.to_string(), "issues": issues, "is_complete": found.next.is_none() }), count))
}

fn shown(jira: &Jira, issue: &Issue, since: Timestamp, cast: &mut Cast) -> Value {
    let is_new = |text: &str| moment(text).is_some_and(|it| it >= since);
    let mut shown = json!({ "key": issue.key, "summary": issue.value("summary"), "status": issue.value("status")["name"] });
    for (name, value) in
        [("assignee", issue.value("assignee")["displayName"].clone()), ("due", issue.value("duedate"))]
    {
        if !value.is_null() {
            shown[name] = value;
        }
    }
    let log = issue.more.get("changelog").map(|it| it["histories"].clone()).unwrap_or_default();
    let mut entries: Vec<&Value> = log.as_array().into_iter().flatten().collect();
    entries.retain(|it| it["created"].as_str().is_some_and(is_new));
    entries.sort_by_key(|it| moment(it["created"].as_str().unwrap_or_default()));
    if !entries.is_empty() {
        shown["changes"] = entries.iter().map(|it| changelog::entry(it, cast)).collect();
    }
    let comments: Vec<_> = comments(issue)
        .into_iter()
        .filter(|it| is_new(&it.created))
        .map(|it| jira.shown_comment(&it, cast))
        .collect();
    if !comments.is_empty() {
        shown["comments"] = json!(comments);
    }
    shown
}

/// Returns the comments that came with an issue.
fn comments(issue: &Issue) -> Vec<Comment> {
    let page = issue
        .fields
        .get("comment")
        .and_then(|raw| from_str::<BTreeMap<String, Box<RawValue>>>(raw.get()).ok());
    page.and_then(|it| from_str(it.get("comments")?.get()).ok()).unwrap_or_default()
}

/// Returns the time of the site: its clock decides what `-1d` is.
///
/// Source: `GET /rest/api/{v}/serverInfo`.
async fn now(jira: &Jira) -> Result<Timestamp, ToolError> {
    let info: Value = jira.site().json(jira.get(["serverInfo"])).await?;
    Ok(info["serverTime"].as_str().and_then(moment).unwrap_or_else(Timestamp::now))
}

/// Reads a time such as `2026-11-27T09:30:00.000+0000`.
fn moment(text: &str) -> Option<Timestamp> {
    Timestamp::strptime("%Y-%m-%dT%H:%M:%S%.f%z", text).ok().or_else(|| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn times_of_both_deployments_are_read() {
        let expected = "2026-11-27T08:30:00Z".parse().ok();
        for text in ["2026-11-27T08:30:00.000+0000", "2026-11-27T09:30:00.000+0100", "2026-11-27T08:30:00Z"] {
            assert_eq!(moment(text), expected, "{text}");
        }
    }
}
