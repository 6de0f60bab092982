//! Issues: reading one, with its comments.
//!
//! In: a key, and the fields that are wanted. Out: an [`Issue`] as Jira answered it, and a view of it for a reader. `plan` has the changes.

mod comments;
mod more;
mod plan;

use std::collections::BTreeMap;

use plainwire::ToolError;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Jira;
use super::fields::Fields;
use super::shown::{Cast, Texts, name_of};
use crate::rest::Upstream;

pub use comments::{Comment, Comments, Newest};
pub use plan::{CreateFields, Edit, Moved, text_of};

/// The fields of an issue, if a call names none: those of mcp-atlassian.
pub const FIELDS: &str =
    "summary,updated,priority,reporter,labels,status,description,issuetype,assignee,versions,created";

/// An issue, as Jira answered it. Its fields keep their text.
#[derive(Clone, Debug, Deserialize)]
pub struct Issue {
    /// The id.
    pub id: String,
    /// The key, which may have changed since the caller learnt it.
    pub key: String,
    /// The values of fields, by their ids.
    #[serde(default)]
    pub fields: BTreeMap<String, Box<RawValue>>,
    /// The other members, such as `transitions` and `changelog`.
    #[serde(flatten)]
    pub more: BTreeMap<String, Value>,
}

impl Issue {
    /// Returns the value of a field; null if it is empty or was not asked for.
    pub fn value(&self, field: &str) -> Value {
        self.fields.get(field).and_then(|it| serde_json::from_str(it.get()).ok()).unwrap_or_default()
    }

    /// Returns the key of its project.
    pub fn project(&self) -> &str {
        self.key.rsplit_once('-').map_or("", |(project, _)| project)
    }
}

/// The fields that a call wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted(Vec<String>);

impl Wanted {
    /// Reads names and ids; nothing is the usual set.
    ///
    /// # Errors
    /// A name of no field, or of several.
    pub fn read(fields: &Fields, names: &[String]) -> Result<Self, ToolError> {
        let usual = || FIELDS.split(',').map(ToOwned::to_owned).collect();
        let names: Vec<String> = if names.is_empty() { usual() } else { names.to_vec() };
        let id = |name: &String| match name.as_str() {
            "*all" | "*navigable" => Ok(name.clone()),
            // `comment` is asked for by a limit of its own; the others are names of answers.
            "type" => Ok("issuetype".to_owned()),
            "due" => Ok("duedate".to_owned()),
            name => fields.meant(name.trim_start_matches('-')).map(|it| match name.starts_with('-') {
                true => format!("-{}", it.id),
                false => it.id.clone(),
            }),
        };
        names.iter().map(id).collect::<Result<_, _>>().map(Self)
    }

    /// Returns whether all fields are wanted.
    pub fn is_all(&self) -> bool {
        self.0.iter().any(|it| it == "*all")
    }

    /// Returns the parameter for a request.
    pub fn parameter(&self) -> String {
        self.0.join(",")
    }

    /// Returns the ids.
    pub fn ids(&self) -> &[String] {
        &self.0
    }
}

/// A view of an issue: the fields that have a value, by their names for people.
pub type Shown = BTreeMap<String, Value>;

impl Jira {
    /// Returns the issue `key` with the fields and the expansions that are named, as ids.
    ///
    /// # Errors
    /// Those of the site. `NotFound` if it is missing *or hidden*: Jira does not say which.
    ///
    /// Source: Jira Cloud v3 and Data Center v2 `GET /rest/api/{v}/issue/{key}`.
    pub async fn issue(&self, key: &str, fields: &str, expand: &[&str]) -> Result<Issue, Upstream> {
        self.issue_with(key, fields, expand, &[]).await
    }

    /// Like [`Self::issue`], with properties of the issue.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn issue_with(
        &self,
        key: &str,
        fields: &str,
        expand: &[&str],
        properties: &[String],
    ) -> Result<Issue, Upstream> {
        let mut request = self.get(["issue", key]).query("fields", fields);
        if !expand.is_empty() {
            request = request.query("expand", expand.join(","));
        }
        if !properties.is_empty() {
            request = request.query("properties", properties.join(","));
        }
        self.site().json(request).await
    }

    /// Returns a view of an issue. Comments, worklogs and fields without a value are not in it.
    pub fn view(&self, fields: &Fields, issue: &Issue, texts: Texts, cast: &mut Cast) -> Shown {
        let mut shown = Shown::new();
        for (id, raw) in &issue.fields {
            let Some(field) = fields.by_id(id).filter(|it| !is_noise(it)) else { continue };
            if let Some(value) = self.shown(field, raw, texts, cast) {
                shown.insert(name_of(fields, field), value);
            }
        }
        shown
    }
}

/// Returns whether a field tells a reader nothing, or is shown in another way.
fn is_noise(field: &super::fields::Field) -> bool {
    let named = matches!(
        field.id.as_str(),
        "comment"
            | "worklog"
            | "lastViewed"
            | "workratio"
            | "thumbnail"
            | "progress"
            | "aggregateprogress"
            | "statuscategorychangedate"
            | "statusCategory"
    );
    named || field.id.starts_with("aggregate") || field.schema.is_custom("gh-lexo-rank")
}
