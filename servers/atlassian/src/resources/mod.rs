//! Resources: what clients read and subscribe to without a tool.
//!
//! In: the key of an issue or a project, the id of a board, or JQL. Out: the same views as from the tools, as JSON. `views` has those of projects
//! and sprints, `complete` suggests values, and `watch` tells subscribers what has changed. The limit to projects holds as for tools.

pub(crate) mod complete;
pub(crate) mod views;
pub(crate) mod watch;

use plainwire::Entries;
use plainwire::handler::Json;
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::rest::quote;
use crate::tools::jira::reading::{self, GetIssue, IssueView};
use complete::{What, complete};

/// The media type of all resources.
pub(crate) const JSON: &str = "application/json";

/// The largest number of issues of a search.
const MAX_FOUND: usize = 100;

/// The resources of a server.
pub(crate) fn entries(jira: &Jira) -> Entries {
    let of_issue = |uri: &str, name: &str| {
        ResourceTemplate::new(uri, name, issue)
            .title("Issue")
            .description("An issue with its newest comments, as jira_get_issue returns it. Clients can subscribe to its changes.")
            .mime_type(JSON)
            .subscribable()
            .complete("key", complete(jira, What::Issues))
    };
    Entries::new()
        .resource_template(of_issue("jira://issues/{key}", "issue"))
        .resource_template(of_issue("jira://{key}", "issue_by_key"))
        .resource_template(
            ResourceTemplate::new("jira://projects/{key}", "project", project)
                .title("Project")
                .description("A project with its types of issues, components and open versions.")
                .mime_type(JSON)
                .complete("key", complete(jira, What::Projects)),
        )
        .resource_template(
            ResourceTemplate::new("jira://boards/{board_id}/sprint", "active_sprint", sprint)
                .title("Active sprint")
                .description(
                    "The active sprint of a board: its goal and dates, how far it is, and its issues.",
                )
                .mime_type(JSON)
                .complete("board_id", complete(jira, What::Boards)),
        )
        .resource_template(
            ResourceTemplate::new("jira://search/{+jql}", "search", search)
                .title("Search")
                .description("The issues that JQL finds, up to 100.")
                .mime_type(JSON),
        )
}

/// Returns the URIs of an issue.
pub(crate) fn uris(key: &str) -> [String; 2] {
    [format!("jira://issues/{key}"), format!("jira://{key}")]
}

/// Returns the URI of the project `key`.
pub(crate) fn project_uri(key: &str) -> String {
    format!("jira://projects/{key}")
}

/// Returns the URI of a search.
pub(crate) fn search_uri(jql: &str) -> String {
    format!("jira://search/{}", quote(jql))
}

#[data]
struct OfKey {
    key: String,
}

#[data]
struct OfBoard {
    board_id: String,
}

#[data]
struct OfJql {
    jql: String,
}

async fn issue(OfKey { key }: OfKey, jira: State<Jira>) -> Result<Json<IssueView>, ToolError> {
    reading::issue(&GetIssue::whole(key), &jira).await.map(Json)
}

async fn project(OfKey { key }: OfKey, jira: State<Jira>) -> Result<Json<Value>, ToolError> {
    let key = jira.project_key(&key).await?;
    views::project(&jira, &key).await.map(Json)
}

async fn sprint(OfBoard { board_id }: OfBoard, jira: State<Jira>) -> Result<Json<Value>, ToolError> {
    let board = jira.board_id(&board_id).await?;
    views::active_sprint(&jira, &board).await.map(|it| Json(it.into_value()))
}

async fn search(OfJql { jql }: OfJql, jira: State<Jira>) -> Result<Json<Value>, ToolError> {
    let found = views::issues(&jira, &jql, &[], MAX_FOUND).await?;
    Ok(Json(found.into_value()))
}
