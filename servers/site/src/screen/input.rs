//! Values of fields, as requests have them.
//!
//! In: JSON, and the project that it is meant for. Out: a [`Value`], or Jira's sentence about what is wrong. Names become ids here.

use serde_json::Value as Json;

use super::{children, options};
use crate::fault::{Fault, Result};
use crate::field::{Field, Kind, Value};
use crate::view::Version;
use crate::work::Work;
use crate::{duration, issue, permission, person, text, time};

/// The largest number of characters of rich text.
const MAX_RICH: usize = 32_767;

/// The largest number of characters of a summary, and of a custom field of one line.
const MAX_LINE: usize = 255;

/// The surroundings of a value.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(crate) work: &'a Work<'a>,
    /// The form of rich text.
    pub(crate) version: Version,
    pub(crate) project: i64,
}

impl Input<'_> {
    /// Reads the value of a field. Null and an empty list empty it.
    pub(crate) fn read(&self, field: &Field, json: &Json) -> Result<Option<Value>> {
        if json.is_null() {
            return Ok(None);
        }
        let wrong = |message: &str| Err(Fault::of_field(&field.id, message));
        match field.kind {
            Kind::Text => match json.as_str() {
                Some(text) => self.line(field, text),
                None => wrong("Operation value must be a string"),
            },
            Kind::Rich => self.rich(&field.id, json),
            Kind::Url => match json.as_str() {
                Some("") => Ok(None),
                Some(text) if url::Url::parse(text).is_ok() => Ok(Some(Value::Text(text.to_owned()))),
                Some(_) => wrong("Not a valid URL"),
                None => wrong("Operation value must be a string"),
            },
            Kind::Date => match json.as_str() {
                Some("") => Ok(None),
                Some(text) if time::is_day(text) => Ok(Some(Value::Text(text.to_owned()))),
                Some(text) => wrong(&format!("Error parsing date string: {text}")),
                None => wrong("Operation value must be a string"),
            },
            Kind::Time => match json.as_str() {
                Some(text) => match time::read(text) {
                    Some(time) => Ok(Some(Value::Number(time as f64))),
                    None => wrong(&format!("Error parsing time: {text}")),
                },
                None => wrong("Operation value must be a string"),
            },
            Kind::Number => match json.as_f64() {
                Some(number) => Ok(Some(Value::Number(number))),
                None => wrong("Operation value must be a number"),
            },
            Kind::Labels => self.labels(field, json),
            Kind::Components | Kind::Options | Kind::Users | Kind::Versions => {
                let Some(elements) = json.as_array() else { return wrong("data was not an array") };
                let mut ids = Vec::new();
                for element in elements {
                    let id = self.named(field, element)?;
                    if !ids.contains(&id) {
                        ids.push(id);
                    }
                }
                Ok(Some(ids).filter(|it| !it.is_empty()).map(Value::Refs))
            }
            Kind::Sprints => self.sprint(field, json),
            Kind::Computed | Kind::Duration | Kind::Status => wrong(&format!(
                "Field '{}' cannot be set. It is not on the appropriate screen, or unknown.",
                field.id
            )),
            _ => self.named(field, json).map(|id| Some(Value::Ref(id))),
        }
    }

    fn line(&self, field: &Field, text: &str) -> Result<Option<Value>> {
        let is_summary = field.id == "summary";
        if text.trim().is_empty() {
            return if is_summary {
                Err(Fault::of_field("summary", "You must specify a summary of the issue."))
            } else {
                Ok(None)
            };
        }
        if text.contains(['\n', '\r']) {
            let name = if is_summary { "summary" } else { field.name.as_str() };
            return Err(Fault::of_field(
                &field.id,
                format!("The {name} is invalid because it contains newline characters."),
            ));
        }
        if text.chars().count() > MAX_LINE {
            let name = if is_summary { "Summary" } else { field.name.as_str() };
            return Err(Fault::of_field(
                &field.id,
                format!("{name} must be less than {MAX_LINE} characters."),
            ));
        }
        Ok(Some(Value::Text(text.to_owned())))
    }

    /// Reads rich text under the name that an error has to have.
    pub(crate) fn rich(&self, name: &str, json: &Json) -> Result<Option<Value>> {
        let stored = match (self.version, json) {
            (_, Json::Null) => return Ok(None),
            (Version::V3, document) if text::is_adf(document) => document.to_string(),
            (Version::V3, _) => {
                let message =
                    "Operation value must be an Atlassian Document (see the Atlassian Document Format)";
                return Err(Fault::of_field(name, message));
            }
            (Version::V2, Json::String(wiki)) => text::of_wiki(self.work.deployment, wiki),
            (Version::V2, _) => return Err(Fault::of_field(name, "Operation value must be a string")),
        };
        if text::plain(self.work.deployment, &stored).chars().count() > MAX_RICH {
            let message = "The entered text is too long. It exceeds the allowed limit of 32,767 characters.";
            return Err(Fault::of_field(name, message));
        }
        Ok(Some(stored).filter(|it| !text::is_empty(self.work.deployment, it)).map(Value::Text))
    }

    fn labels(&self, field: &Field, json: &Json) -> Result<Option<Value>> {
        let Some(elements) = json.as_array() else {
            return Err(Fault::of_field(&field.id, "data was not an array"));
        };
        let mut labels = Vec::new();
        for element in elements {
            let Some(label) = element.as_str() else {
                return Err(Fault::of_field(&field.id, "string expected at index 0"));
            };
            if label.contains(char::is_whitespace) {
                let message = format!("The label '{label}' contains spaces which is invalid.");
                return Err(Fault::of_field(&field.id, message));
            }
            if label.chars().count() > MAX_LINE {
                let message = format!("The label '{label}' exceeds the maximum length for a label (255).");
                return Err(Fault::of_field(&field.id, message));
            }
            if !label.is_empty() && !labels.iter().any(|it| it == label) {
                labels.push(label.to_owned());
            }
        }
        labels.sort();
        Ok(Some(labels).filter(|it| !it.is_empty()).map(Value::Texts))
    }

    /// A sprint by its number; one only, as in Jira.
    fn sprint(&self, field: &Field, json: &Json) -> Result<Option<Value>> {
        let number = json.as_i64().or_else(|| json.as_str().and_then(|it| it.parse().ok()));
        let Some(id) = number else {
            return Err(Fault::of_field(&field.id, "Number value expected as the Sprint id."));
        };
        let sql = "SELECT 1 FROM sprint WHERE id = ?1 AND state <> 'closed'";
        if self.work.one(sql, [id], |_| Ok(()))?.is_none() {
            return Err(Fault::of_field(
                &field.id,
                format!("Sprint with id {id} does not exist or is closed."),
            ));
        }
        Ok(Some(Value::Refs(vec![id])))
    }

    /// Returns the id of what a JSON object names by `id`, `name`, `value` or `key`.
    fn named(&self, field: &Field, json: &Json) -> Result<i64> {
        let work = self.work;
        let text = |name: &str| json.get(name).and_then(Json::as_str);
        let id = || {
            text("id").and_then(|it| it.parse::<i64>().ok()).or_else(|| json.get("id").and_then(Json::as_i64))
        };
        let fail = |message: String| Err(Fault::of_field(&field.id, message));
        let by = |table: &str, scope: &str| -> Result<Option<i64>> {
            match (id(), text("name")) {
                (Some(id), _) => {
                    let sql = format!("SELECT id FROM {table} WHERE id = ?1 {scope}");
                    work.one(&sql, [id], |row| row.get(0))
                }
                (None, Some(name)) => {
                    let sql = format!("SELECT id FROM {table} WHERE name = ?1 COLLATE NOCASE {scope}");
                    work.one(&sql, [name], |row| row.get(0))
                }
                (None, None) => Ok(None),
            }
        };
        let of_project = format!("AND project_id = {}", self.project);
        let shown = || text("name").or(text("id")).or(text("value")).unwrap_or("null").to_owned();
        match field.kind {
            Kind::User | Kind::Users => self.person(field, json),
            Kind::Priority => match by("priority", "")? {
                Some(id) => Ok(id),
                None => fail("The priority selected is invalid.".to_owned()),
            },
            Kind::Resolution => match by("resolution", "")? {
                Some(id) => Ok(id),
                None => fail("The resolution selected is invalid.".to_owned()),
            },
            Kind::Components => match by("component", &of_project)? {
                Some(id) => Ok(id),
                None => fail(format!("Component name '{}' is not valid", shown())),
            },
            Kind::Version | Kind::Versions => match by("version", &of_project)? {
                Some(id) => Ok(id),
                None => fail(format!("Version name '{}' is not valid", shown())),
            },
            Kind::IssueType => {
                let here = format!(
                    "AND id IN (SELECT issue_type_id FROM project_issue_type WHERE project_id = {})",
                    self.project
                );
                match by("issue_type", &here)? {
                    Some(id) => Ok(id),
                    None => fail("The issue type selected is invalid.".to_owned()),
                }
            }
            Kind::Group => match text("name") {
                Some(name) => {
                    match work.one("SELECT id FROM \"group\" WHERE name = ?1", [name], |row| row.get(0))? {
                        Some(id) => Ok(id),
                        None => fail(format!("Group '{name}' does not exist.")),
                    }
                }
                None => fail("Could not find valid group name in the object.".to_owned()),
            },
            Kind::Issue => self.other_issue(field, json),
            Kind::RequestType => match id().or_else(|| json.as_str().and_then(|it| it.parse().ok())) {
                Some(id) => Ok(id),
                None => fail("Request type is not valid.".to_owned()),
            },
            Kind::Cascade | Kind::Option | Kind::Options => self.option(field, json),
            _ => fail("Operation value is not valid.".to_owned()),
        }
    }

    fn person(&self, field: &Field, json: &Json) -> Result<i64> {
        let work = self.work;
        let expected = if work.is_cloud() { "accountId" } else { "name" };
        if !json.is_object()
            || (json.get(expected).is_none() && json.get("key").is_none() && json.get("id").is_none())
        {
            return Err(Fault::of_field(
                &field.id,
                format!("expected Object containing a '{expected}' property"),
            ));
        }
        let shown = ["accountId", "id", "name", "key"]
            .iter()
            .find_map(|it| json.get(*it)?.as_str())
            .unwrap_or_default();
        let Some(id) = person::of_json(work, json)? else {
            let message = match work.is_cloud() {
                true => format!("User with accountId '{shown}' does not exist."),
                false => format!("User '{shown}' does not exist."),
            };
            return Err(Fault::of_field(&field.id, message));
        };
        let active =
            work.one("SELECT active FROM person WHERE id = ?1", [id], |row| row.get(0))?.unwrap_or(false);
        if field.id == "assignee" && !(active && permission::can(work, id, self.project, "ASSIGNABLE_USER")?)
        {
            return Err(Fault::of_field("assignee", format!("User '{shown}' cannot be assigned issues.")));
        }
        Ok(id)
    }

    fn other_issue(&self, field: &Field, json: &Json) -> Result<i64> {
        let named = ["key", "id"].iter().find_map(|it| json.get(*it)?.as_str()).or_else(|| json.as_str());
        let found = named.map_or(Ok(None), |it| issue::find(self.work, it))?;
        match found {
            Some(id) => Ok(id),
            None if field.id == "parent" => {
                Err(Fault::of_field("parent", "Could not find issue by id or key."))
            }
            None => {
                let message = format!("No issue with key '{}' found.", named.unwrap_or_default());
                Err(Fault::of_field(&field.id, message))
            }
        }
    }

    /// Returns the option that `{"value": …}` or `{"id": …}` names, and of a cascade the one of `child`.
    fn option(&self, field: &Field, json: &Json) -> Result<i64> {
        let upper = self.among(field, json, &options(self.work, &field.id, self.project)?)?;
        match json.get("child") {
            Some(child) if field.kind == Kind::Cascade && !child.is_null() => {
                self.among(field, child, &children(self.work, upper)?)
            }
            _ => Ok(upper),
        }
    }

    fn among(&self, field: &Field, json: &Json, allowed: &[i64]) -> Result<i64> {
        let text = |name: &str| json.get(name).and_then(Json::as_str);
        let id = text("id").and_then(|it| it.parse::<i64>().ok());
        let (Some(shown), is_id) = (text("id").or(text("value")), id.is_some()) else {
            return Err(Fault::of_field(
                &field.id,
                format!("Specify a valid 'id' or 'value' for {}", field.name),
            ));
        };
        for option in allowed {
            let sql = "SELECT value FROM option WHERE id = ?1";
            let value: Option<String> = self.work.one(sql, [option], |row| row.get(0))?;
            if if is_id { id == Some(*option) } else { value.as_deref() == Some(shown) } {
                return Ok(*option);
            }
        }
        let what = if is_id { "Option id" } else { "Option value" };
        Err(Fault::of_field(&field.id, format!("{what} '{shown}' is not valid")))
    }
}

/// Reads `timetracking`: the values of the two estimates, for those that are given.
pub(crate) fn estimates(json: &Json) -> Result<Vec<(&'static str, Option<Value>)>> {
    let mut found = Vec::new();
    for (name, field) in [("originalEstimate", "timeoriginalestimate"), ("remainingEstimate", "timeestimate")]
    {
        match json.get(name) {
            None => {}
            Some(Json::Null) => found.push((field, None)),
            Some(value) => {
                let seconds = value.as_str().and_then(duration::read);
                let Some(seconds) = seconds else {
                    let message =
                        format!("'{}' is not a valid duration.", value.as_str().unwrap_or_default());
                    return Err(Fault::of_field(format!("timetracking_{}", name.to_lowercase()), message));
                };
                found.push((field, Some(Value::Number(seconds as f64))));
            }
        }
    }
    Ok(found)
}
