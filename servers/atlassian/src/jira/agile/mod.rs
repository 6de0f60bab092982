//! Boards, sprints, and the issues on them.
//!
//! In: ids, names and JQL. Out: boards, sprints and issues. `plan` has the changes of sprints, `moves` those of where issues are;
//! `named` finds sprints by name. If the server is limited to projects, a board is one of theirs, and so are the issues on it.

mod moves;
mod named;
mod plan;
mod ranks;

use plainwire::ToolError;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Jira;
use super::paging::{Part, part};
use super::search::Found;
use super::shown::moment;
use crate::rest::{Page, PageToken, Request, Style, Upstream};

pub use plan::SprintFields;

/// The largest number of issues that one request may move.
const MAX_MOVED: usize = 50;

/// The largest number of projects of a board that are looked at, and of boards of a project.
const MAX_LISTED: usize = 500;

/// A page of a list.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    /// The number of elements to skip.
    pub start: u64,
    /// The largest number of elements.
    pub limit: u64,
    /// Where an earlier page ended; it wins over `start`.
    pub token: Option<&'a str>,
}

impl Slice<'_> {
    /// Returns this page of a list that the site answers whole.
    pub(super) fn of<T>(&self, all: Vec<T>) -> Result<Part<T>, ToolError> {
        let start = self.start.to_string();
        part(all, usize::try_from(self.limit).unwrap_or(usize::MAX), Some(self.token.unwrap_or(&start)))
    }
}

/// Elements of a list.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// The elements, as a reader needs them.
    pub items: Vec<Value>,
    /// Where the next page begins.
    pub next: Option<String>,
}

/// The boards that are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Boards<'a> {
    /// A part of the name.
    pub name: Option<&'a str>,
    /// The key of a project.
    pub project: Option<&'a str>,
    /// `scrum` or `kanban`.
    pub kind: Option<&'a str>,
}

/// The issues of a board or a sprint that are wanted.
#[derive(Clone, Copy, Debug)]
pub struct BoardIssues<'a> {
    /// JQL that limits them further.
    pub jql: &'a str,
    /// The fields, as ids with commas between them.
    pub fields: &'a str,
    /// The page.
    pub slice: Slice<'a>,
}

impl Jira {
    /// Returns the path of something in the API of boards.
    pub fn agile<'a>(&self, rest: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        ["rest", "agile", "1.0"].into_iter().chain(rest).map(ToOwned::to_owned).collect()
    }

    /// Reads the id of a board that the server may touch.
    ///
    /// # Errors
    /// Text that is no id; a board without a project of the server.
    pub async fn board_id(&self, text: &str) -> Result<String, ToolError> {
        let id = number(text, "a board", "jira_get_agile_boards")?;
        self.allow_board(&id, &format!("the board {id}")).await?;
        Ok(id)
    }

    /// Returns a sprint that the server may touch, by its id; an open one also by its name, or as `current sprint`.
    ///
    /// # Errors
    /// No such sprint; several, as a question; those of the site; a sprint of a board without a project of the server.
    ///
    /// Source: `GET /rest/agile/1.0/sprint/{id}`.
    pub async fn sprint(&self, text: &str) -> Result<Value, ToolError> {
        let id = match number(text, "a sprint", "jira_get_sprints_from_board") {
            Ok(id) => id,
            Err(_) if !text.trim().is_empty() => {
                self.open_sprint(text, None, Some("sprint_id")).await?.to_string()
            }
            Err(nothing) => return Err(nothing),
        };
        let sprint: Value = self.site().json(Request::get(self.agile(["sprint", &id]))).await?;
        let board = sprint["originBoardId"].to_string();
        self.allow_board(&board, &format!("the sprint {id}")).await?;
        Ok(sprint)
    }

    async fn allow_board(&self, id: &str, what: &str) -> Result<(), ToolError> {
        if self.projects().is_empty() {
            return Ok(());
        }
        let request = Request::get(self.agile(["board", id, "project"]));
        let page = self.site().pages(request, Style::StartAt { items: "values" }).collect(MAX_LISTED).await?;
        for project in &page.items {
            if self.may_touch(project).await? {
                return Ok(());
            }
        }
        Err(ToolError::new("forbidden", format!("{what} is not of a project that this server may touch"))
            .hint(format!("it may touch {}", self.projects().join(", "))))
    }

    /// Returns a page of boards.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/agile/1.0/board`.
    pub async fn boards(&self, wanted: Boards<'_>, slice: Slice<'_>) -> Result<Listed, ToolError> {
        let request = |project: Option<&str>| {
            let request = Request::get(self.agile(["board"])).maybe_query("name", wanted.name);
            request.maybe_query("type", wanted.kind).maybe_query("projectKeyOrId", project)
        };
        if wanted.project.is_some() || self.projects().is_empty() {
            let page = self.listed(request(wanted.project), slice).await?;
            return Ok(Listed { items: page.items.iter().map(shown_board).collect(), ..page });
        }
        // The API takes one project: those of the server are asked for in turn.
        let mut all: Vec<Value> = Vec::new();
        for project in self.projects() {
            let found = self.site().pages(request(Some(project)), Style::StartAt { items: "values" });
            named::add_new(&mut all, found.collect(MAX_LISTED).await?.items);
        }
        let part = slice.of(all)?;
        Ok(Listed { items: part.items.iter().map(shown_board).collect(), next: part.next })
    }

    /// Returns a page of the sprints of a board: those in the states, which have commas between them.
    ///
    /// # Errors
    /// Those of the site, such as a board without sprints.
    ///
    /// Source: `GET /rest/agile/1.0/board/{id}/sprint`.
    pub async fn sprints(
        &self,
        board: &str,
        state: Option<&str>,
        slice: Slice<'_>,
    ) -> Result<Listed, Upstream> {
        let request = Request::get(self.agile(["board", board, "sprint"])).maybe_query("state", state);
        let page = self.listed(request, slice).await?;
        Ok(Listed { items: page.items.iter().map(shown_sprint).collect(), ..page })
    }

    async fn listed(&self, request: Request, slice: Slice<'_>) -> Result<Listed, Upstream> {
        let page: Page = self.one_page(request, slice, "values").await?;
        Ok(Listed { items: page.items, next: page.next.map(|it| it.as_str().to_owned()) })
    }

    async fn one_page<T: DeserializeOwned>(
        &self,
        request: Request,
        slice: Slice<'_>,
        items: &'static str,
    ) -> Result<Page<T>, Upstream> {
        let request =
            request.query("startAt", slice.start.to_string()).query("maxResults", slice.limit.to_string());
        let mut pages = self.site().pages_of(request, Style::StartAt { items });
        if let Some(token) = slice.token {
            pages = pages.after(&PageToken::new(token));
        }
        Ok(pages.next().await?.unwrap_or_default())
    }

    /// Returns a page of the issues of a board, in their order there.
    ///
    /// # Errors
    /// Those of the site; JQL that is not closed.
    ///
    /// Source: `GET /rest/agile/1.0/board/{id}/issue`.
    pub async fn board_issues(&self, board: &str, wanted: BoardIssues<'_>) -> Result<Found, ToolError> {
        self.agile_issues(self.agile(["board", board, "issue"]), wanted).await
    }

    /// Returns a page of the issues of a sprint, in their order there.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/agile/1.0/sprint/{id}/issue`.
    pub async fn sprint_issues(&self, sprint: &str, wanted: BoardIssues<'_>) -> Result<Found, ToolError> {
        self.agile_issues(self.agile(["sprint", sprint, "issue"]), wanted).await
    }

    async fn agile_issues(&self, path: Vec<String>, wanted: BoardIssues<'_>) -> Result<Found, ToolError> {
        let jql = self.limited(wanted.jql).await?;
        let request = Request::get(path)
            .query("fields", wanted.fields)
            .maybe_query("jql", Some(jql).filter(|it| !it.is_empty()));
        Ok(self.one_page(request, wanted.slice, "issues").await?.into())
    }
}

/// Reads the id of something that has a number.
fn number(text: &str, what: &str, finder: &str) -> Result<String, ToolError> {
    let id = text.trim();
    let is_id = !id.is_empty() && id.len() < 20 && id.bytes().all(|it| it.is_ascii_digit());
    if is_id {
        return Ok(id.to_owned());
    }
    let message = format!("expected the number of {what}, but found {text:?}");
    Err(ToolError::invalid_input(message).hint(format!("{finder} lists them")))
}

fn shown_board(board: &Value) -> Value {
    let mut shown = json!({ "id": board["id"], "name": board["name"], "type": board["type"] });
    if let Some(project) = board["location"].get("projectKey") {
        shown["project"] = project.clone();
    }
    shown
}

/// Returns the view of a sprint.
pub fn shown_sprint(sprint: &Value) -> Value {
    let mut shown = json!({ "id": sprint["id"], "name": sprint["name"], "state": sprint["state"] });
    if sprint["goal"].as_str().is_some_and(|it| !it.is_empty()) {
        shown["goal"] = sprint["goal"].clone();
    }
    for (from, to) in [("startDate", "start"), ("endDate", "end"), ("completeDate", "completed")] {
        if let Some(time) = sprint[from].as_str() {
            shown[to] = json!(moment(time));
        }
    }
    shown
}
