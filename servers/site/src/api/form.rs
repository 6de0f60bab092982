//! `/jira/forms/cloud/{cloudId}`: the forms of issues, which the gateway of Cloud serves beside the site.
//!
//! In: an issue of the service desk, and answers. Out: its form. There is one, of three questions, on each incident; only the answers are
//! stored. Forms can't be added, submitted or removed.

use serde_json::{Map, Value as Json, json};

use super::issue::{of_path, require};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::field::custom;
use crate::issue::Issue;
use crate::operation::{On, Operation, operation};
use crate::time;

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("GET", "/jira/forms/cloud/{cloud}/issue/{key}/form", On::Cloud, list),
    operation("GET", "/jira/forms/cloud/{cloud}/issue/{key}/form/{form}", On::Cloud, get),
    operation("PUT", "/jira/forms/cloud/{cloud}/issue/{key}/form/{form}", On::Cloud, save),
];

/// The request type with a form.
const WITH_FORM: i64 = 3;

const NAME: &str = "Report of an incident";

/// The key of the stored answers among the properties of an issue's form.
const ANSWERS: &str = "answers";

fn questions() -> Json {
    json!({
        "1": { "type": "tl", "label": "What did customers see?", "description": "", "validation": { "rq": true } },
        "2": {
            "type": "cs", "label": "How bad was it?", "description": "", "validation": { "rq": true },
            "choices": [{ "id": "1", "label": "Slow" }, { "id": "2", "label": "Partly down" }, { "id": "3", "label": "Down" }],
        },
        "3": { "type": "da", "label": "When was it over?", "description": "", "validation": { "rq": false } },
    })
}

fn id_of(issue: &Issue) -> String {
    format!("0f0f0f0f-0000-4000-8000-{:012}", issue.id)
}

fn has_form(issue: &Issue) -> bool {
    issue.ref_of(custom::REQUEST_TYPE) == Some(WITH_FORM)
}

fn list(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let form = json!({
        "id": id_of(&issue), "name": NAME, "formTemplate": { "id": "0f0f0f0f-0000-4000-8000-000000000000" }, "internal": true,
        "submitted": false, "lock": false, "updated": time::of(issue.created),
    });
    Answer::ok(if has_form(&issue) { json!([form]) } else { json!([]) })
}

fn form_of_path(call: &Call<'_>) -> Result<Issue> {
    let issue = of_path(call)?;
    if has_form(&issue) && call.param("form") == id_of(&issue) {
        return Ok(issue);
    }
    Err(Fault::missing("The provided form ID was not found."))
}

fn answers_of(call: &Call<'_>, issue: &Issue) -> Result<Map<String, Json>> {
    let sql = "SELECT value FROM property WHERE kind = 'form' AND entity_id = ?1 AND key = ?2";
    let stored: Option<String> = call.work.one(sql, (issue.id, ANSWERS), |row| row.get(0))?;
    Ok(stored.and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_default())
}

fn shown(call: &Call<'_>, issue: &Issue) -> Result<Json> {
    Ok(json!({
        "id": id_of(issue),
        "updated": time::of(issue.created),
        "design": {
            "conditions": {}, "layout": [], "sections": {}, "questions": questions(),
            "settings": { "name": NAME, "language": "en", "submit": { "lock": false, "pdf": false } },
        },
        "state": { "visibility": "i", "status": "o", "answers": answers_of(call, issue)? },
    }))
}

fn get(call: &Call<'_>) -> Result<Answer> {
    let issue = form_of_path(call)?;
    Answer::ok(shown(call, &issue)?)
}

/// Stores the answers of a body in the place of those to the same questions.
fn save(call: &Call<'_>) -> Result<Answer> {
    let issue = form_of_path(call)?;
    require(call, &issue, "EDIT_ISSUES", "You do not have permission to edit this form.")?;
    let body = call.object()?;
    let given = body.get("answers").and_then(Json::as_object).cloned();
    let given = given.ok_or_else(|| Fault::bad("The request has no answers."))?;
    let questions = questions();
    let mut answers = answers_of(call, &issue)?;
    for (id, answer) in given {
        let question = questions
            .get(&id)
            .ok_or_else(|| Fault::bad(format!("The question {id} was not found on the form.")))?;
        let member = match question["type"].as_str() {
            Some("cs") => "choices",
            Some("da") => "date",
            _ => "text",
        };
        if answer.as_object().is_none_or(|it| it.keys().any(|name| name != member)) {
            return Err(Fault::bad(format!(
                "The answer to the question {id} must have the member {member}."
            )));
        }
        answers.insert(id, answer);
    }
    let sql = "INSERT OR REPLACE INTO property (kind, entity_id, key, value) VALUES ('form', ?1, ?2, ?3)";
    call.work.run(sql, (issue.id, ANSWERS, Json::Object(answers).to_string()))?;
    Answer::ok(shown(call, &issue)?)
}
