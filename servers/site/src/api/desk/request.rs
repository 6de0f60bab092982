//! `request`: the requests of customers, their status and their participants.

use serde_json::{Map, Value as Json, json};

use super::portal::{self, FormField, fields_of, type_by_id};
use super::{
    Desk, address, asked_page, comment, date, desk_by_name, desks, is_agent, page, paged, require_agent, sla,
    user,
};
use crate::call::{Answer, Call, Page};
use crate::fault::{Fault, Result};
use crate::field::{Kind, Value, Values, custom};
use crate::issue::{self, Change, Draft, Issue};
use crate::screen::input::Input;
use crate::view::Version;
use crate::{permission, person};

/// The field of the people who take part in a request.
const PARTICIPANTS: &str = "customfield_10052";

/// What a request can be expanded by.
const EXPANDS: [&str; 6] = ["comment", "participant", "requestType", "serviceDesk", "sla", "status"];

/// A request of a customer.
pub(super) struct Request {
    pub(super) issue: Issue,
    pub(super) desk: Desk,
    request_type: i64,
}

/// Returns the request of the path, if the caller may see it: a colleague, the reporter, or a participant.
pub(super) fn of_path(call: &Call<'_>) -> Result<Request> {
    let missing = || {
        Fault::missing(
            "The request you are trying to view does not exist or you do not have permission to see it.",
        )
    };
    let id = issue::find(call.work, call.param("key"))?.ok_or_else(missing)?;
    let request = of_issue(call, issue::get(call.work, id)?)?.ok_or_else(missing)?;
    let takes_part = takes_part(&request.issue, call.person);
    if takes_part || permission::can(call.work, call.person, request.desk.project, "BROWSE_PROJECTS")? {
        Ok(request)
    } else {
        Err(missing())
    }
}

fn takes_part(issue: &Issue, person: i64) -> bool {
    issue.ref_of("reporter") == Some(person) || issue.refs_of(PARTICIPANTS).contains(&person)
}

/// Returns the request that an issue is: one of a service desk that has a request type.
fn of_issue(call: &Call<'_>, issue: Issue) -> Result<Option<Request>> {
    let desk = desks(call)?.into_iter().find(|it| it.project == issue.project_id);
    Ok(match (desk, issue.ref_of(custom::REQUEST_TYPE)) {
        (Some(desk), Some(request_type)) => Some(Request { issue, desk, request_type }),
        _ => None,
    })
}

pub(super) fn get(call: &Call<'_>) -> Result<Answer> {
    Answer::ok(shown(call, &of_path(call)?)?)
}

fn shown(call: &Call<'_>, request: &Request) -> Result<Json> {
    let issue = &request.issue;
    let (id, key, base) = (issue.id, &issue.key, &call.view.base);
    let mut links = json!({
        "jiraRest": call.view.api(&format!("issue/{id}")),
        "web": format!("{base}/servicedesk/customer/portal/{}/{key}", request.desk.id),
        "self": address(call, &format!("request/{id}")),
    });
    if call.work.is_cloud() {
        links["agent"] = json!(format!("{base}/browse/{key}"));
    }
    let mut value = json!({
        "_expands": EXPANDS,
        "issueId": id.to_string(),
        "issueKey": key,
        "requestTypeId": request.request_type.to_string(),
        "serviceDeskId": request.desk.id.to_string(),
        "createdDate": date(issue.created),
        "reporter": issue.ref_of("reporter").map_or(Ok(Json::Null), |it| user(call, it))?,
        "requestFieldValues": field_values(call, request)?,
        "currentStatus": status_history(call, issue)?.into_iter().next(),
        "_links": links,
    });
    if call.work.is_cloud() {
        value["summary"] = json!(issue.text_of("summary"));
    }
    for name in call.list("expand") {
        expand(call, request, name, &mut value)?;
    }
    Ok(value)
}

/// Returns the fields of the request's form that have a value.
fn field_values(call: &Call<'_>, request: &Request) -> Result<Vec<Json>> {
    let mut shown = Vec::new();
    for FormField { field, label, .. } in fields_of(call, request.request_type)? {
        if let Some(value) = request.issue.values.get(&field.id) {
            shown.push(
                json!({ "fieldId": field.id, "label": label, "value": call.view.value(field.kind, value)? }),
            );
        }
    }
    Ok(shown)
}

fn expand(call: &Call<'_>, request: &Request, name: &str, value: &mut Json) -> Result<()> {
    let path = |part: &str| format!("request/{}/{part}", request.issue.id);
    let listed = |part: &str, all: Vec<Json>| {
        let page = Page { start: 0, size: all.len() as u64 };
        paged(call, &path(part), page, all, true)
    };
    match name {
        "comment" => value["comments"] = listed("comment", comment::all(call, request)?),
        "participant" => {
            value["participants"] = listed("participant", participants_of(call, &request.issue)?)
        }
        "requestType" => {
            value["requestType"] = portal::type_of_request(call, request.desk, request.request_type)?
        }
        "serviceDesk" => value["serviceDesk"] = portal::shown(call, request.desk)?,
        "sla" if is_agent(call, request.desk)? => value["sla"] = listed("sla", sla::all(call, request)?),
        "status" => value["status"] = listed("status", status_history(call, &request.issue)?),
        _ => {}
    }
    Ok(())
}

/// Returns the statuses that an issue has had, the current one first.
fn status_history(call: &Call<'_>, issue: &Issue) -> Result<Vec<Json>> {
    let sql = "SELECT s.name, s.category, h.since FROM held h JOIN status s ON s.id = h.ref
        WHERE h.issue_id = ?1 AND h.field_id = 'status' ORDER BY h.since DESC, h.until IS NOT NULL, h.rowid DESC";
    call.work.all(sql, [issue.id], |row| {
        let category: String = row.get(1)?;
        Ok(json!({
            "status": row.get::<_, String>(0)?, "statusCategory": category.to_uppercase(), "statusDate": date(row.get(2)?),
        }))
    })
}

pub(super) fn statuses(call: &Call<'_>) -> Result<Answer> {
    let request = of_path(call)?;
    page(call, &format!("request/{}/status", call.param("key")), status_history(call, &request.issue)?)
}

/// Lists requests, the newest first: those that the caller has made or takes part in, and with `ALL_REQUESTS`
/// all that an agent sees.
pub(super) fn list(call: &Call<'_>) -> Result<Answer> {
    let mut requests = Vec::new();
    for desk in desks(call)? {
        for it in issue::load(call.work, &asked_for(call, desk)?)? {
            requests.extend(of_issue(call, it)?.filter(|it| is_wanted(call, it)));
        }
    }
    let asked = asked_page(call)?;
    let is_last = asked.start + asked.size >= requests.len() as u64;
    let values = asked.of(requests).iter().map(|it| shown(call, it)).collect::<Result<_>>()?;
    Answer::ok(paged(call, "request", asked, values, is_last))
}

/// Returns the issues of a service desk that `requestOwnership` means; without it, those that the caller has
/// to do with.
fn asked_for(call: &Call<'_>, desk: Desk) -> Result<Vec<i64>> {
    let owned = call.list("requestOwnership");
    let wants = |name: &str| owned.is_empty() || owned.contains(&name) || owned.contains(&"ALL_REQUESTS");
    let all = owned.contains(&"ALL_REQUESTS") && is_agent(call, desk)?;
    let sql = "SELECT i.id FROM issue i WHERE i.project_id = ?1 AND (?2
        OR (?3 AND EXISTS (SELECT 1 FROM value v WHERE v.issue_id = i.id AND v.field_id = 'reporter' AND v.ref = ?5))
        OR (?4 AND EXISTS (SELECT 1 FROM value v WHERE v.issue_id = i.id AND v.field_id = ?6 AND v.ref = ?5)))
        ORDER BY i.created DESC, i.id DESC";
    let (own, shared) = (wants("OWNED_REQUESTS"), wants("PARTICIPATED_REQUESTS"));
    call.work.all(sql, (desk.project, all, own, shared, call.person, PARTICIPANTS), |row| row.get(0))
}

/// Returns whether the other filters of the query let a request through.
fn is_wanted(call: &Call<'_>, request: &Request) -> bool {
    let search = call.query("searchTerm").unwrap_or_default().to_lowercase();
    let is_open = !request.issue.values.contains_key("resolution");
    let in_state = match call.query("requestStatus") {
        Some("OPEN_REQUESTS") => is_open,
        Some("CLOSED_REQUESTS") => !is_open,
        _ => true,
    };
    let has_id = |name: &str, id: i64| call.query(name).is_none_or(|it| it == id.to_string());
    in_state
        && request.issue.text_of("summary").unwrap_or_default().to_lowercase().contains(&search)
        && has_id("serviceDeskId", request.desk.id)
        && has_id("requestTypeId", request.request_type)
}

pub(super) fn create(call: &Call<'_>) -> Result<Answer> {
    let body = call.object()?;
    let text = |name: &str| match body.get(name) {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let desk = desk_by_name(call, &text("serviceDeskId"))?;
    let request_type = type_by_id(call, desk, &text("requestTypeId"))?;
    let message = "You do not have permission to create requests in this service desk.";
    permission::require(call.work, call.person, desk.project, "CREATE_ISSUES", message)?;
    let mut values = content(call, desk, request_type.id, &body)?;
    values.insert("issuetype".to_owned(), Value::Ref(request_type.issue_type));
    values.insert(custom::REQUEST_TYPE.to_owned(), Value::Ref(request_type.id));
    people(call, desk, &body, &mut values)?;
    if !values.contains_key("priority") {
        let usual =
            "SELECT id FROM priority ORDER BY abs(position - (SELECT avg(position) FROM priority)) LIMIT 1";
        if let Some(id) = call.work.one(usual, [], |row| row.get(0))? {
            values.insert("priority".to_owned(), Value::Ref(id));
        }
    }
    let id = issue::create(call.work, &Draft { project: desk.project, author: call.person, values })?;
    let request = of_issue(call, issue::get(call.work, id)?)?;
    Answer::created(request.map_or(Ok(Json::Null), |it| shown(call, &it))?)
}

/// Reads for whom a request is and who takes part, which only agents may say.
fn people(call: &Call<'_>, desk: Desk, body: &Map<String, Json>, values: &mut Values) -> Result<()> {
    if let Some(named) = body.get("raiseOnBehalfOf").filter(|it| !it.is_null()) {
        require_agent(call, desk)?;
        values.insert("reporter".to_owned(), Value::Ref(person_of(call, named)?));
    }
    let named = body.get("requestParticipants").and_then(Json::as_array).filter(|it| !it.is_empty());
    if let Some(named) = named {
        require_agent(call, desk)?;
        let people = named.iter().map(|it| person_of(call, it)).collect::<Result<_>>()?;
        values.insert(PARTICIPANTS.to_owned(), Value::Refs(people));
    }
    Ok(())
}

/// Reads the values of a form, and checks that none is missing and none is strange to it.
fn content(call: &Call<'_>, desk: Desk, request_type: i64, body: &Map<String, Json>) -> Result<Values> {
    let given = body.get("requestFieldValues").and_then(Json::as_object).cloned().unwrap_or_default();
    let form = fields_of(call, request_type)?;
    let strange: Vec<_> =
        given.keys().filter(|id| !form.iter().any(|it| it.field.id == **id)).cloned().collect();
    if !strange.is_empty() {
        let message = format!("The fields '{}' are not valid for this request type.", strange.join(", "));
        return Err(Fault::bad(message));
    }
    let is_adf = call.work.is_cloud() && body.get("isAdfRequest").and_then(Json::as_bool) == Some(true);
    let version = if is_adf { Version::V3 } else { Version::V2 };
    let input = Input { work: call.work, version, project: desk.project };
    let (mut values, mut wrong) = (Values::new(), Vec::new());
    for it in form {
        let json = given.get(&it.field.id).unwrap_or(&Json::Null);
        if it.field.kind == Kind::Computed {
            if !json.is_null() {
                return Err(Fault::lacking(format_args!("the field {} in requests", it.field.id)));
            }
            continue;
        }
        match input.read(&it.field, json) {
            Ok(Some(value)) => drop(values.insert(it.field.id, value)),
            Ok(None) if it.required => {
                wrong.push(format!("Please provide a valid value for field '{}'", it.label))
            }
            Ok(None) => {}
            Err(fault) if fault.status == 400 => {
                wrong.extend(fault.messages.into_iter().chain(fault.errors.into_values()))
            }
            Err(fault) => return Err(fault),
        }
    }
    if wrong.is_empty() {
        return Ok(values);
    }
    let message = "Your request could not be created. Please check the fields have been correctly filled in.";
    Err(Fault::bad(format!("{message} {}", wrong.join(", "))))
}

/// Returns the person of an account id on Cloud, or of a user name on Data Center.
fn person_of(call: &Call<'_>, named: &Json) -> Result<i64> {
    let named = named.as_str().unwrap_or_default();
    let found = if call.work.is_cloud() {
        person::by_account(call.work, named)?
    } else {
        person::by_name(call.work, named)?
    };
    found.ok_or_else(|| Fault::bad(format!("The user '{named}' does not exist.")))
}

fn participants_of(call: &Call<'_>, issue: &Issue) -> Result<Vec<Json>> {
    issue.refs_of(PARTICIPANTS).iter().map(|id| user(call, *id)).collect()
}

pub(super) fn participants(call: &Call<'_>) -> Result<Answer> {
    let request = of_path(call)?;
    page(call, &format!("request/{}/participant", call.param("key")), participants_of(call, &request.issue)?)
}

pub(super) fn add_participants(call: &Call<'_>) -> Result<Answer> {
    change_participants(call, |mut all, some| {
        all.retain(|id| !some.contains(id));
        all.extend(some);
        all
    })
}

pub(super) fn remove_participants(call: &Call<'_>) -> Result<Answer> {
    change_participants(call, |mut all, some| {
        all.retain(|id| !some.contains(id));
        all
    })
}

/// Replaces the participants by what `change` makes of them and of those that the body names, and answers
/// with the new list.
fn change_participants(
    call: &Call<'_>,
    change: impl FnOnce(Vec<i64>, Vec<i64>) -> Vec<i64>,
) -> Result<Answer> {
    let request = of_path(call)?;
    require_agent(call, request.desk)?;
    let body = call.object()?;
    let member = if call.work.is_cloud() { "accountIds" } else { "usernames" };
    let named = body.get(member).and_then(Json::as_array).cloned().unwrap_or_default();
    if named.is_empty() {
        return Err(Fault::bad(format!("The member '{member}' must name at least one user.")));
    }
    let people = named.iter().map(|it| person_of(call, it)).collect::<Result<Vec<_>>>()?;
    let all = change(request.issue.refs_of(PARTICIPANTS).to_vec(), people);
    let to = Some(all).filter(|it| !it.is_empty()).map(Value::Refs);
    issue::change(
        call.work,
        request.issue.id,
        &[Change { field: PARTICIPANTS.to_owned(), to }],
        call.person,
    )?;
    let after = issue::get(call.work, request.issue.id)?;
    page(call, &format!("request/{}/participant", call.param("key")), participants_of(call, &after)?)
}
