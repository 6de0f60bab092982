//! Service desks: queues, request types, and requests of customers.

use plainwire::Entries;
use plainwire::handler::WithBlocks;
use plainwire::prelude::*;
use plainwire::serde_json::{Map, from_str};

use super::losses;
use super::reading::{IssuesView, shown};
use crate::jira::Jira;
use crate::jira::agile::Slice;
use crate::jira::desk::CustomerRequest;
use crate::tools::args::{Texts, limit as clamped};
use crate::tools::write;
use crate::write::{Change, Journal};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(jira_get_service_desk_for_project)
        .tool(jira_get_service_desk_queues)
        .tool(jira_get_queue_issues)
        .tool(jira_get_request_types)
        .tool(jira_get_request_type_fields)
        .tool(jira_create_customer_request)
}

/// The largest number of elements of a page.
const MAX_PAGE: u64 = 100;

/// The largest number of values of a field that are shown.
const MAX_VALUES: usize = 50;

/// A service desk.
#[data(kind = "jiraServiceDesk:v1")]
struct DeskView {
    service_desk_id: String,
    project_key: String,
    project_name: String,
}

/// Finds the service desk of a project. Returns its id for the other tools of service desks.
#[tool(read_only, title = "Service desk of a project")]
async fn jira_get_service_desk_for_project(
    #[argument("Such as HELP.")] project_key: String,
    jira: State<Jira>,
) -> Result<DeskView, ToolError> {
    let project = jira.project_key(&project_key).await?;
    let desk = jira.desk_of_project(&project).await?;
    let text = |name: &str| desk[name].as_str().unwrap_or_default().to_owned();
    Ok(DeskView {
        service_desk_id: text("id"),
        project_key: text("projectKey"),
        project_name: text("projectName"),
    })
}

/// The queues of a service desk.
#[data(kind = "jiraQueues:v1")]
struct QueuesView {
    queues: Vec<Value>,
    /// For `page_token` of the next call; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

/// Lists the queues of a service desk. Returns ids, names, JQL, and how many issues are in each.
#[tool(read_only, title = "Queues of a service desk")]
async fn jira_get_service_desk_queues(
    #[argument("The id of the desk, or the key of its project.")] service_desk_id: String,
    #[argument("How many to skip.", default = 0)] start_at: u64,
    #[argument("The largest number, at most 100.", default = 50)] limit: u64,
    #[argument("From `next_page_token`.")] page_token: Option<String>,
    jira: State<Jira>,
) -> Result<QueuesView, ToolError> {
    let desk = jira.desk_id(&service_desk_id).await?;
    let slice =
        Slice { start: start_at, limit: clamped(Some(limit), 50, MAX_PAGE), token: page_token.as_deref() };
    let found = jira.queues(&desk, slice).await?;
    Ok(QueuesView { queues: found.items, next_page_token: found.next })
}

/// Lists the issues of a queue in its order. Returns the columns of the queue, and a token for the next page.
#[tool(read_only, title = "Issues of a queue")]
async fn jira_get_queue_issues(
    #[argument("The id of the desk, or the key of its project.")] service_desk_id: String,
    #[argument("From jira_get_service_desk_queues.")] queue_id: String,
    #[argument("How many to skip.", default = 0)] start_at: u64,
    #[argument("The largest number, at most 100.", default = 50)] limit: u64,
    #[argument("From `next_page_token`.")] page_token: Option<String>,
    jira: State<Jira>,
) -> Result<WithBlocks<IssuesView>, ToolError> {
    let desk = jira.desk_id(&service_desk_id).await?;
    let slice =
        Slice { start: start_at, limit: clamped(Some(limit), 50, MAX_PAGE), token: page_token.as_deref() };
    let found = jira.queue_issues(&desk, &queue_id, slice).await?;
    let fields = jira.fields().await?;
    Ok(shown(&jira, &fields, found))
}

/// Request types.
#[data(kind = "jiraRequestTypes:v1")]
struct RequestTypesView {
    request_types: Vec<Value>,
    /// For `page_token` of the next call; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

/// Lists what customers can ask a service desk for. Returns the ids and names of request types.
#[tool(read_only, title = "Request types")]
async fn jira_get_request_types(
    #[argument("The id of the desk, or the key of its project.")] service_desk_id: String,
    #[argument("How many to skip.", default = 0)] start_at: u64,
    #[argument("The largest number, at most 100.", default = 50)] limit: u64,
    #[argument("From `next_page_token`.")] page_token: Option<String>,
    jira: State<Jira>,
) -> Result<RequestTypesView, ToolError> {
    let desk = jira.desk_id(&service_desk_id).await?;
    let slice =
        Slice { start: start_at, limit: clamped(Some(limit), 50, MAX_PAGE), token: page_token.as_deref() };
    let found = jira.request_types(&desk, slice).await?;
    Ok(RequestTypesView { request_types: found.items, next_page_token: found.next })
}

/// The form of a request type.
#[data(kind = "jiraRequestForm:v1")]
struct FormView {
    fields: Vec<Value>,
    can_raise_on_behalf_of: bool,
    can_add_participants: bool,
}

/// Lists the fields of a request type. Returns ids, the names that customers see, what is required, and allowed values.
#[tool(read_only, title = "Fields of a request type")]
async fn jira_get_request_type_fields(
    #[argument("The id of the desk, or the key of its project.")] service_desk_id: String,
    #[argument("From jira_get_request_types.")] request_type_id: String,
    jira: State<Jira>,
) -> Result<FormView, ToolError> {
    let desk = jira.desk_id(&service_desk_id).await?;
    let form = jira.request_form(&desk, &request_type_id).await?;
    let fields = form["requestTypeFields"].as_array().into_iter().flatten().map(|it| {
        let mut shown = json!({ "id": it["fieldId"], "name": it["name"], "required": it["required"], "type": it["jiraSchema"]["type"] });
        if it["description"].as_str().is_some_and(|it| !it.is_empty()) {
            shown["description"] = it["description"].clone();
        }
        let values: Vec<_> = it["validValues"].as_array().into_iter().flatten().map(|it| it["label"].clone()).take(MAX_VALUES).collect();
        if !values.is_empty() {
            shown["values"] = json!(values);
        }
        shown
    });
    Ok(FormView {
        fields: fields.collect(),
        can_raise_on_behalf_of: form["canRaiseOnBehalfOf"] == true,
        can_add_participants: form["canAddRequestParticipants"] == true,
    })
}

// A request of a customer.
#[data]
struct CreateRequest {
    /// The id of the desk, or the key of its project.
    service_desk_id: String,
    /// From jira_get_request_types.
    request_type_id: String,
    /// Values by the id or name of a field, such as {"summary": "No light", "description": "Markdown"}.
    request_field_values: Value,
    /// The customer, by name, address or id.
    raise_on_behalf_of: Option<String>,
    /// Other people who take part.
    #[serde(default)]
    request_participants: Texts,
    /// Not supported here: attach files to the issue that was made.
    #[schemars(extend("deprecated" = true))]
    #[serde(default)]
    attachments: Option<Texts>,
    /// Refuse a customer whom the site does not know.
    #[default(false)]
    strict_on_behalf: bool,
    /// Write even if content is lost.
    #[default(false)]
    accept_loss: bool,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Makes a request in a service desk, as a customer would. Returns its key and an undo handle, which deletes the issue.
#[tool(additive, title = "Make a customer request")]
async fn jira_create_customer_request(
    #[arguments] it: CreateRequest,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    if it.attachments.as_ref().is_some_and(|it| !it.0.is_empty()) {
        let error = ToolError::invalid_input("expected no `attachments`: a request is made without files");
        return Err(error.hint("make the request, and attach each file with jira_upload_attachment"));
    }
    let desk = jira.desk_id(&it.service_desk_id).await?;
    let wanted = CustomerRequest {
        request_type: &it.request_type_id,
        values: values(&it.request_field_values)?,
        reporter: it.raise_on_behalf_of.as_deref().filter(|it| !it.trim().is_empty()),
        is_strict: it.strict_on_behalf,
        participants: it.request_participants.all(),
        losses: losses(it.accept_loss),
    };
    let plan = jira.plan_request(&desk, wanted).await?;
    let mut change = write(&jira, &journal, &context, plan, it.preview).await?;
    if let Some(key) = change.result.pointer("/request/issueKey").and_then(Value::as_str) {
        change.url = Some(jira.browse(key));
        change.key = Some(key.to_owned());
        let portal = change.result.pointer("/request/_links/web").cloned().unwrap_or_default();
        change.result = json!({ "portal_url": portal });
    }
    Ok(change)
}

/// Reads an object, or its JSON text.
fn values(given: &Value) -> Result<Map<String, Value>, ToolError> {
    let wrong =
        || ToolError::invalid_input("expected `request_field_values` to be an object of fields and values");
    match given {
        Value::Object(members) => Ok(members.clone()),
        Value::String(text) => from_str(text).map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}
