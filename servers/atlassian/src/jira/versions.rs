//! Versions of projects: the releases that issues are fixed in or affect.
//!
//! In: the key of a project, or the id of a version. Out: views and plans. Dates are days such as 2026-11-27.

use plainwire::ToolError;
use serde_json::{Map, Value, json};

use super::Jira;
use super::paging::Part;
use super::projects::put;
use crate::rest::{PageToken, Request, Style};
use crate::write::{FieldChange, How, Inverse, Plan, Restore, Step};

/// A version to make, or what is to change of one.
#[derive(Clone, Debug, Default)]
pub struct VersionFields {
    /// The name.
    pub name: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// The day on which work starts; empty for none.
    pub start_date: Option<String>,
    /// The day of the release; empty for none.
    pub release_date: Option<String>,
    /// Whether it is hidden.
    pub archived: Option<bool>,
    /// Whether it is out.
    pub released: Option<bool>,
}

impl VersionFields {
    /// Returns the members of a request.
    ///
    /// # Errors
    /// A date that is no day.
    fn members(&self) -> Result<Map<String, Value>, ToolError> {
        let mut members = Map::new();
        let mut add = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                members.insert(name.to_owned(), value);
            }
        };
        add("name", self.name.as_ref().map(|it| json!(it)));
        add("description", self.description.as_ref().map(|it| json!(it)));
        add("startDate", self.start_date.as_deref().map(|it| day("start_date", it)).transpose()?);
        add("releaseDate", self.release_date.as_deref().map(|it| day("release_date", it)).transpose()?);
        add("archived", self.archived.map(|it| json!(it)));
        add("released", self.released.map(|it| json!(it)));
        Ok(members)
    }
}

/// Reads a day; an empty one is null.
fn day(argument: &str, text: &str) -> Result<Value, ToolError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Value::Null);
    }
    let is_day = text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok();
    let wrong = || {
        ToolError::invalid_input(format!(
            "expected `{argument}` to be a day such as 2026-11-27, but found {text:?}"
        ))
    };
    is_day.then(|| json!(text)).ok_or_else(wrong)
}

/// Returns the name of a member in answers of this server.
fn shown_name(member: &str) -> &str {
    match member {
        "startDate" => "start_date",
        "releaseDate" => "release_date",
        member => member,
    }
}

impl Jira {
    /// Returns a page of the versions of a project, in the order of the project.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/api/{v}/project/{key}/version`.
    pub async fn versions(
        &self,
        project: &str,
        most: usize,
        token: Option<&str>,
    ) -> Result<Part<Value>, ToolError> {
        let request = self.get(["project", project, "version"]).query("maxResults", most.to_string());
        let mut pages = self.site().pages(request, Style::StartAt { items: "values" });
        if let Some(token) = token.map(str::trim).filter(|it| !it.is_empty()) {
            pages = pages.after(&PageToken::new(token));
        }
        let Some(page) = pages.next().await? else {
            return Ok(Part { items: Vec::new(), total: 0, next: None });
        };
        let items: Vec<_> = page.items.iter().map(shown).collect();
        Ok(Part {
            total: page.total.unwrap_or(items.len() as u64),
            items,
            next: page.next.map(|it| it.as_str().to_owned()),
        })
    }

    /// Returns the number of a project, by which new versions name it.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn project_number(&self, project: &str) -> Result<i64, ToolError> {
        let found: Value = self.site().json(self.get(["project", project])).await?;
        let number = found["id"].as_str().and_then(|it| it.parse().ok());
        number.ok_or_else(|| {
            ToolError::new("upstream", format!("the site told no id of the project {project}"))
        })
    }

    /// Plans a new version.
    ///
    /// # Errors
    /// No name; a date that is no day.
    ///
    /// Source: `POST /rest/api/{v}/version`, and to take it back `POST /rest/api/{v}/version/{id}/removeAndSwap`.
    pub fn plan_version(
        &self,
        tool: &'static str,
        project: &str,
        number: i64,
        new: &VersionFields,
    ) -> Result<Plan, ToolError> {
        let name = new.name.as_deref().map(str::trim).unwrap_or_default();
        if name.is_empty() {
            return Err(ToolError::invalid_input("expected `name` of the version, but found nothing"));
        }
        let mut body = new.members()?;
        body.retain(|_, value| !value.is_null());
        let changes = body
            .iter()
            .map(|(name, value)| FieldChange::new(shown_name(name), Value::Null, value.clone()))
            .collect();
        body.insert("projectId".to_owned(), json!(number));
        let how = How::Send { method: "POST".to_owned(), body: json!({}) };
        let made = Restore { path: self.path(["version", "{version}", "removeAndSwap"]), how };
        Ok(Plan {
            tool,
            target: project.to_owned(),
            summary: format!("make the version {name:?} in {project}"),
            changes,
            steps: vec![Step::kept(Request::post(self.path(["version"])).json(&body), "version")],
            inverse: Inverse::Steps(vec![made]),
            warnings: Vec::new(),
        })
    }

    /// Plans a change of a version, which has to be of a project that the server may touch.
    ///
    /// # Errors
    /// Nothing to change; a date that is no day.
    ///
    /// Source: `PUT /rest/api/{v}/version/{id}`.
    pub async fn plan_version_change(&self, id: &str, wanted: &VersionFields) -> Result<Plan, ToolError> {
        let mut body = wanted.members()?;
        if body.is_empty() {
            return Err(ToolError::invalid_input("expected at least one thing to change, but found none"));
        }
        let now: Value = self.site().json(self.get(["version", id])).await?;
        let project = self.project_key(&now["projectId"].to_string()).await?;
        let old = |name: &str| match (&now[name], name) {
            (Value::Null, "description") => json!(""),
            (Value::Null, "archived" | "released") => json!(false),
            (value, _) => value.clone(),
        };
        body.retain(|name, value| *value != old(name));
        let before: Map<String, Value> = body.keys().map(|name| (name.clone(), old(name))).collect();
        let changes = body
            .iter()
            .map(|(name, value)| FieldChange::new(shown_name(name), old(name), value.clone()))
            .collect();
        let path = self.path(["version", id]);
        let is_same = body.is_empty();
        let (mut steps, mut inverse) = (Vec::new(), Vec::new());
        if !is_same {
            steps.push(Step::kept(Request::put(path.clone()).json(&body), "version"));
            inverse.push(Restore {
                path,
                how: How::Members { before: Value::Object(before), after: json!({}) },
            });
        }
        let name = now["name"].as_str().unwrap_or(id);
        Ok(Plan {
            tool: "jira_update_version",
            target: id.to_owned(),
            summary: format!("change the version {name:?} of the project {project}"),
            changes,
            steps,
            inverse: Inverse::Steps(inverse),
            warnings: if is_same {
                vec!["nothing is to be done: the version is so already".to_owned()]
            } else {
                Vec::new()
            },
        })
    }
}

/// Returns the view of a version.
pub fn shown(it: &Value) -> Value {
    let mut shown = json!({ "id": it["id"], "name": it["name"], "released": it["released"] == true });
    put(&mut shown, "description", &it["description"]);
    put(&mut shown, "start_date", &it["startDate"]);
    put(&mut shown, "release_date", &it["releaseDate"]);
    for name in ["archived", "overdue"] {
        if it[name] == true {
            shown[name] = json!(true);
        }
    }
    shown
}
