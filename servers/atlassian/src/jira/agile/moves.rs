//! Changes of where issues are: in which sprint, and at which place of the backlog.
//!
//! In: keys. Out: plans. What takes them back puts each issue into the open sprint that it was in, or below the issue that it was below.

use std::collections::BTreeMap;

use plainwire::ToolError;
use serde_json::{Value, json};

use super::{MAX_MOVED, ranks};
use crate::jira::Jira;
use crate::jira::issue::Issue;
use crate::jira::key::Key;
use crate::jira::search::{Query, quoted};
use crate::jira::shown::{Cast, Texts, counted_issues};
use crate::rest::Request;
use crate::write::{Check, FieldChange, How, Inverse, Order, Plan, Restore, Step};

/// The largest page of a search that only wants keys.
const KEYS_PAGE: u64 = 1_000;

/// The largest number of issues of which the order is read.
const MAX_ORDER: usize = 5_000;

impl Jira {
    /// Returns issues in the order of their keys, each once.
    ///
    /// # Errors
    /// Those of the site: an issue that there is not.
    pub async fn issues_of(&self, keys: &[Key], fields: &str) -> Result<Vec<Issue>, ToolError> {
        let mut all: Vec<Issue> = Vec::new();
        for keys in keys.chunks(MAX_MOVED) {
            let listed: Vec<_> = keys.iter().map(|it| quoted(it.as_str())).collect();
            let jql = self.limited(&format!("key in ({})", listed.join(", "))).await?;
            let query =
                Query { jql, fields: fields.to_owned(), limit: MAX_MOVED as u64, start: 0, token: None };
            let found = self.search(&query).await?.issues;
            for key in keys {
                let is_meant =
                    |it: &&Issue| it.key.eq_ignore_ascii_case(key.as_str()) || it.id == key.as_str();
                let issue = match found.iter().find(is_meant) {
                    Some(issue) => issue.clone(),
                    // The former key of an issue, or one that the index lacks.
                    None => self.issue(key.as_str(), fields, &[]).await?,
                };
                if !all.iter().any(|it| it.id == issue.id) {
                    all.push(issue);
                }
            }
        }
        Ok(all)
    }

    /// Plans to move issues into a sprint, or with `None` into the backlog.
    ///
    /// # Errors
    /// Those of the site; a site without sprints.
    ///
    /// Source: `POST /rest/agile/1.0/sprint/{id}/issue`, `POST /rest/agile/1.0/backlog/issue`.
    pub async fn plan_to_sprint(
        &self,
        tool: &'static str,
        keys: &[Key],
        sprint: Option<&Value>,
    ) -> Result<Plan, ToolError> {
        let fields = self.fields().await?;
        let Some(field) = fields.of_type("gh-sprint") else {
            return Err(ToolError::new("conflict", "this site has no sprints"));
        };
        let issues = self.issues_of(keys, &field.id).await?;
        let place = |sprint: &Value| sprint.get("name").cloned().unwrap_or_else(|| json!("backlog"));
        let target = sprint.cloned().unwrap_or_default();
        let mut moved: Vec<&str> = Vec::new();
        let mut former: BTreeMap<Option<String>, Vec<&str>> = BTreeMap::new();
        let mut changes = Vec::new();
        for issue in &issues {
            let raw = issue.fields.get(&field.id);
            let sprints = raw.and_then(|raw| self.shown(field, raw, Texts::Beginnings, &mut Cast::default()));
            let open = sprints
                .iter()
                .flat_map(|it| it.as_array().into_iter().flatten())
                .find(|it| it["state"] != "closed");
            let open = open.cloned().unwrap_or_default();
            if open["id"] == target["id"] {
                continue;
            }
            changes.push(FieldChange::new(&issue.key, place(&open), place(&target)));
            moved.push(&issue.key);
            let id = (!open.is_null()).then(|| open["id"].to_string());
            former.entry(id).or_default().push(&issue.key);
        }
        let mut inverse = Vec::new();
        for (id, keys) in &former {
            let path = self.place(id.as_deref());
            for keys in keys.chunks(MAX_MOVED) {
                let check = |key: &&str| match target.get("id") {
                    Some(id) => self.place_check(key, "/fields/sprint/id", id),
                    None => self.place_check(key, "/fields/sprint", &Value::Null),
                };
                let how = How::Checked {
                    method: "POST".to_owned(),
                    checks: keys.iter().map(check).collect(),
                    body: json!({ "issues": keys }),
                };
                inverse.push(Restore { path: path.clone(), how });
            }
        }
        let id = sprint.map(|it| it["id"].to_string());
        let step = |keys: &[&str]| {
            Step::from(Request::post(self.place(id.as_deref())).json(&json!({ "issues": keys })))
        };
        Ok(Plan {
            tool,
            summary: format!("move {} to {}", counted_issues(moved.len()), place(&target)),
            target: id.clone().unwrap_or_default(),
            changes,
            steps: moved.chunks(MAX_MOVED).map(step).collect(),
            inverse: Inverse::Steps(inverse),
            warnings: vec![],
        })
    }

    /// Returns the check that an issue is still where it was moved to.
    ///
    /// Source: `GET /rest/agile/1.0/issue/{key}`.
    fn place_check(&self, key: &str, place: &str, expected: &Value) -> Check {
        Check {
            name: format!("the sprint of {key}"),
            path: self.agile(["issue", key]),
            query: vec![("fields".to_owned(), "sprint".to_owned())],
            place: place.to_owned(),
            expected: expected.clone(),
        }
    }

    /// The path that issues are sent to, to be in a sprint or in the backlog.
    fn place(&self, sprint: Option<&str>) -> Vec<String> {
        sprint.map_or_else(|| self.agile(["backlog", "issue"]), |id| self.agile(["sprint", id, "issue"]))
    }

    /// Plans to rank issues directly before or after another one, in the order of the keys.
    ///
    /// # Errors
    /// More issues than a request may move; those of the site.
    ///
    /// Source: `PUT /rest/agile/1.0/issue/rank`.
    pub async fn plan_rank(&self, keys: &[Key], other: &Key, is_before: bool) -> Result<Plan, ToolError> {
        let issues = self.issues_of(keys, "project").await?;
        if issues.len() > MAX_MOVED {
            let message = format!("expected at most {MAX_MOVED} issues, but found {}", issues.len());
            return Err(ToolError::invalid_input(message));
        }
        let beside = self.issue(other.as_str(), "project", &[]).await?;
        let keys: Vec<&str> = issues.iter().map(|it| it.key.as_str()).collect();
        let side = if is_before { "rankBeforeIssue" } else { "rankAfterIssue" };
        let request = Request::put(self.agile(["issue", "rank"]))
            .json(&json!({ "issues": keys, side: other.as_str() }));
        let order = self.order(&issues, &beside).await?;
        let word = if is_before { "before" } else { "after" };
        let old = |key: &str| {
            let at = order.iter().position(|it| it == key)?;
            Some(match at.checked_sub(1).and_then(|at| order.get(at)) {
                Some(above) => json!(format!("after {above}")),
                None => json!("first"),
            })
        };
        let changes: Vec<_> = keys
            .iter()
            .map(|key| FieldChange::new(*key, old(key).unwrap_or_default(), format!("{word} {other}")))
            .collect();
        let mut warnings = Vec::new();
        let fields = self.fields().await?;
        let after = ranks::after(&order, &keys, &beside.key, is_before);
        let looked_at = match (fields.of_type("gh-lexo-rank"), after) {
            (Some(field), Some(after)) => Order {
                paths: after.iter().map(|key| self.path(["issue", *key])).collect(),
                field: field.id.clone(),
            },
            _ => {
                warnings.push("taking this back does not see later changes of the order".to_owned());
                Order::default()
            }
        };
        Ok(Plan {
            tool: "jira_rank_issues",
            summary: format!("rank {} {word} {other}", counted_issues(keys.len())),
            target: keys.first().map(|it| (*it).to_owned()).unwrap_or_default(),
            inverse: self.former_ranks(&keys, &order, looked_at),
            changes,
            steps: vec![Step::kept(request, "rank")],
            warnings,
        })
    }

    /// Returns the keys of the projects of issues in the order of their ranks, as far as it is read.
    async fn order(&self, issues: &[Issue], beside: &Issue) -> Result<Vec<String>, ToolError> {
        let wanted = || issues.iter().chain([beside]);
        let mut projects: Vec<String> = wanted().map(|it| quoted(it.project())).collect();
        projects.sort();
        projects.dedup();
        let jql = format!("project in ({}) ORDER BY Rank ASC", projects.join(", "));
        let mut query = Query { jql, fields: "project".to_owned(), limit: KEYS_PAGE, start: 0, token: None };
        let mut order: Vec<String> = Vec::new();
        while order.len() < MAX_ORDER {
            let page = self.search(&query).await?;
            order.extend(page.issues.into_iter().map(|it| it.key));
            let has_all = wanted().all(|it| order.contains(&it.key));
            query.token = page.next;
            // One more than the last one: it is the neighbour below.
            if query.token.is_none()
                || (has_all && order.last().is_some_and(|last| wanted().all(|it| it.key != *last)))
            {
                break;
            }
        }
        Ok(order)
    }

    /// Returns the steps that bring issues back to their places: from the top, each below the issue that it was below. The first one looks
    /// whether the order is still that of the change.
    fn former_ranks(&self, moved: &[&str], order: &[String], looked_at: Order) -> Inverse {
        let mut steps = Vec::new();
        let mut looked_at = Some(looked_at);
        let mut found = 0;
        for (at, key) in order.iter().enumerate() {
            if !moved.contains(&key.as_str()) {
                continue;
            }
            found += 1;
            let above = at.checked_sub(1).and_then(|at| order.get(at));
            let below = || order.iter().skip(at).find(|it| !moved.contains(&it.as_str()));
            let beside = match (above, below()) {
                (Some(above), _) => json!({ "issues": [key], "rankAfterIssue": above }),
                (None, Some(below)) => json!({ "issues": [key], "rankBeforeIssue": below }),
                (None, None) => continue,
            };
            let how = How::Ranked { order: looked_at.take().unwrap_or_default(), body: beside };
            steps.push(Restore { path: self.agile(["issue", "rank"]), how });
        }
        match found == moved.len() {
            true => Inverse::Steps(steps),
            false => {
                Inverse::None(format!("the former places are not among the first {} issues", order.len()))
            }
        }
    }
}
