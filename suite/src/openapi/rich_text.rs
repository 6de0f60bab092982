//! The rich text of issues, comments and worklogs.
//!
//! In: a value and its schema. Out: problems of the rich text in it. In version 3 of Jira Cloud, rich text is
//! a document in the Atlassian Document Format; in version 2 and in Data Center it is a string. The OpenAPI
//! documents give it no type, so their schemas accept both everywhere.
//!
//! Rich text is the description and the environment of an issue, the body of a comment, and the comment of a
//! worklog. Which custom fields are, too, a field does not tell: there, only an object that says it is a
//! document is checked.

use std::path::Path;

use jsonschema::{Draft, Validator};
use serde_json::Value;

use super::document::{Document, component_of, json};
use super::schema::problem;
use super::shown;

/// The schema of the Atlassian Document Format.
pub(super) struct RichText(Validator);

/// The syntax that rich text has to have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// A document in the Atlassian Document Format.
    Document,
    /// A document or a string.
    Either,
    /// A string.
    Text,
}

/// A value with its path.
struct Found<'a> {
    path: String,
    /// Whether it is rich text for sure, not only if it looks like a document.
    certain: bool,
    value: &'a Value,
}

impl RichText {
    /// Compiles the schema in the folder of the documents.
    pub(super) fn read(folder: &Path) -> Self {
        let schema = json(&folder.join("adf-document.schema.json"));
        let options = jsonschema::options().with_draft(Draft::Draft4).should_validate_formats(false);
        Self(options.build(&schema).expect("the schema of the Atlassian Document Format"))
    }

    /// Checks the rich text in a value.
    pub(super) fn faults(
        &self,
        document: &Document,
        schema: &Value,
        value: &Value,
        syntax: Syntax,
        place: &str,
    ) -> Vec<String> {
        let mut found = Vec::new();
        collect(document, schema, value, place, &mut found);
        found.iter().flat_map(|it| self.judge(it, syntax)).collect()
    }

    fn judge(&self, found: &Found<'_>, syntax: Syntax) -> Vec<String> {
        let Found { path, certain, value } = found;
        let wrong = |expected: &str| vec![format!("{path}: expected {expected}, but found {}", shown(value))];
        match (syntax, value) {
            // Empty rich text.
            (_, Value::Null) => Vec::new(),
            (Syntax::Document | Syntax::Either, _) if says_document(value) => {
                self.0.iter_errors(value).map(|error| problem(path, &error)).collect()
            }
            (Syntax::Either | Syntax::Text, Value::String(_)) => Vec::new(),
            (Syntax::Text, _) if *certain || says_document(value) => wrong("a string"),
            (Syntax::Document, _) if *certain => wrong("a document in the Atlassian Document Format"),
            (Syntax::Either, _) if *certain => wrong("a string or a document"),
            _ => Vec::new(),
        }
    }
}

fn says_document(value: &Value) -> bool {
    value["type"] == "doc"
}

/// Collects the rich text in a value, guided by its schema.
fn collect<'a>(
    document: &Document,
    schema: &Value,
    value: &'a Value,
    path: &str,
    found: &mut Vec<Found<'a>>,
) {
    if let Some(name) = component_of(schema) {
        known(name, value, path, found);
        return collect(document, document.component(name), value, path, found);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for alternative in schema[keyword].as_array().into_iter().flatten() {
            collect(document, alternative, value, path, found);
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        collect(document, &schema["items"], item, &format!("{path}/{index}"), found);
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        let own = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
        collect(document, own, member, &format!("{path}/{name}"), found);
    }
}

/// Collects the rich text in a value of the component `name`.
fn known<'a>(name: &str, value: &'a Value, path: &str, found: &mut Vec<Found<'a>>) {
    match name {
        "Comment" | "CommentJsonBean" => certain(value, "body", path, found),
        "Worklog" | "worklog" => certain(value, "comment", path, found),
        "IssueBean" => fields(&value["fields"], &format!("{path}/fields"), found),
        "IssueUpdateBean" | "IssueUpdateDetails" => {
            fields(&value["fields"], &format!("{path}/fields"), found);
            updates(&value["update"], &format!("{path}/update"), found);
        }
        _ => {}
    }
}

fn certain<'a>(value: &'a Value, member: &str, path: &str, found: &mut Vec<Found<'a>>) {
    if let Some(value) = value.get(member) {
        found.push(Found { path: format!("{path}/{member}"), certain: true, value });
    }
}

fn fields<'a>(fields: &'a Value, path: &str, found: &mut Vec<Found<'a>>) {
    for (name, value) in fields.as_object().into_iter().flatten() {
        let path = format!("{path}/{name}");
        let list = match name.as_str() {
            "comment" => ("comments", "body"),
            "worklog" => ("worklogs", "comment"),
            "description" | "environment" => {
                found.push(Found { path, certain: true, value });
                continue;
            }
            _ => {
                found.push(Found { path, certain: false, value });
                continue;
            }
        };
        // Atlassian's own examples have a bare list where the products have a page.
        let (items, path) = match value.get(list.0) {
            Some(items) => (items, format!("{path}/{}", list.0)),
            None => (value, path),
        };
        for (index, item) in items.as_array().into_iter().flatten().enumerate() {
            certain(item, list.1, &format!("{path}/{index}"), found);
        }
    }
}

/// Collects from `update`: `{ "description": [{ "set": … }], "comment": [{ "add": { "body": … } }] }`.
fn updates<'a>(update: &'a Value, path: &str, found: &mut Vec<Found<'a>>) {
    for (name, operations) in update.as_object().into_iter().flatten() {
        for (index, operation) in operations.as_array().into_iter().flatten().enumerate() {
            for (verb, value) in operation.as_object().into_iter().flatten() {
                let path = format!("{path}/{name}/{index}/{verb}");
                match name.as_str() {
                    "comment" => certain(value, "body", &path, found),
                    "worklog" => certain(value, "comment", &path, found),
                    "description" | "environment" => found.push(Found { path, certain: true, value }),
                    _ => found.push(Found { path, certain: false, value }),
                }
            }
        }
    }
}
