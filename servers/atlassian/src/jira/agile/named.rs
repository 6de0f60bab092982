//! Sprints as people say them: by their names, and `current sprint`.
//!
//! In: a name, and perhaps a project. Out: the id of an active or future sprint. Of several, none is taken: the caller is asked.

use plainwire::ToolError;
use serde_json::Value;

use super::Jira;
use crate::jira::question::question;
use crate::rest::{Request, Style};

/// The largest number of boards whose sprints are looked at for a name.
const MAX_BOARDS: usize = 50;

/// The largest number of open sprints of a board that are looked at for a name.
const MAX_SPRINTS: usize = 500;

impl Jira {
    /// Returns the id of the active sprint (`current sprint`), or of the active or future sprint with the name: of a project, or
    /// of all projects that the server may touch.
    ///
    /// # Errors
    /// No such sprint, and several, as a question; no open sprint at all; more than 50 boards, or 500 open sprints of one; those of the site.
    pub(in crate::jira) async fn open_sprint(
        &self,
        named: &str,
        project: Option<&str>,
        argument: Option<&str>,
    ) -> Result<Value, ToolError> {
        let wanted = named.trim().to_lowercase();
        let is_current = matches!(wanted.as_str(), "current sprint" | "current" | "active" | "active sprint");
        let sprints = self.open_sprints(project).await?;
        let fits = |it: &&Value| match is_current {
            true => it["state"] == "active",
            false => it["name"].as_str().is_some_and(|name| name.to_lowercase() == wanted),
        };
        let found: Vec<_> = sprints.iter().filter(fits).collect();
        if let [sprint] = found.as_slice() {
            return Ok(sprint["id"].clone());
        }
        let place = project.map(|it| format!(" of the project {it}")).unwrap_or_default();
        let reason = match found.len() {
            0 => format!("no open sprint{place} is {named:?}"),
            many => format!("{many} open sprints{place} fit {named:?}"),
        };
        let offered = if found.is_empty() { sprints.iter().collect() } else { found };
        if offered.is_empty() {
            let hint =
                "jira_get_sprints_from_board lists sprints, also those that are over; their numbers work";
            return Err(ToolError::invalid_input(reason).hint(hint));
        }
        let choices = offered.iter().map(|it| {
            let name = it["name"].as_str().unwrap_or_default();
            (it["id"].to_string(), format!("{name}, {}", it["state"].as_str().unwrap_or_default()))
        });
        Err(question(reason, "Which sprint?", argument, choices))
    }

    /// Returns the active and future sprints of the boards of a project, or of all that the server may touch.
    ///
    /// Source: `GET /rest/agile/1.0/board/{id}/sprint`.
    async fn open_sprints(&self, project: Option<&str>) -> Result<Vec<Value>, ToolError> {
        let mut sprints: Vec<Value> = Vec::new();
        for board in self.scrum_boards(project).await? {
            let request = Request::get(self.agile(["board", &board["id"].to_string(), "sprint"]));
            let request = request.query("state", "active,future");
            // A sprint may be on several boards.
            add_new(&mut sprints, self.all(request, MAX_SPRINTS, "sprints").await?);
        }
        Ok(sprints)
    }

    async fn scrum_boards(&self, project: Option<&str>) -> Result<Vec<Value>, ToolError> {
        let projects: Vec<Option<&str>> = match project {
            Some(_) => vec![project],
            None if self.projects().is_empty() => vec![None],
            None => self.projects().iter().map(|it| Some(it.as_str())).collect(),
        };
        let mut boards = Vec::new();
        for project in projects {
            let request = Request::get(self.agile(["board"])).query("type", "scrum");
            let found =
                self.all(request.maybe_query("projectKeyOrId", project), MAX_BOARDS, "boards").await?;
            // A board may have issues of several projects.
            add_new(&mut boards, found);
            if boards.len() > MAX_BOARDS {
                return Err(too_many(MAX_BOARDS, "boards"));
            }
        }
        Ok(boards)
    }

    async fn all(&self, request: Request, most: usize, what: &str) -> Result<Vec<Value>, ToolError> {
        let pages = self.site().pages(request, Style::StartAt { items: "values" });
        let page = pages.collect(most + 1).await?;
        if page.items.len() > most || page.next.is_some() {
            return Err(too_many(most, what));
        }
        Ok(page.items)
    }
}

fn too_many(most: usize, what: &str) -> ToolError {
    let text =
        format!("expected the number of a sprint: there are more than {most} {what} to look for a name");
    ToolError::invalid_input(text).hint("jira_get_sprints_from_board lists the sprints of a board")
}

/// Adds those whose `id` is not there yet.
pub(super) fn add_new(all: &mut Vec<Value>, found: Vec<Value>) {
    for it in found {
        if !all.iter().any(|known| known["id"] == it["id"]) {
            all.push(it);
        }
    }
}
