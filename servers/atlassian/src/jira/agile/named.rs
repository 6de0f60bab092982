//! Sprints as people say them: by their names, and `current sprint`.
//!
//! In: a name, and perhaps a project. Out: the id of an active or future sprint. Of several, none is taken: the caller is asked.

use plainwire::ToolError;
use serde_json::{Value, json};

use super::Jira;
use crate::jira::question::question;
use crate::rest::Request;

/// The largest number of boards whose sprints are looked at for a name.
const MAX_BOARDS: usize = 50;

impl Jira {
    /// Returns the id of the active sprint (`current sprint`), or of the active or future sprint with the name: of a project, or
    /// of all projects that the server may touch.
    ///
    /// # Errors
    /// No such sprint, and several, as a question; no open sprint at all; more than 50 boards; those of the site.
    pub(in crate::jira) async fn open_sprint(
        &self,
        named: &str,
        project: Option<&str>,
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
        Err(question(reason, "Which sprint?", None, choices))
    }

    /// Returns the active and future sprints of the boards of a project, or of all that the server may touch.
    ///
    /// Source: `GET /rest/agile/1.0/board/{id}/sprint`.
    async fn open_sprints(&self, project: Option<&str>) -> Result<Vec<Value>, ToolError> {
        let mut sprints: Vec<Value> = Vec::new();
        for board in self.scrum_boards(project).await? {
            let request =
                Request::get(self.agile(["board", &board, "sprint"])).query("state", "active,future");
            let page: Value = self.site().json(request).await?;
            for sprint in page["values"].as_array().into_iter().flatten() {
                if !sprints.iter().any(|it| it["id"] == sprint["id"]) {
                    sprints.push(sprint.clone());
                }
            }
        }
        Ok(sprints)
    }

    async fn scrum_boards(&self, project: Option<&str>) -> Result<Vec<String>, ToolError> {
        let projects: Vec<Option<&str>> = match project {
            Some(_) => vec![project],
            None if self.projects().is_empty() => vec![None],
            None => self.projects().iter().map(|it| Some(it.as_str())).collect(),
        };
        let mut boards = Vec::new();
        for project in projects {
            let request = Request::get(self.agile(["board"])).maybe_query("projectKeyOrId", project);
            let page: Value = self.site().json(request.query("type", "scrum")).await?;
            for board in page["values"].as_array().into_iter().flatten() {
                let id = board["id"].to_string();
                // A board may have issues of several projects.
                if !boards.contains(&id) {
                    boards.push(id);
                }
            }
            if boards.len() > MAX_BOARDS || page["isLast"] == json!(false) {
                let text = format!(
                    "expected the number of a sprint: there are more than {MAX_BOARDS} boards to look for a name"
                );
                return Err(ToolError::invalid_input(text)
                    .hint("jira_get_sprints_from_board lists the sprints of a board"));
            }
        }
        Ok(boards)
    }
}
