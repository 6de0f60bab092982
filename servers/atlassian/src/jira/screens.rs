//! Screens: the fields that issues of a project can have, and their statuses.
//!
//! In: the key of a project, or lists of the site. Out: short views.

use plainwire::ToolError;
use serde_json::{Map, Value, json};

use super::{Jira, allowed};

impl Jira {
    /// Returns the fields of the screens for new issues of a project, each once, without the values that they allow.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn project_fields(&self, project: &str) -> Result<Vec<Value>, ToolError> {
        let types = self.issue_types(project).await?;
        let mut all: Map<String, Value> = Map::new();
        for kind in &types {
            let screen = self.create_meta(project, kind["id"].as_str().unwrap_or_default()).await?;
            for (id, described) in screen.as_object().into_iter().flatten() {
                let entry = all.entry(id.clone()).or_insert_with(|| {
                    let mut shown = allowed::shown(described);
                    if let Some(members) = shown.as_object_mut() {
                        members.retain(|name, _| {
                            !matches!(name.as_str(), "allowed" | "allowed_more" | "required")
                        });
                    }
                    shown["issue_types"] = json!([]);
                    shown["required_for"] = json!([]);
                    shown
                });
                let names = if described["required"] == true {
                    vec!["issue_types", "required_for"]
                } else {
                    vec!["issue_types"]
                };
                for name in names {
                    if let Some(list) = entry[name].as_array_mut() {
                        list.push(kind["name"].clone());
                    }
                }
            }
        }
        let shorter = |mut it: Value| {
            if it["issue_types"].as_array().is_some_and(|it| it.len() == types.len()) {
                drop(it.as_object_mut().and_then(|it| it.remove("issue_types")));
            }
            if it["required_for"].as_array().is_some_and(Vec::is_empty) {
                drop(it.as_object_mut().and_then(|it| it.remove("required_for")));
            }
            it
        };
        Ok(all.into_iter().map(|(_, it)| shorter(it)).collect())
    }
}

/// Returns the statuses of each type of issue.
pub fn by_type(all: &[Value]) -> Vec<Value> {
    let types = all.iter().map(|it| {
        let statuses = it["statuses"].as_array().cloned().unwrap_or_default();
        json!({ "type": it["name"], "statuses": categories(&statuses) })
    });
    types.collect()
}

/// Returns the view of statuses, each with the category that tells whether work is done.
pub fn categories(all: &[Value]) -> Vec<Value> {
    let all = all
        .iter()
        .map(|it| json!({ "id": it["id"], "name": it["name"], "category": it["statusCategory"]["name"] }));
    all.collect()
}
