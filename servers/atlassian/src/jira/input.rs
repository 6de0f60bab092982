//! Values of fields as callers give them: names in the place of objects.
//!
//! In: a value such as `"High"`, `"me"`, `["a", "b"]` or `"a, b"`. Out: the JSON that Jira takes. An object is passed on as it is.

use plainwire::ToolError;
use serde_json::{Value, json};

use super::Jira;
use super::fields::Field;
use super::people::{Among, is_no_one};

/// The place that a value is for.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The key of the project.
    pub project: &'a str,
    /// The key of the issue, if there is one already.
    pub issue: Option<&'a str>,
}

/// Reads a list: an array, JSON text of an array, or text with commas.
pub fn list(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(all) => all.clone(),
        Value::Null => Vec::new(),
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(Value::Array(all)) => all,
            _ => text.split(',').map(str::trim).filter(|it| !it.is_empty()).map(|it| json!(it)).collect(),
        },
        one => vec![one.clone()],
    }
}

/// Returns the text of a value that names something.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |it| it.trim().to_owned())
}

/// Returns the key or id of the issue that a value names: a text, or an object with one of them.
pub(super) fn named_issue(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            members.get("key").or_else(|| members.get("id")).map(text).unwrap_or_default()
        }
        value => text(value),
    }
}

impl Jira {
    /// Returns the JSON of a value for a field that is no rich text.
    ///
    /// # Errors
    /// A value that the type does not have; a person or sprint that is not clear.
    pub async fn input(&self, field: &Field, value: &Value, place: Place<'_>) -> Result<Value, ToolError> {
        let schema = &field.schema;
        if value.is_null() {
            return Ok(Value::Null);
        }
        if schema.is_custom("gh-sprint") {
            if let Some(id) = number(value).filter(|it| it.as_i64().is_some()) {
                return Ok(id);
            }
            return self.open_sprint(&text(value), Some(place.project), None).await;
        }
        if schema.kind == "issuelink" || schema.is_custom("gh-epic-link") {
            return self.other_issue(field, value).await;
        }
        if value.is_object() {
            return Ok(value.clone());
        }
        let expected = |what: &str| {
            ToolError::invalid_input(format!(
                "expected {what} for the field {:?}, but found {value}",
                field.name
            ))
        };
        match (schema.kind.as_str(), schema.items.as_deref()) {
            ("user", _) => self.user(field, value, place).await,
            ("array", Some("user")) => {
                let mut people = Vec::new();
                for one in list(value) {
                    people.push(if one.is_object() { one } else { self.user(field, &one, place).await? });
                }
                Ok(Value::Array(people))
            }
            ("array", Some("string")) => Ok(Value::Array(list(value))),
            ("array", Some("option")) => Ok(named_all(value, "value")),
            ("array", Some(_)) => Ok(named_all(value, "name")),
            ("number", _) => number(value).ok_or_else(|| expected("a number")),
            ("option", _) => Ok(json!({ "value": text(value) })),
            ("option-with-child", _) => Ok(cascade(&text(value))),
            (
                "priority" | "resolution" | "issuetype" | "version" | "group" | "securitylevel" | "component",
                _,
            ) => Ok(json!({ "name": text(value) })),
            ("timetracking", _) => Ok(json!({ "originalEstimate": text(value) })),
            ("date", _) => {
                let text = text(value);
                let is_day = text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok();
                if is_day { Ok(json!(text)) } else { Err(expected("a day such as 2026-11-27")) }
            }
            ("string" | "datetime", _) => match value {
                Value::String(_) => Ok(value.clone()),
                Value::Number(number) => Ok(json!(number.to_string())),
                _ => Err(expected("text")),
            },
            _ => Ok(value.clone()),
        }
    }

    async fn user(&self, field: &Field, value: &Value, place: Place<'_>) -> Result<Value, ToolError> {
        let named = text(value);
        if is_no_one(&named) {
            return Ok(Value::Null);
        }
        let among = match (field.id.as_str(), place.issue) {
            ("assignee", Some(issue)) => Among::AssignableTo(issue),
            ("assignee", None) => Among::AssignableInProject(place.project),
            _ => Among::All,
        };
        let person = self.person(&named, among, None).await?;
        Ok(self.dialect.person_body(Some(person.id())))
    }

    /// Returns the issue that a value names, such as a parent. It has to be one that the server may touch.
    async fn other_issue(&self, field: &Field, value: &Value) -> Result<Value, ToolError> {
        let key = self.key(&named_issue(value)).await?;
        let is_text = field.schema.is_custom("gh-epic-link");
        Ok(if is_text { json!(key.as_str()) } else { json!({ "key": key.as_str() }) })
    }
}

fn number(value: &Value) -> Option<Value> {
    match value {
        Value::Number(_) => Some(value.clone()),
        Value::String(text) => match serde_json::from_str::<Value>(text.trim()) {
            Ok(number @ Value::Number(_)) => Some(number),
            _ => None,
        },
        _ => None,
    }
}

fn named_all(value: &Value, member: &str) -> Value {
    let all = list(value).into_iter();
    Value::Array(all.map(|it| if it.is_object() { it } else { json!({ member: text(&it) }) }).collect())
}

/// Reads `Upper > Lower`.
fn cascade(text: &str) -> Value {
    match text.split_once('>') {
        Some((upper, lower)) => json!({ "value": upper.trim(), "child": { "value": lower.trim() } }),
        None => json!({ "value": text }),
    }
}

/// Returns a value of an answer in the form that a request takes: the ids in the place of objects.
pub fn writable(field: &Field, value: &Value) -> Value {
    if field.schema.is_custom("gh-sprint") {
        // A request names one sprint; those that ended stay.
        let last = value.as_array().and_then(|it| it.last());
        return last.map_or(Value::Null, |it| it["id"].clone());
    }
    if field.id == "timetracking" {
        let part = |name: &str| value.get(name).cloned().unwrap_or(Value::Null);
        return json!({ "originalEstimate": part("originalEstimate"), "remainingEstimate": part("remainingEstimate") });
    }
    match value {
        Value::Array(all) => Value::Array(all.iter().map(identity).collect()),
        value => identity(value),
    }
}

fn identity(value: &Value) -> Value {
    let Value::Object(members) = value else { return value.clone() };
    // A document of rich text is a value, not a name.
    if members.contains_key("content") || members.contains_key("version") && members.contains_key("type") {
        return value.clone();
    }
    for name in ["accountId", "name", "id"] {
        // People of Data Center have a name; all else has an id that is surer than its name.
        let is_person = members.contains_key("displayName");
        if name == "name" && !is_person {
            continue;
        }
        if let Some(id) = members.get(name) {
            let mut identity = json!({ name: id });
            if let Some(child) = members.get("child") {
                identity["child"] = self::identity(child);
            }
            return identity;
        }
    }
    members.get("name").map_or_else(|| value.clone(), |name| json!({ "name": name }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::list;

    #[test]
    fn a_list_may_be_an_array_json_text_or_text_with_commas() {
        for value in [json!(["a", "b"]), json!("[\"a\", \"b\"]"), json!("a, b"), json!(" a,b ,")] {
            assert_eq!(list(&value), [json!("a"), json!("b")], "{value}");
        }
        assert!(list(&json!(null)).is_empty());
        assert!(list(&json!("")).is_empty());
    }
}
