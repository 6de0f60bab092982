//! Development: the branches, commits, pull requests and builds that tools such as Bitbucket or GitHub tell of an issue.
//!
//! In: the key of an issue. Out: what its panel of development shows. Jira has no documented API for it: these are the requests of that panel,
//! which both deployments answer, and which may change.

use std::collections::BTreeMap;

use plainwire::ToolError;
use serde_json::{Map, Value, json};

use super::Jira;
use super::shown::moment;
use crate::rest::{Kind, Request, Upstream};

/// The largest number of things of a kind that are shown of an issue.
const MAX_SHOWN: usize = 50;

/// What is wanted of the development of issues.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// The type of the tool, such as `GitHub`; Jira distinguishes capital letters.
    pub application: Option<&'a str>,
    /// `pullrequest`, `branch`, `repository`, `build`, `deployment-environment` or `review`.
    pub data: Option<&'a str>,
}

impl Jira {
    /// Returns the development of an issue.
    ///
    /// # Errors
    /// Those of the site, such as `Forbidden` for an account that may not see it.
    ///
    /// Source: `GET /rest/dev-status/1.0/issue/summary` and `detail`, undocumented.
    pub async fn development(&self, key: &str, wanted: Wanted<'_>) -> Result<Value, ToolError> {
        let issue = self.issue(key, "summary", &[]).await?;
        let ask = |what: &str| {
            Request::get(["rest", "dev-status", "1.0", "issue", what]).query("issueId", &issue.id)
        };
        let summary: Value = self.site().json(ask("summary")).await.map_err(without_panel)?;
        let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
        let mut shown = json!({ "key": issue.key });
        let mut all: BTreeMap<&'static str, Vec<Value>> = BTreeMap::new();
        let mut unread = Vec::new();
        for (data, found) in summary["summary"].as_object().into_iter().flatten() {
            if wanted.data.is_some_and(|it| !same(it, data)) || found["overall"]["count"] == 0 {
                continue;
            }
            for (application, instance) in found["byInstanceType"].as_object().into_iter().flatten() {
                let name = instance["name"].as_str().unwrap_or_default();
                if wanted.application.is_some_and(|it| !same(it, application) && !same(it, name)) {
                    continue;
                }
                let request = ask("detail").query("applicationType", application).query("dataType", data);
                let answer: Value = self.site().json(request).await?;
                let details = answer["detail"].as_array().cloned().unwrap_or_default();
                if details.is_empty() {
                    unread.push(format!("{data} of {application}"));
                }
                for detail in &details {
                    add(&mut all, detail);
                }
            }
        }
        for (name, mut things) in all {
            if things.len() > MAX_SHOWN {
                shown[format!("more_{name}")] = json!(things.len() - MAX_SHOWN);
                things.truncate(MAX_SHOWN);
            }
            shown[name] = Value::Array(things);
        }
        if !unread.is_empty() {
            shown["without_details"] = json!(unread);
        }
        Ok(shown)
    }
}

/// Explains an error of a site that does not have the panel.
fn without_panel(error: Upstream) -> ToolError {
    let is_missing = matches!(error.kind(), Kind::NotFound | Kind::Gone) || error.status() == Some(501);
    let error = ToolError::from(error);
    if is_missing {
        error.hint("this site has no development panel: no tool such as Bitbucket or GitHub is connected")
    } else {
        error
    }
}

/// A function that shows a thing of the answer.
type View = fn(&Value) -> Value;

/// Adds what a tool tells.
fn add(all: &mut BTreeMap<&'static str, Vec<Value>>, detail: &Value) {
    let lists: [(&'static str, &str, View); 5] = [
        ("pull_requests", "pullRequests", pull_request),
        ("branches", "branches", branch),
        ("commits", "commits", commit),
        ("builds", "builds", other),
        ("deployments", "deployments", other),
    ];
    let mut push = |name: &'static str, value: Value| {
        let known = all.entry(name).or_default();
        if !known.contains(&value) {
            known.push(value);
        }
    };
    for (name, member, view) in lists {
        for thing in detail[member].as_array().into_iter().flatten() {
            push(name, view(thing));
        }
    }
    for repository in detail["repositories"].as_array().into_iter().flatten() {
        for thing in repository["commits"].as_array().into_iter().flatten() {
            let mut shown = commit(thing);
            shown["repository"] = repository["name"].clone();
            push("commits", shown);
        }
    }
}

/// Returns an object of the members that have a value.
fn view<'a>(members: impl IntoIterator<Item = (&'a str, &'a Value)>) -> Value {
    let kept = members.into_iter().filter(|(_, it)| !it.is_null() && **it != "");
    let shown = kept.map(|(name, it)| {
        let is_time = matches!(name, "updated" | "when");
        let value = it.as_str().filter(|_| is_time).map_or_else(|| it.clone(), |it| json!(moment(it)));
        (name.to_owned(), value)
    });
    Value::Object(shown.collect::<Map<_, _>>())
}

fn pull_request(it: &Value) -> Value {
    view([
        ("id", &it["id"]),
        ("title", &it["name"]),
        ("status", &it["status"]),
        ("url", &it["url"]),
        ("author", &it["author"]["name"]),
        ("from", &it["source"]["branch"]),
        ("to", &it["destination"]["branch"]),
        ("updated", &it["lastUpdate"]),
    ])
}

fn branch(it: &Value) -> Value {
    view([
        ("name", &it["name"]),
        ("url", &it["url"]),
        ("repository", &it["repository"]["name"]),
        ("last_commit", &it["lastCommit"]["displayId"]),
    ])
}

fn commit(it: &Value) -> Value {
    view([
        ("id", &it["displayId"]),
        ("message", &it["message"]),
        ("url", &it["url"]),
        ("author", &it["author"]["name"]),
        ("when", &it["authorTimestamp"]),
        ("repository", &it["repository"]["name"]),
    ])
}

fn other(it: &Value) -> Value {
    let name = if it["name"].is_null() { &it["displayName"] } else { &it["name"] };
    view([
        ("name", name),
        ("state", &it["state"]),
        ("url", &it["url"]),
        ("environment", &it["environment"]["displayName"]),
        ("updated", &it["lastUpdated"]),
    ])
}
