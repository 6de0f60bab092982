//! Projects, and their components.
//!
//! In: a part of a name, or the key of a project. Out: short views, a page at a time. A server that is limited to projects lists those only.

use plainwire::ToolError;
use serde_json::{Value, json};

use super::Jira;
use super::dialect::Projects;
use super::paging::{Part, part};
use super::people::{Among, Person};
use crate::rest::{Kind, PageToken, Request, Style, Upstream};
use crate::write::{FieldChange, How, Inverse, Plan, Restore, Step};

/// The projects that a list is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Archived {
    /// Without those that are archived.
    LeftOut,
    /// All.
    Listed,
}

/// A component to make.
#[derive(Debug)]
pub struct NewComponent<'a> {
    /// The key of the project.
    pub project: &'a str,
    /// The name.
    pub name: &'a str,
    /// What it is for.
    pub description: Option<&'a str>,
    /// The person who leads it.
    pub lead: Option<&'a str>,
    /// Who gets new issues of it: `PROJECT_DEFAULT`, `COMPONENT_LEAD`, `PROJECT_LEAD` or `UNASSIGNED`.
    pub assignee_type: Option<&'a str>,
}

impl Jira {
    /// Returns a page of projects whose key or name has a text; at most 100.
    ///
    /// # Errors
    /// Those of the site; a token of no page.
    ///
    /// Source: Cloud `GET /rest/api/3/project/search`, Data Center `GET /rest/api/2/project`.
    pub async fn find_projects(
        &self,
        text: &str,
        archived: Archived,
        most: usize,
        token: Option<&str>,
    ) -> Result<Part<Value>, ToolError> {
        let token = token.map(str::trim).filter(|it| !it.is_empty());
        let text = text.trim().to_lowercase();
        let fits = |it: &Value| {
            let has = |name: &str| it[name].as_str().is_some_and(|it| it.to_lowercase().contains(&text));
            (has("key") || has("name")) && (archived == Archived::Listed || it["archived"] != true)
        };
        let all = match (self.projects().is_empty(), self.dialect().projects) {
            (false, _) => self.own_projects().await?,
            (true, Projects::All) => {
                let request = self
                    .get(["project"])
                    .query("includeArchived", (archived == Archived::Listed).to_string());
                self.site().json(request).await?
            }
            (true, Projects::Pages) => {
                let mut request = self
                    .get(["project", "search"])
                    .query("maxResults", most.to_string())
                    .query("orderBy", "key");
                if !text.is_empty() {
                    request = request.query("query", &text);
                }
                if archived == Archived::Listed {
                    request = request.query("status", "live").query("status", "archived");
                }
                let mut pages = self.site().pages(request, Style::StartAt { items: "values" });
                if let Some(token) = token {
                    pages = pages.after(&PageToken::new(token));
                }
                let Some(page) = pages.next().await? else { return part(Vec::new(), most, None) };
                let items: Vec<_> = page.items.iter().map(shown).collect();
                let total = page.total.unwrap_or(items.len() as u64);
                return Ok(Part { total, items, next: page.next.map(|it| it.as_str().to_owned()) });
            }
        };
        part(all.iter().filter(|it| fits(it)).map(shown).collect(), most, token)
    }

    /// Returns the projects that the server is limited to, those left out that the account may not see.
    async fn own_projects(&self) -> Result<Vec<Value>, Upstream> {
        let mut all = Vec::new();
        for key in self.projects() {
            let found: Result<Value, Upstream> = self.site().json(self.get(["project", key.as_str()])).await;
            match found {
                Ok(project) => all.push(project),
                Err(error) if error.kind() == Kind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// Returns a page of the components of a project.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/api/{v}/project/{key}/components`.
    pub async fn components(
        &self,
        project: &str,
        most: usize,
        token: Option<&str>,
    ) -> Result<Part<Value>, ToolError> {
        let all: Vec<Value> = self.site().json(self.get(["project", project, "components"])).await?;
        let all = all.iter().map(|it| {
            let mut shown = json!({ "id": it["id"], "name": it["name"] });
            put(&mut shown, "description", &it["description"]);
            put(&mut shown, "lead", &it["lead"]["displayName"]);
            put(&mut shown, "assignee_type", &it["assigneeType"]);
            shown
        });
        part(all.collect(), most, token)
    }

    /// Plans a new component.
    ///
    /// # Errors
    /// A lead who is not clear.
    ///
    /// Source: `POST /rest/api/{v}/component`.
    pub async fn plan_component(&self, new: NewComponent<'_>) -> Result<Plan, ToolError> {
        let mut body = json!({ "project": new.project, "name": new.name });
        let mut changes = vec![FieldChange::new("name", Value::Null, new.name)];
        if let Some(description) = new.description {
            body["description"] = json!(description);
            changes.push(FieldChange::new("description", Value::Null, description));
        }
        if let Some(lead) = new.lead {
            let person: Person = self.person(lead, Among::All, "lead").await?;
            body[self.dialect().component_lead] = json!(person.id());
            changes.push(FieldChange::new("lead", Value::Null, person.display_name));
        }
        if let Some(kind) = new.assignee_type {
            let kind = kind.trim().to_uppercase().replace([' ', '-'], "_");
            changes.push(FieldChange::new("assignee type", Value::Null, kind.as_str()));
            body["assigneeType"] = json!(kind);
        }
        let made =
            Restore { path: self.path(["component", "{component}"]), how: How::Delete { query: Vec::new() } };
        Ok(Plan {
            tool: "jira_create_component",
            target: new.project.to_owned(),
            summary: format!("make the component {:?} in {}", new.name, new.project),
            changes,
            steps: vec![Step::kept(Request::post(self.path(["component"])).json(&body), "component")],
            inverse: Inverse::Steps(vec![made]),
            warnings: Vec::new(),
        })
    }
}

/// Returns the view of a project.
fn shown(it: &Value) -> Value {
    let mut shown = json!({ "key": it["key"], "name": it["name"], "id": it["id"] });
    put(&mut shown, "type", &it["projectTypeKey"]);
    put(&mut shown, "lead", &it["lead"]["displayName"]);
    if it["archived"] == true {
        shown["archived"] = json!(true);
    }
    shown
}

/// Adds a text that says something.
pub(super) fn put(shown: &mut Value, name: &str, text: &Value) {
    if text.as_str().is_some_and(|it| !it.is_empty()) {
        shown[name] = text.clone();
    }
}
