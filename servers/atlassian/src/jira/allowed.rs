//! The values that a field allows, for an error that says what would have been right.
//!
//! In: an error of the site about fields. Out: the same error, with the allowed values of these fields from the site's own metadata. Nothing is asked
//! while all goes well.

use plainwire::ToolError;
use serde_json::{Value, json};

use super::Jira;
use crate::rest::Upstream;
use crate::write::Change;

/// The largest number of values that are told of one field.
const MAX_VALUES: usize = 25;

/// The largest number of values of one field that a view has.
const MAX_SHOWN: usize = 100;

impl Jira {
    /// Adds the allowed values to the error of a change. `issue` is the issue that was to change, or `issue_type` the type of one to make.
    ///
    /// # Errors
    /// The error, with what it should have been.
    pub async fn explained(
        &self,
        change: Result<Change, ToolError>,
        project: &str,
        issue: Option<&str>,
        issue_type: Option<&str>,
    ) -> Result<Change, ToolError> {
        let error = match change {
            Err(error) if error.code() == "invalid_input" => error,
            change => return change,
        };
        let described = match (issue, issue_type) {
            (Some(issue), _) => self
                .site()
                .json(self.get(["issue", issue, "editmeta"]))
                .await
                .map(|it: Value| it["fields"].clone()),
            (None, Some(kind)) => self.create_meta(project, kind).await,
            (None, None) => return Err(error),
        };
        let Ok(fields) = described else { return Err(error) };
        Err(with_values(error, &fields))
    }

    /// Returns the fields of the screen for a new issue, by id.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/api/{v}/issue/createmeta/{project}/issuetypes[/{id}]`.
    pub async fn create_meta(&self, project: &str, issue_type: &str) -> Result<Value, Upstream> {
        let types = self.issue_types(project).await?;
        let same = |it: &&Value| {
            it["name"].as_str().is_some_and(|name| name.eq_ignore_ascii_case(issue_type))
                || it["id"] == issue_type
        };
        let id = types.iter().find(same).and_then(|it| it["id"].as_str()).unwrap_or(issue_type).to_owned();
        let request =
            self.get(["issue", "createmeta", project, "issuetypes", &id]).query("maxResults", "200");
        let answer: Value = self.site().json(request).await?;
        let fields = answer[self.dialect.create_fields].as_array().cloned().unwrap_or_default();
        Ok(fields.into_iter().map(|it| (it["fieldId"].as_str().unwrap_or_default().to_owned(), it)).collect())
    }

    /// Returns the types of issues that may be made in a project.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn issue_types(&self, project: &str) -> Result<Vec<Value>, Upstream> {
        let request = self.get(["issue", "createmeta", project, "issuetypes"]).query("maxResults", "200");
        let answer: Value = self.site().json(request).await?;
        Ok(answer[self.dialect.create_types].as_array().cloned().unwrap_or_default())
    }
}

/// Adds the values that fields allow to an error about them. `fields` are those of a screen, by id.
pub fn with_values(error: ToolError, fields: &Value) -> ToolError {
    let told = told(fields, error.message());
    if error.code() != "invalid_input" || told.is_empty() { error } else { error.hint(told.join("; ")) }
}

/// Returns a sentence for each field that an error is about.
fn told(fields: &Value, message: &str) -> Vec<String> {
    let all = fields.as_object().into_iter().flatten();
    let named = all.filter(|(id, it)| {
        let name = it["name"].as_str().unwrap_or_default();
        message.contains(id.as_str()) || (!name.is_empty() && message.contains(name))
    });
    named.filter_map(|(id, it)| sentence(id, it)).collect()
}

/// Returns the values that a field allows, in a sentence.
fn sentence(id: &str, described: &Value) -> Option<String> {
    let values = values(described);
    if values.is_empty() {
        return None;
    }
    let name = described["name"].as_str().unwrap_or(id);
    let more = values.len().saturating_sub(MAX_VALUES);
    let mut told = values.into_iter().take(MAX_VALUES).collect::<Vec<_>>().join(", ");
    if more > 0 {
        told.push_str(&format!(" and {more} more"));
    }
    Some(format!("{name} may be {told}"))
}

/// Returns the names of the values that a field allows; of a cascade, those of both levels.
pub fn values(described: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for it in described["allowedValues"].as_array().into_iter().flatten() {
        let name = it["value"].as_str().or(it["name"].as_str()).or(it.as_str()).unwrap_or_default();
        let children =
            it["children"].as_array().into_iter().flatten().filter_map(|child| child["value"].as_str());
        let before = names.len();
        names.extend(children.map(|child| format!("{name} > {child}")));
        if names.len() == before && !name.is_empty() {
            names.push(name.to_owned());
        }
    }
    names
}

/// Returns the view of a field of a screen: what a write has to know of it. `allowed_more` is the number of values that are not shown;
/// jira_get_field_options lists them.
pub fn shown(described: &Value) -> Value {
    let schema = &described["schema"];
    let mut shown = json!({ "id": described["fieldId"], "name": described["name"], "type": schema["type"] });
    if let Some(items) = schema.get("items") {
        shown["of"] = items.clone();
    }
    if described["required"] == true {
        shown["required"] = json!(true);
    }
    let values = values(described);
    if values.len() > MAX_SHOWN {
        shown["allowed_more"] = json!(values.len() - MAX_SHOWN);
    }
    if !values.is_empty() {
        shown["allowed"] = json!(values.into_iter().take(MAX_SHOWN).collect::<Vec<_>>());
    }
    shown
}
