//! The issues of boards, backlogs, sprints and epics.
//!
//! In: a place, and the JQL, the fields and the page of the query. Out: issues in the order of their ranks,
//! with what only this API shows of them: `sprint`, `closedSprints`, `flagged` and `epic`.

use serde_json::{Value as Json, json};

use super::{
    Board, State, address, board_of_path, epic, require_sprints, sprint, sprint_by_id, sprint_of_path,
};
use crate::api::issue::{of_path, shown};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::field::{custom, epic_field};
use crate::issue::{self, Issue};
use crate::jql::{self, Compiled};
use crate::view::Wanted;

/// The number of issues of a page, and the largest one, as `jira.search.views.default.max` sets it.
const PAGE: u64 = 50;
const MAX_PAGE: u64 = 1_000;

/// A query of several conditions.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    conditions: Vec<String>,
    order: Option<String>,
}

impl Search {
    /// Begins with a query, whose order is that of its issues.
    pub(super) fn of(jql: &str) -> Self {
        let (condition, order) = split(jql);
        let conditions = [condition].into_iter().filter(|it| !it.is_empty()).map(ToOwned::to_owned);
        Self { conditions: conditions.collect(), order: Some(order.to_owned()).filter(|it| !it.is_empty()) }
    }

    /// Adds a condition.
    pub(super) fn and(mut self, condition: String) -> Self {
        self.conditions.push(condition);
        self
    }

    /// Adds the JQL of the caller, whose order counts more. It is compiled alone first, so that an error is
    /// about what the caller wrote.
    fn and_query(mut self, call: &Call<'_>) -> Result<Self> {
        let own = call.query("jql").unwrap_or_default();
        if own.trim().is_empty() {
            return Ok(self);
        }
        jql::compile(call.work, call.person, own)?;
        let own = Self::of(own);
        self.conditions.extend(own.conditions);
        self.order = own.order.or(self.order);
        Ok(self)
    }

    pub(super) fn compile(&self, call: &Call<'_>) -> Result<Compiled> {
        let conditions: Vec<_> = self.conditions.iter().map(|it| format!("({it})")).collect();
        let order = self.order.as_deref().unwrap_or("ORDER BY Rank ASC");
        jql::compile(call.work, call.person, &format!("{} {order}", conditions.join(" AND ")))
    }

    fn answer(self, call: &Call<'_>) -> Result<Answer> {
        let search = self.and_query(call)?.compile(call)?;
        let page = call.page(PAGE, MAX_PAGE)?;
        let ids = search.ids(call.work, page.start, page.size)?;
        let issues = issue::load(call.work, &ids)?;
        let issues: Vec<_> =
            issues.iter().map(|it| with_agile_fields(call, it, "*navigable")).collect::<Result<_>>()?;
        Answer::ok(json!({
            "expand": "schema,names",
            "startAt": page.start,
            "maxResults": page.size,
            "total": search.count(call.work)?,
            "issues": issues,
        }))
    }
}

/// Splits a query into its condition and its `ORDER BY`.
fn split(jql: &str) -> (&str, &str) {
    let bytes = jql.as_bytes();
    let mut quote = None;
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        match (quote, byte) {
            (_, b'\\') => at += 1,
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'o' | b'O') if is_order(jql, at) => return (jql[..at].trim(), jql[at..].trim()),
            _ => {}
        }
        at += 1;
    }
    (jql.trim(), "")
}

/// Returns whether the words `ORDER BY` are at a place.
fn is_order(jql: &str, at: usize) -> bool {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let mut words = jql.get(at..).unwrap_or_default().split_whitespace();
    let follows = |word: Option<&str>, name: &str| word.is_some_and(|it| it.eq_ignore_ascii_case(name));
    let begins = jql.get(..at).and_then(|it| it.chars().next_back()).is_none_or(|it| !is_word(it));
    begins && follows(words.next(), "order") && follows(words.next(), "by")
}

/// Returns the names of issue types, as JQL lists them.
pub(super) fn level_names(call: &Call<'_>, levels: &str) -> Result<String> {
    let sql = format!("SELECT name FROM issue_type WHERE {levels} ORDER BY id");
    let names: Vec<String> = call.work.all(&sql, [], |row| row.get(0))?;
    Ok(names.iter().map(|it| jql::quote(it)).collect::<Vec<_>>().join(", "))
}

fn on_board(call: &Call<'_>, board: &Board) -> Result<Search> {
    let search = Search::of(&board.jql);
    match board.kind.as_str() {
        // Epics are not on scrum boards: they have a panel of their own.
        "scrum" => Ok(search.and(format!("issuetype NOT IN ({})", level_names(call, "level > 0")?))),
        _ => Ok(search),
    }
}

/// The condition of issues in an epic.
fn in_epic(call: &Call<'_>, key: &str) -> String {
    format!("{} = {}", epic_clause(call), jql::quote(key))
}

fn epic_clause(call: &Call<'_>) -> &'static str {
    if call.work.is_cloud() { "parent" } else { "\"Epic Link\"" }
}

/// The condition of issues that could be in an epic and are in none.
fn in_no_epic(call: &Call<'_>) -> Result<String> {
    Ok(format!("{} IS EMPTY AND issuetype IN ({})", epic_clause(call), level_names(call, "level = 0")?))
}

pub(super) fn of_board(call: &Call<'_>) -> Result<Answer> {
    on_board(call, &board_of_path(call)?)?.answer(call)
}

/// The backlog: what is not done, and in no sprint that goes on or is to come.
pub(super) fn of_backlog(call: &Call<'_>) -> Result<Answer> {
    let board = board_of_path(call)?;
    let open: Vec<i64> =
        call.work.all("SELECT id FROM sprint WHERE state <> 'closed' ORDER BY id", [], |row| row.get(0))?;
    let mut search = Search::of(&board.jql)
        .and("statusCategory != Done".to_owned())
        .and(format!("issuetype IN ({})", level_names(call, "level = 0")?));
    if !open.is_empty() {
        let open: Vec<_> = open.iter().map(ToString::to_string).collect();
        search = search.and(format!("sprint IS EMPTY OR sprint NOT IN ({})", open.join(", ")));
    }
    search.answer(call)
}

pub(super) fn of_board_and_sprint(call: &Call<'_>) -> Result<Answer> {
    let board = board_of_path(call)?;
    require_sprints(&board)?;
    let (sprint, _) = sprint_of_path(call)?;
    on_board(call, &board)?.and(format!("sprint = {}", sprint.id)).answer(call)
}

pub(super) fn of_board_and_epic(call: &Call<'_>) -> Result<Answer> {
    let board = board_of_path(call)?;
    let epic = epic::of_path(call)?;
    on_board(call, &board)?.and(in_epic(call, &epic.key)).answer(call)
}

pub(super) fn of_board_without_epic(call: &Call<'_>) -> Result<Answer> {
    let board = board_of_path(call)?;
    on_board(call, &board)?.and(in_no_epic(call)?).answer(call)
}

pub(super) fn of_sprint(call: &Call<'_>) -> Result<Answer> {
    let (sprint, _) = sprint_of_path(call)?;
    Search::default().and(format!("sprint = {}", sprint.id)).answer(call)
}

pub(super) fn of_epic(call: &Call<'_>) -> Result<Answer> {
    let epic = epic::of_path(call)?;
    Search::default().and(in_epic(call, &epic.key)).answer(call)
}

pub(super) fn without_epic(call: &Call<'_>) -> Result<Answer> {
    Search::default().and(in_no_epic(call)?).answer(call)
}

pub(super) fn get(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    Answer::ok(with_agile_fields(call, &issue, "*all")?)
}

/// Returns an issue with the fields of this API, as far as the query asks for them; `default` if it names
/// none.
fn with_agile_fields(call: &Call<'_>, issue: &Issue, default: &str) -> Result<Json> {
    let names = call.list("fields");
    let mut value = shown(call, issue, &Wanted::read(names.iter().copied(), default), &call.list("expand"))?;
    value["self"] = address(call, &format!("issue/{}", issue.id));
    for name in ["closedSprints", "epic", "flagged", "sprint"] {
        let is_all = names.is_empty() || names.iter().any(|it| it.starts_with(['*', '-']));
        let is_left_out = names.iter().any(|it| it.strip_prefix('-') == Some(name));
        if names.contains(&name) || (is_all && !is_left_out) {
            value["fields"][name] = agile_field(call, issue, name)?;
        }
    }
    Ok(value)
}

fn agile_field(call: &Call<'_>, issue: &Issue, name: &str) -> Result<Json> {
    let sprints = || -> Result<Vec<_>> {
        let all = issue.refs_of(custom::SPRINT).iter().map(|id| sprint_by_id(call, *id));
        Ok(all.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    };
    Ok(match name {
        "flagged" => json!(!issue.refs_of(custom::FLAGGED).is_empty()),
        "sprint" => {
            let open = sprints()?.into_iter().find(|it| it.state != State::Closed);
            open.map_or(Json::Null, |it| sprint::shown(call, &it))
        }
        "closedSprints" => {
            let closed = sprints()?.into_iter().filter(|it| it.state == State::Closed);
            closed.map(|it| sprint::shown(call, &it)).collect()
        }
        _ => match issue.ref_of(epic_field(call.work.deployment)) {
            None => Json::Null,
            Some(id) => {
                let parent = issue::get(call.work, id)?;
                let is_epic = super::level(call, &parent)? == 1;
                if is_epic { epic::shown(call, &parent)? } else { Json::Null }
            }
        },
    })
}

/// Returns the issues that a body names in `issues`: at least one and at most fifty, in its order.
pub(super) fn of_body(call: &Call<'_>, body: &serde_json::Map<String, Json>) -> Result<Vec<Issue>> {
    /// The largest number of issues that one request may move.
    const MAX_MOVED: usize = 50;

    let named = body.get("issues").and_then(Json::as_array).cloned().unwrap_or_default();
    if named.is_empty() {
        return Err(Fault::of_field("issues", "At least one issue must be specified."));
    }
    if named.len() > MAX_MOVED {
        let message =
            format!("The maximum number of issues that can be moved in one operation is {MAX_MOVED}.");
        return Err(Fault::of_field("issues", message));
    }
    let issues = named.iter().map(|it| {
        let named = it.as_str().map_or_else(|| it.to_string(), ToOwned::to_owned);
        crate::api::issue::visible(call, &named).map_err(|_| {
            let message = format!("Issue '{named}' does not exist or you do not have permission to see it.");
            Fault::of_field("issues", message)
        })
    });
    issues.collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_order_of_a_query_is_found_outside_of_quotes_and_words() {
        for (jql, condition, order) in [
            ("project = SHOP ORDER BY Rank ASC", "project = SHOP", "ORDER BY Rank ASC"),
            ("order  by created", "", "order  by created"),
            (
                r#"summary ~ "order by \" order by" AND labels = reorder"#,
                r#"summary ~ "order by \" order by" AND labels = reorder"#,
                "",
            ),
            ("labels = 'a' Order By key", "labels = 'a'", "Order By key"),
        ] {
            assert_eq!(super::split(jql), (condition, order), "{jql}");
        }
    }
}
