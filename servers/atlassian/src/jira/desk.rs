//! Service desks: their queues, their request types, and requests of customers.
//!
//! In: ids, and values by the names that customers see. Out: short values, and a plan for a request. If the server is limited to projects, a desk is
//! that of one of them.

use plainwire::ToolError;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::Jira;
use super::agile::{Listed, Slice};
use super::input::Place;
use super::people::Among;
use super::question::question as ask;
use super::search::Found;
use super::text::Losses;
use crate::rest::{Page, PageToken, Request, Style, Upstream};
use crate::write::{FieldChange, How, Inverse, Plan, Restore, Step};

/// The largest number of service desks that are looked at for a project.
const MAX_DESKS: usize = 2_000;

/// A request of a customer, to make.
#[derive(Clone, Debug)]
pub struct CustomerRequest<'a> {
    /// The id of the request type.
    pub request_type: &'a str,
    /// Values by the ids of fields, or by the names that customers see.
    pub values: Map<String, Value>,
    /// The person whom it is for.
    pub reporter: Option<&'a str>,
    /// Whether a person whom the site does not know is refused.
    pub is_strict: bool,
    /// The people who take part.
    pub participants: &'a [String],
    /// Whether losses of rich text are accepted.
    pub losses: Losses,
}

impl Jira {
    /// Returns the path of something in the API of service desks.
    pub fn desk_path<'a>(&self, rest: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        ["rest", "servicedeskapi"].into_iter().chain(rest).map(ToOwned::to_owned).collect()
    }

    /// A GET of this API. Data Center calls some of it experimental, and asks for a header.
    fn desk_get<'a>(&self, rest: impl IntoIterator<Item = &'a str>) -> Request {
        Request::get(self.desk_path(rest)).header("X-ExperimentalApi", "opt-in")
    }

    /// Returns the service desk of a project.
    ///
    /// # Errors
    /// A project without one; those of the site.
    ///
    /// Source: `GET /rest/servicedeskapi/servicedesk`.
    pub async fn desk_of_project(&self, project: &str) -> Result<Value, ToolError> {
        let mut pages =
            self.site().pages(self.desk_get(["servicedesk"]).query("limit", "100"), Style::ServiceDesk);
        let mut looked = 0;
        while let Some(page) = pages.next().await? {
            let is_meant =
                |it: &&Value| it["projectKey"].as_str().is_some_and(|key| key.eq_ignore_ascii_case(project));
            if let Some(desk) = page.items.iter().find(is_meant) {
                return Ok(desk.clone());
            }
            looked += page.items.len();
            if looked >= MAX_DESKS {
                break;
            }
        }
        Err(ToolError::not_found(format!(
            "the project {project} has no service desk that this account may use"
        )))
    }

    /// Reads the id of a service desk, or the key of its project.
    ///
    /// # Errors
    /// A desk that there is not, or that the server may not touch.
    pub async fn desk_id(&self, text: &str) -> Result<String, ToolError> {
        let text = text.trim();
        if !text.bytes().all(|it| it.is_ascii_digit()) || text.is_empty() {
            let project = self.project_key(text).await?;
            let desk = self.desk_of_project(&project).await?;
            return Ok(desk["id"].as_str().unwrap_or_default().to_owned());
        }
        if !self.projects().is_empty() {
            let desk: Value = self.site().json(self.desk_get(["servicedesk", text])).await?;
            if !self.may_touch(&json!({ "id": desk["projectId"] })).await? {
                return Err(ToolError::new(
                    "forbidden",
                    format!("the service desk {text} is not of a project that this server may touch"),
                ));
            }
        }
        Ok(text.to_owned())
    }

    async fn desk_page<T: DeserializeOwned>(
        &self,
        request: Request,
        slice: Slice<'_>,
    ) -> Result<Page<T>, Upstream> {
        let request = request.query("start", slice.start.to_string()).query("limit", slice.limit.to_string());
        let mut pages = self.site().pages_of(request, Style::ServiceDesk);
        if let Some(token) = slice.token {
            pages = pages.after(&PageToken::new(token));
        }
        Ok(pages.next().await?.unwrap_or_default())
    }

    /// Returns a page of the queues of a service desk, with the numbers of their issues.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/servicedeskapi/servicedesk/{id}/queue`.
    pub async fn queues(&self, desk: &str, slice: Slice<'_>) -> Result<Listed, Upstream> {
        let request = self.desk_get(["servicedesk", desk, "queue"]).query("includeCount", "true");
        let page: Page = self.desk_page(request, slice).await?;
        let items = page.items.iter().map(
            |it| json!({ "id": it["id"], "name": it["name"], "jql": it["jql"], "issues": it["issueCount"] }),
        );
        Ok(Listed { items: items.collect(), next: page.next.map(|it| it.as_str().to_owned()) })
    }

    /// Returns a page of the issues of a queue, in its order.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/servicedeskapi/servicedesk/{id}/queue/{queue}/issue`.
    pub async fn queue_issues(&self, desk: &str, queue: &str, slice: Slice<'_>) -> Result<Found, Upstream> {
        let request = self.desk_get(["servicedesk", desk, "queue", queue.trim(), "issue"]);
        Ok(self.desk_page(request, slice).await?.into())
    }

    /// Returns a page of the request types of a service desk.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/servicedeskapi/servicedesk/{id}/requesttype`.
    pub async fn request_types(&self, desk: &str, slice: Slice<'_>) -> Result<Listed, Upstream> {
        let page: Page = self.desk_page(self.desk_get(["servicedesk", desk, "requesttype"]), slice).await?;
        let items = page.items.iter().map(|it| {
            let mut shown = json!({ "id": it["id"], "name": it["name"] });
            for (from, to) in [("description", "description"), ("helpText", "help")] {
                if it[from].as_str().is_some_and(|it| !it.is_empty()) {
                    shown[to] = it[from].clone();
                }
            }
            shown
        });
        Ok(Listed { items: items.collect(), next: page.next.map(|it| it.as_str().to_owned()) })
    }

    /// Returns the form of a request type.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/servicedeskapi/servicedesk/{id}/requesttype/{type}/field`.
    pub async fn request_form(&self, desk: &str, request_type: &str) -> Result<Value, Upstream> {
        self.site()
            .json(self.desk_get(["servicedesk", desk, "requesttype", request_type.trim(), "field"]))
            .await
    }

    /// Plans a request of a customer.
    ///
    /// # Errors
    /// A field that the form lacks; a person who is not clear; those of the site.
    ///
    /// Source: `POST /rest/servicedeskapi/request`.
    pub async fn plan_request(&self, desk: &str, wanted: CustomerRequest<'_>) -> Result<Plan, ToolError> {
        let form = self.request_form(desk, wanted.request_type).await?;
        let questions = form["requestTypeFields"].as_array().cloned().unwrap_or_default();
        let about: Value = self.site().json(self.desk_get(["servicedesk", desk])).await?;
        let project = about["projectKey"].as_str().unwrap_or_default();
        let known = self.fields().await?;
        let (mut values, mut changes, mut warnings) = (Map::new(), Vec::new(), Vec::new());
        for (name, value) in &wanted.values {
            let question = question(&questions, name)?;
            let id = question["fieldId"].as_str().unwrap_or_default();
            let api = match (known.by_id(id), value) {
                (Some(field), Value::String(text)) if field.schema.is_rich() => {
                    let (rich, lost) = self.body(text, false, wanted.losses)?;
                    warnings.extend(lost);
                    rich.to_json()
                }
                (Some(field), value) => self.input(field, value, Place { project, issue: None }).await?,
                (None, value) => value.clone(),
            };
            changes.push(FieldChange::new(
                question["name"].as_str().unwrap_or(id),
                Value::Null,
                value.clone(),
            ));
            values.insert(id.to_owned(), api);
        }
        let mut body = json!({ "serviceDeskId": desk, "requestTypeId": wanted.request_type.trim(), "requestFieldValues": values });
        if self.dialect.has_adf_requests {
            body["isAdfRequest"] = json!(true);
        }
        if let Some(reporter) = wanted.reporter {
            let id = match self.person(reporter, Among::All, "raise_on_behalf_of").await {
                Ok(person) => person.id().to_owned(),
                // Customers can be unknown to the search of people.
                Err(error) if error.code() == "not_found" && !wanted.is_strict => reporter.trim().to_owned(),
                Err(error) => return Err(error),
            };
            body["raiseOnBehalfOf"] = json!(id);
            changes.push(FieldChange::new("raise_on_behalf_of", Value::Null, reporter));
        }
        if !wanted.participants.is_empty() {
            let mut ids = Vec::new();
            for name in wanted.participants {
                ids.push(self.person(name, Among::All, None).await?.id().to_owned());
            }
            body["requestParticipants"] = json!(ids);
            changes.push(FieldChange::new("request_participants", Value::Null, json!(wanted.participants)));
        }
        let request = Request::post(self.desk_path(["request"])).json(&body);
        let made = Restore { path: self.path(["issue", "{request}"]), how: How::Delete { query: vec![] } };
        warnings.push("the customer gets a notification, which can't be taken back".to_owned());
        Ok(Plan {
            tool: "jira_create_customer_request",
            target: String::new(),
            summary: format!("make a request in {}", about["projectName"]),
            changes,
            steps: vec![Step::kept(request, "request")],
            inverse: Inverse::Steps(vec![made]),
            warnings,
        })
    }
}

/// Returns the field of a form that a text means: by id, or by the name that customers see.
fn question<'a>(questions: &'a [Value], name: &str) -> Result<&'a Value, ToolError> {
    let same = |value: &Value| value.as_str().is_some_and(|it| it.eq_ignore_ascii_case(name.trim()));
    let found = questions
        .iter()
        .find(|it| same(&it["fieldId"]))
        .or_else(|| questions.iter().find(|it| same(&it["name"])));
    found.ok_or_else(|| {
        let choices = questions.iter().map(|it| {
            let text = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
            (text("fieldId"), text("name"))
        });
        ask(format!("the form of this request type has no field {name:?}"), "Which field?", None, choices)
    })
}
