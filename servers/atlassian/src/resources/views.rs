//! The values of resources and prompts: projects, active sprints, and lists of issues.
//!
//! In: the key of a project, the id of a board that the server may touch, or JQL. Out: JSON with what a reader needs.

use plainwire::ToolError;
use serde_json::{Map, Value, json};

use crate::jira::Jira;
use crate::jira::agile::{BoardIssues, Slice};
use crate::jira::fields::Fields;
use crate::jira::issue::{FIELDS, Issue};
use crate::jira::search::Query;
use crate::jira::shown::{Cast, Texts};
use crate::jira::versions;
use crate::rest::Request;

/// The largest number of issues of a sprint.
const MAX_IN_SPRINT: usize = 500;

/// The number of issues of a page.
const PAGE: u64 = 100;

/// The fields of an issue in a sprint, beside its estimate.
const IN_SPRINT: &str = "summary,status,assignee,priority,issuetype,labels,parent,duedate,updated";

/// Issues that were found.
#[derive(Debug)]
pub(crate) struct Issues {
    /// The JQL, with its limits.
    pub(crate) jql: String,
    /// Their views, in the order of the search.
    pub(crate) shown: Vec<Value>,
    /// Whether these are all.
    pub(crate) is_complete: bool,
}

impl Issues {
    pub(crate) fn into_value(self) -> Value {
        json!({ "jql": self.jql, "issues": self.shown, "is_complete": self.is_complete })
    }
}

/// Returns up to `most` issues that JQL finds. No fields are the usual ones.
///
/// # Errors
/// Those of the site; JQL that is not closed.
pub(crate) async fn issues(
    jira: &Jira,
    jql: &str,
    fields: &[&str],
    most: usize,
) -> Result<Issues, ToolError> {
    let known = jira.fields().await?;
    let jql = jira.limited(jql).await?;
    let fields = if fields.is_empty() { FIELDS.to_owned() } else { fields.join(",") };
    let limit = (most as u64).min(PAGE);
    let mut query = Query { jql, fields, limit, start: 0, token: None };
    let (mut shown, mut cast) = (Vec::new(), Cast::default());
    loop {
        let found = jira.search(&query).await?;
        shown.extend(found.issues.iter().map(|it| view(jira, &known, it, &mut cast)));
        query.token = found.next;
        if query.token.is_none() || shown.len() >= most {
            let is_complete = query.token.is_none() && shown.len() <= most;
            shown.truncate(most);
            return Ok(Issues { jql: query.jql, shown, is_complete });
        }
    }
}

fn view(jira: &Jira, fields: &Fields, issue: &Issue, cast: &mut Cast) -> Value {
    let mut shown = Map::from_iter([("key".to_owned(), json!(issue.key))]);
    shown.extend(jira.view(fields, issue, Texts::Beginnings, cast));
    Value::Object(shown)
}

/// Returns a project: what its issues may be, and what they may belong to.
///
/// # Errors
/// Those of the site.
///
/// Source: `GET /rest/api/{v}/project/{key}`.
pub(crate) async fn project(jira: &Jira, key: &str) -> Result<Value, ToolError> {
    let found: Value = jira.site().json(jira.get(["project", key])).await?;
    let all = |name: &str| found[name].as_array().cloned().unwrap_or_default();
    let names = |name: &str| all(name).iter().map(|it| it["name"].clone()).collect::<Vec<_>>();
    let open: Vec<_> = all("versions")
        .iter()
        .filter(|it| it["released"] != true && it["archived"] != true)
        .map(versions::shown)
        .collect();
    let mut shown = json!({
        "key": found["key"], "name": found["name"], "type": found["projectTypeKey"], "issue_types": names("issueTypes"),
        "components": names("components"), "open_versions": open,
    });
    for (name, value) in [("description", &found["description"]), ("lead", &found["lead"]["displayName"])] {
        if value.as_str().is_some_and(|it| !it.is_empty()) {
            shown[name] = value.clone();
        }
    }
    Ok(shown)
}

/// The largest number of versions of a project that are read.
const MAX_VERSIONS: usize = 200;

/// Returns the names of the versions of a project, in the order of the project.
///
/// # Errors
/// Those of the site.
pub(crate) async fn version_names(jira: &Jira, project: &str) -> Result<Vec<String>, ToolError> {
    let found = jira.versions(project, MAX_VERSIONS, None).await?;
    Ok(found.items.iter().filter_map(|it| it["name"].as_str().map(ToOwned::to_owned)).collect())
}

/// The active sprint of a board; several where sprints run at once.
#[derive(Debug)]
pub(crate) struct ActiveSprint {
    board: Value,
    /// The sprints, each with its issues and how far it is.
    pub(crate) sprints: Vec<Value>,
}

impl ActiveSprint {
    pub(crate) fn into_value(self) -> Value {
        json!({ "board": self.board, "sprints": self.sprints })
    }
}

/// Returns the active sprint of a board.
///
/// # Errors
/// Those of the site, such as a board without sprints.
///
/// Source: `GET /rest/agile/1.0/board/{id}/configuration`, `…/sprint`, `/rest/agile/1.0/sprint/{id}/issue`.
pub(crate) async fn active_sprint(jira: &Jira, board: &str) -> Result<ActiveSprint, ToolError> {
    let slice = Slice { start: 0, limit: 50, token: None };
    let active = jira.sprints(board, Some("active"), slice).await?.items;
    let configuration: Value =
        jira.site().json(Request::get(jira.agile(["board", board, "configuration"]))).await?;
    let estimate = configuration["estimation"]["field"]["fieldId"].as_str();
    let mut sprints = Vec::new();
    for sprint in active {
        sprints.push(with_issues(jira, sprint, estimate).await?);
    }
    let board =
        json!({ "id": configuration["id"], "name": configuration["name"], "type": configuration["type"] });
    Ok(ActiveSprint { board, sprints })
}

async fn with_issues(jira: &Jira, mut sprint: Value, estimate: Option<&str>) -> Result<Value, ToolError> {
    let known = jira.fields().await?;
    let fields = estimate.map_or_else(|| IN_SPRINT.to_owned(), |it| format!("{IN_SPRINT},{it}"));
    let id = sprint["id"].to_string();
    let (mut issues, mut cast, mut token) = (Vec::new(), Cast::default(), None);
    let mut progress = Progress::default();
    loop {
        let slice = Slice { start: 0, limit: PAGE, token: token.as_deref() };
        let found = jira.sprint_issues(&id, BoardIssues { jql: "", fields: &fields, slice }).await?;
        for issue in &found.issues {
            progress.add(issue, estimate);
            issues.push(view(jira, &known, issue, &mut cast));
        }
        token = found.next;
        if token.is_none() || issues.len() >= MAX_IN_SPRINT {
            break;
        }
    }
    sprint["progress"] = progress.shown(estimate.is_some());
    sprint["issues"] = json!(issues);
    sprint["is_complete"] = json!(token.is_none());
    Ok(sprint)
}

/// The issues and points in each category of statuses.
#[derive(Debug, Default)]
struct Progress([(u64, f64); 3]);

impl Progress {
    fn add(&mut self, issue: &Issue, estimate: Option<&str>) {
        let status = issue.value("status");
        let at = match status["statusCategory"]["key"].as_str() {
            Some("done") => 2,
            Some("indeterminate") => 1,
            _ => 0,
        };
        self.0[at].0 += 1;
        self.0[at].1 += estimate.and_then(|it| issue.value(it).as_f64()).unwrap_or_default();
    }

    fn shown(&self, has_points: bool) -> Value {
        let mut shown = Map::new();
        for (name, (issues, points)) in ["to_do", "in_progress", "done"].into_iter().zip(self.0) {
            let mut one = json!({ "issues": issues });
            if has_points {
                one["points"] = json!(points);
            }
            shown.insert(name.to_owned(), one);
        }
        Value::Object(shown)
    }
}
