//! `/rest/dev-status`: the requests of the development panel, which no document of Atlassian describes.
//!
//! In: the id of an issue, and a tool. Out: a branch, commits and a pull request of that tool. Nothing of it is stored: whether an issue has any, and
//! in which state, follows from its id and its status. Only projects of software have some.

use serde_json::{Value as Json, json};

use super::issue::visible;
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::issue::Issue;
use crate::operation::{On, Operation, operation};
use crate::time;

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("GET", "/rest/dev-status/1.0/issue/summary", On::Both, summary),
    operation("GET", "/rest/dev-status/1.0/issue/detail", On::Both, detail),
];

const HOUR: i64 = 3_600_000;

/// What was developed for an issue.
struct Work {
    branch: String,
    /// `OPEN` or `MERGED`; nothing without a pull request.
    pull_request: Option<&'static str>,
    author: String,
    /// The time of the last commit.
    last: i64,
}

/// The type of the tool that is connected, as the API names it, and its name.
fn tool(call: &Call<'_>) -> (&'static str, &'static str) {
    if call.work.is_cloud() { ("GitHub", "GitHub") } else { ("stash", "Bitbucket Server") }
}

fn issue_of(call: &Call<'_>) -> Result<Issue> {
    let id = call.query("issueId").filter(|it| it.parse::<i64>().is_ok());
    visible(call, id.ok_or_else(|| Fault::bad("The issueId is not valid."))?)
}

/// Returns what was developed; nothing for an issue that nobody began, and for every third of the others.
fn work_of(call: &Call<'_>, issue: &Issue) -> Result<Option<Work>> {
    let sql = "SELECT s.category, p.type FROM status s, project p WHERE s.id = ?1 AND p.id = ?2";
    let found: Option<(String, String)> =
        call.work
            .one(sql, (issue.ref_of("status"), issue.project_id), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some((category, kind)) = found else { return Ok(None) };
    if kind != "software" || category == "new" || issue.id % 3 == 0 {
        return Ok(None);
    }
    let words = issue.text_of("summary").unwrap_or_default().to_lowercase();
    let words: Vec<&str> =
        words.split(|it: char| !it.is_ascii_alphanumeric()).filter(|it| !it.is_empty()).take(4).collect();
    let person = issue.ref_of("assignee").or(issue.ref_of("reporter"));
    let author = match person {
        Some(id) => call.view.person(id)?["displayName"].as_str().unwrap_or_default().to_owned(),
        None => "Former user".to_owned(),
    };
    let last: Option<i64> = call
        .work
        .one("SELECT max(since) FROM held WHERE issue_id = ?1", [issue.id], |row| row.get(0))?
        .flatten();
    let pull_request = match (category.as_str(), issue.id % 2) {
        ("done", _) => Some("MERGED"),
        (_, 0) => Some("OPEN"),
        _ => None,
    };
    let branch = format!("feature/{}-{}", issue.key, words.join("-"));
    Ok(Some(Work { branch, pull_request, author, last: last.unwrap_or(issue.created) }))
}

fn summary(call: &Call<'_>) -> Result<Answer> {
    let issue = issue_of(call)?;
    let work = work_of(call, &issue)?;
    let (kind, name) = tool(call);
    let last = work.as_ref().map(|it| time::of(it.last));
    let part = |data: &str, count: usize| {
        let instances = if count > 0 { json!({ kind: { "count": count, "name": name } }) } else { json!({}) };
        json!({ "overall": { "count": count, "lastUpdated": last, "dataType": data }, "byInstanceType": instances })
    };
    let has = usize::from(work.is_some());
    let state = work.as_ref().and_then(|it| it.pull_request);
    let mut pull_requests = part("pullrequest", usize::from(state.is_some()));
    pull_requests["overall"]["stateCount"] = json!(usize::from(state.is_some()));
    pull_requests["overall"]["state"] = json!(state);
    pull_requests["overall"]["open"] = json!(state == Some("OPEN"));
    Answer::ok(json!({
        "errors": [],
        "configErrors": [],
        "summary": {
            "pullrequest": pull_requests,
            "build": part("build", 0),
            "review": part("review", 0),
            "deployment-environment": part("deployment-environment", 0),
            "repository": part("repository", has * 2),
            "branch": part("branch", has),
        },
    }))
}

/// Answers what one tool has of one kind. Its name counts with its capital letters: another one is unknown, and has nothing.
fn detail(call: &Call<'_>) -> Result<Answer> {
    let issue = issue_of(call)?;
    let (kind, name) = tool(call);
    let work = work_of(call, &issue)?.filter(|_| call.query("applicationType") == Some(kind));
    let Some(work) = work else { return Answer::ok(json!({ "errors": [], "detail": [] })) };
    let url = format!("https://{}.example/shop", kind.to_lowercase());
    let repository = json!({ "name": "shop", "avatar": "", "url": url });
    let commits: Vec<Json> = ["Make room", "Do it"]
        .iter()
        .enumerate()
        .map(|(at, words)| commit(&issue, &work, &url, at, words))
        .collect();
    let branch = json!({
        "name": work.branch, "url": format!("{url}/tree/{}", work.branch), "createPullRequestUrl": format!("{url}/compare"),
        "repository": repository, "lastCommit": commits.last(),
    });
    let pull_request = work.pull_request.map(|status| {
        json!({
            "id": format!("#{}", issue.id % 1_000), "name": format!("{} {}", issue.key, issue.text_of("summary").unwrap_or_default()),
            "author": { "name": work.author, "avatar": "" }, "commentCount": 0,
            "source": { "branch": work.branch, "url": format!("{url}/tree/{}", work.branch) },
            "destination": { "branch": "main", "url": format!("{url}/tree/main") },
            "reviewers": [], "status": status, "url": format!("{url}/pull/{}", issue.id % 1_000), "lastUpdate": time::of(work.last),
            "repositoryId": url, "repositoryName": "shop",
        })
    });
    let data = call.query("dataType").unwrap_or_default();
    let only = |wanted: &[&str], values: Vec<Json>| if wanted.contains(&data) { values } else { Vec::new() };
    let mut with_commits = repository;
    with_commits["commits"] = json!(commits);
    Answer::ok(json!({
        "errors": [],
        "detail": [{
            "branches": only(&["branch", "pullrequest"], vec![branch]),
            "pullRequests": only(&["branch", "pullrequest"], pull_request.into_iter().collect()),
            "repositories": only(&["repository"], vec![with_commits]),
            "_instance": { "singleInstance": true, "name": name, "typeName": name, "id": kind, "type": kind, "baseUrl": url },
        }],
    }))
}

fn commit(issue: &Issue, work: &Work, url: &str, at: usize, words: &str) -> Json {
    let id = format!("{:040x}", (issue.id as u128 + 1) * 0x9e37_79b9_7f4a_7c15_u128 + at as u128);
    let short = id.get(id.len() - 7..).unwrap_or_default().to_owned();
    json!({
        "id": id, "displayId": short, "authorTimestamp": time::of(work.last - (2 - at as i64) * HOUR), "merge": false,
        "fileCount": at + 1, "files": [], "url": format!("{url}/commit/{id}"), "message": format!("{} {words}", issue.key),
        "author": { "name": work.author, "avatar": "" },
    })
}
