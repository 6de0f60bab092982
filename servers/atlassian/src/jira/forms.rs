//! Forms of issues on Cloud, which were called ProForma.
//!
//! In: the key of an issue, the id of a form, and answers. Out: questions with their answers, and a request that saves some. The API is at the
//! gateway of Cloud, beside the site; it needs the id of the site, which the site tells.

use plainwire::ToolError;
use serde_json::{Map, Value, json};

use super::Jira;
use super::people::Among;
use super::shown::{Cast, moment};
use super::text::Rich;
use crate::rest::{Request, Site};
use crate::write::FieldChange;

/// The place of the forms of a site.
#[derive(Clone, Debug)]
pub struct Gateway {
    site: Site,
    cloud_id: String,
}

/// Answers to save.
#[derive(Debug)]
pub struct Answers {
    /// The request.
    pub request: Request,
    /// The questions, with their answers before and after.
    pub changes: Vec<FieldChange>,
}

impl Jira {
    /// Returns the gateway with the id of the site, which is asked once.
    async fn forms_gateway(&self) -> Result<&Gateway, ToolError> {
        let ask = async || {
            let cloud_id = match self.site().cloud_id() {
                Some(id) => id.to_owned(),
                None => {
                    let tenant: Value = self.site().json(Request::get(["_edge", "tenant_info"])).await?;
                    tenant["cloudId"].as_str().unwrap_or_default().to_owned()
                }
            };
            let site = self.site().gateway().map_err(|error| ToolError::new("failed", error.to_string()))?;
            Ok::<_, ToolError>(Gateway { site, cloud_id })
        };
        self.kept.forms.get_or_try_init(ask).await
    }

    /// Returns the site that has the forms.
    ///
    /// # Errors
    /// Those of the site, when it is asked for its id.
    pub async fn forms_site(&self) -> Result<&Site, ToolError> {
        Ok(&self.forms_gateway().await?.site)
    }

    async fn form_path(&self, key: &str, rest: &[&str]) -> Result<Vec<String>, ToolError> {
        let cloud_id = self.forms_gateway().await?.cloud_id.as_str();
        let path = ["jira", "forms", "cloud", cloud_id, "issue", key, "form"]
            .into_iter()
            .chain(rest.iter().copied());
        Ok(path.map(ToOwned::to_owned).collect())
    }

    async fn form_json(&self, request: Request) -> Result<Value, ToolError> {
        // Atlassian calls some of this API experimental.
        Ok(self.forms_site().await?.json(request.header("X-ExperimentalApi", "opt-in")).await?)
    }

    /// Returns the forms of an issue.
    ///
    /// # Errors
    /// Those of the API.
    ///
    /// Source: `GET https://api.atlassian.com/jira/forms/cloud/{cloudId}/issue/{key}/form`.
    pub async fn forms(&self, key: &str) -> Result<Vec<Value>, ToolError> {
        let answer = self.form_json(Request::get(self.form_path(key, &[]).await?)).await?;
        let all = answer.as_array().or(answer["forms"].as_array());
        let shown = all.into_iter().flatten().map(|it| {
            let mut shown =
                json!({ "id": it["id"], "name": it["name"], "submitted": it["submitted"] == true });
            if it["lock"] == true {
                shown["locked"] = json!(true);
            }
            if let Some(is_internal) = it.get("internal") {
                shown["internal"] = is_internal.clone();
            }
            if let Some(time) = it["updated"].as_str() {
                shown["updated"] = json!(moment(time));
            }
            shown
        });
        Ok(shown.collect())
    }

    /// Returns a form as the API has it.
    ///
    /// # Errors
    /// Those of the API.
    ///
    /// Source: `GET …/issue/{key}/form/{id}`.
    pub async fn form(&self, key: &str, id: &str) -> Result<Value, ToolError> {
        self.form_json(Request::get(self.form_path(key, &[id.trim()]).await?)).await
    }

    /// Returns the view of a form: its questions, with their answers.
    pub fn shown_form(&self, form: &Value) -> Value {
        let state = match form["state"]["status"].as_str() {
            Some("o") => "open",
            Some("s") => "submitted",
            Some("l") => "locked",
            other => other.unwrap_or_default(),
        };
        let questions = form["design"]["questions"].as_object().into_iter().flatten().map(|(id, question)| {
            let mut shown = json!({ "id": id, "label": question["label"], "required": question["validation"]["rq"] == true });
            if let Some(field) = question.get("jiraField").filter(|it| !it.is_null()) {
                shown["jira_field"] = field.clone();
            }
            let choices: Vec<_> = choices(question).map(|it| it["label"].clone()).collect();
            if !choices.is_empty() {
                shown["choices"] = json!(choices);
            }
            let answer = self.shown_answer(question, &form["state"]["answers"][id.as_str()]);
            if !answer.is_null() {
                shown["answer"] = answer;
            }
            shown
        });
        json!({ "id": form["id"], "name": form["design"]["settings"]["name"], "state": state, "questions": questions.collect::<Vec<_>>() })
    }

    fn shown_answer(&self, question: &Value, answer: &Value) -> Value {
        let Some(members) = answer.as_object().filter(|it| !it.is_empty()) else { return Value::Null };
        let parts = members.iter().filter(|(_, it)| !it.is_null()).map(|(name, value)| match name.as_str() {
            "choices" => {
                let label = |id: &Value| {
                    choices(question)
                        .find(|it| it["id"] == *id)
                        .map_or_else(|| id.clone(), |it| it["label"].clone())
                };
                Value::Array(value.as_array().into_iter().flatten().map(label).collect())
            }
            "adf" => {
                let raw = serde_json::value::to_raw_value(value).ok();
                let text = raw.and_then(|raw| Rich::of_json(self.dialect.rich, &raw)).map(|it| it.markdown());
                json!(text)
            }
            _ => crate::jira::shown::short(value.clone(), &mut Cast::default()),
        });
        let mut parts: Vec<Value> = parts.collect();
        if parts.len() == 1 { parts.remove(0) } else { answer.clone() }
    }

    /// Returns the request that saves answers, and what it changes. Each answer is an object with `questionId` (or its label), `value`, and
    /// perhaps a `type`.
    ///
    /// # Errors
    /// A question or choice that the form lacks; those of the API.
    ///
    /// Source: `PUT …/issue/{key}/form/{id}` with `answers`.
    pub async fn form_answers(&self, key: &str, id: &str, given: &[Value]) -> Result<Answers, ToolError> {
        let form = self.form(key, id).await?;
        let questions = form["design"]["questions"].as_object().cloned().unwrap_or_default();
        let (mut answers, mut changes) = (Map::new(), Vec::new());
        for answer in given {
            let named = answer.get("questionId").or(answer.get("question_id")).or(answer.get("question"));
            let named = named.map(crate::jira::issue::text_of).unwrap_or_default();
            let same = |(id, it): &(&String, &Value)| {
                id.as_str() == named
                    || it["label"].as_str().is_some_and(|label| label.eq_ignore_ascii_case(named.trim()))
            };
            let Some((number, question)) = questions.iter().find(same) else {
                let labels: Vec<_> = questions
                    .iter()
                    .map(|(id, it)| format!("{id}: {}", it["label"].as_str().unwrap_or_default()))
                    .collect();
                let message = format!("the form has no question {named:?}");
                return Err(ToolError::invalid_input(message).hint(format!("it has {}", labels.join("; "))));
            };
            let kind = answer["type"].as_str().unwrap_or_default().to_uppercase();
            let now = &form["state"]["answers"][number.as_str()];
            let api = self.answer(question, &kind, &answer["value"]).await?;
            let (old, new) = (self.shown_answer(question, now), self.shown_answer(question, &api));
            if old != new {
                changes.push(FieldChange::new(question["label"].as_str().unwrap_or(number), old, new));
                answers.insert(number.clone(), api);
            }
        }
        let request = Request::put(self.form_path(key, &[id.trim()]).await?);
        Ok(Answers {
            request: request.header("X-ExperimentalApi", "opt-in").json(&json!({ "answers": answers })),
            changes,
        })
    }

    /// Returns an answer in the form of the API: by the type that the caller names, or by what the question is.
    async fn answer(&self, question: &Value, kind: &str, value: &Value) -> Result<Value, ToolError> {
        let text = || crate::jira::issue::text_of(value);
        let member = match kind {
            "SELECT" | "MULTI_SELECT" | "CHECKBOX" => "choices",
            "USER" | "MULTI_USER" => "users",
            "DATE" => "date",
            "DATETIME" => "datetime",
            "TIME" => "time",
            "TEXT" | "NUMBER" => "text",
            _ if choices(question).next().is_some() => "choices",
            _ => match question["type"].as_str() {
                Some("da") => "date",
                Some("dt") => "datetime",
                Some("ti") => "time",
                Some("us" | "um") => "users",
                Some("rt") => "adf",
                _ => "text",
            },
        };
        if value.is_object() {
            return Ok(value.clone());
        }
        Ok(match member {
            "choices" => {
                let mut ids = Vec::new();
                for wanted in super::input::list(value) {
                    ids.push(choice(question, &wanted)?);
                }
                json!({ "choices": ids })
            }
            "users" => {
                let mut ids = Vec::new();
                for name in super::input::list(value) {
                    ids.push(
                        self.person(&crate::jira::issue::text_of(&name), Among::All, None)
                            .await?
                            .id()
                            .to_owned(),
                    );
                }
                json!({ "users": ids })
            }
            "adf" => json!({ "adf": self.body(&text(), false, super::text::Losses::Refuse)?.0.to_json() }),
            _ if value.is_null() => json!({ member: "" }),
            "date" => json!({ "date": self.local(value)?.0 }),
            "datetime" => {
                let (date, time) = self.local(value)?;
                json!({ "date": date, "time": time })
            }
            member => json!({ member: text() }),
        })
    }

    /// Returns the day and the minute of a time: text, or milliseconds since 1970.
    fn local(&self, value: &Value) -> Result<(String, String), ToolError> {
        let time = match value.as_i64() {
            Some(millis) => {
                jiff::Timestamp::from_millisecond(millis).map(|it| it.to_string()).unwrap_or_default()
            }
            None => value.as_str().unwrap_or_default().trim().to_owned(),
        };
        self.hours().local(&time)
    }
}

fn choices(question: &Value) -> impl Iterator<Item = &Value> {
    question["choices"].as_array().into_iter().flatten()
}

/// Returns the id of a choice, by its id or label.
fn choice(question: &Value, wanted: &Value) -> Result<Value, ToolError> {
    let named = crate::jira::issue::text_of(wanted);
    let same = |it: &&Value| {
        it["id"] == named.as_str()
            || it["label"].as_str().is_some_and(|label| label.eq_ignore_ascii_case(named.trim()))
    };
    if let Some(found) = choices(question).find(same) {
        return Ok(found["id"].clone());
    }
    let labels: Vec<_> = choices(question).filter_map(|it| it["label"].as_str()).collect();
    // Choices of a field of Jira are not in the form.
    if labels.is_empty() {
        return Ok(json!(named));
    }
    let message = format!("the question {} has no choice {named:?}", question["label"]);
    Err(ToolError::invalid_input(message).hint(format!("it has {}", labels.join(", "))))
}
