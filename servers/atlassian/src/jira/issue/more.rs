//! Other changes of issues: assigning, deleting, moving to another project.

use plainwire::ToolError;
use serde_json::{Map, Value, json};

use crate::jira::Jira;
use crate::jira::fields::Field;
use crate::jira::input::writable;
use crate::jira::people::{Among, is_no_one};
use crate::rest::Request;
use crate::write::{FieldChange, How, Inverse, Plan, Restore, Step, newest_entry};

impl Jira {
    /// Plans to assign an issue to a person, or to no one.
    ///
    /// # Errors
    /// A person who is not clear, or may not be assigned.
    ///
    /// Source: `PUT /rest/api/{v}/issue/{key}/assignee`.
    pub async fn plan_assign(&self, key: &str, who: &str, argument: &str) -> Result<Plan, ToolError> {
        let issue = self.issue(key, "assignee", &["changelog"]).await?;
        let now = issue.value("assignee");
        let person = match is_no_one(who) {
            true => None,
            false => Some(self.person(who, Among::AssignableTo(&issue.key), argument).await?),
        };
        let id = person.as_ref().map(|it| it.id().to_owned());
        let path = self.path(["issue", &issue.key, "assignee"]);
        let request = Request::put(path).json(&self.dialect().person_body(id.as_deref()));
        let new = person.map_or(Value::Null, |it| json!(it.display_name));
        let field = Field {
            id: "assignee".to_owned(),
            name: "Assignee".to_owned(),
            custom: false,
            schema: Default::default(),
        };
        let before = json!({ "assignee": writable(&field, &now) });
        let how = How::Fields { before, after: json!({}), seen: newest_entry(&json!(issue.more)) };
        let is_same = now[self.dialect().person].as_str() == id.as_deref();
        Ok(Plan {
            tool: "jira_assign_issue",
            summary: format!("assign {}", issue.key),
            changes: if is_same {
                vec![]
            } else {
                vec![FieldChange::new("assignee", now["displayName"].clone(), new)]
            },
            steps: if is_same { vec![] } else { vec![Step::from(request)] },
            inverse: Inverse::Steps(match is_same {
                true => vec![],
                false => vec![Restore { path: self.path(["issue", &issue.key]), how }],
            }),
            target: issue.key,
            warnings: vec![],
        })
    }

    /// Plans to delete an issue.
    ///
    /// # Errors
    /// Those of the site; sub-tasks, unless they are to be deleted too.
    pub async fn plan_delete(&self, key: &str, with_subtasks: bool) -> Result<Plan, ToolError> {
        let issue = self.issue(key, "summary,subtasks,status", &[]).await?;
        let subtasks = issue.value("subtasks");
        let keys: Vec<String> = subtasks
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|it| it["key"].as_str().map(ToOwned::to_owned))
            .collect();
        if !keys.is_empty() && !with_subtasks {
            let message = format!("{} has the sub-tasks {}", issue.key, keys.join(", "));
            return Err(ToolError::invalid_input(message)
                .hint("repeat the call with `delete_subtasks: true` to delete them too"));
        }
        let mut request = Request::delete(self.path(["issue", &issue.key]));
        if !keys.is_empty() {
            request = request.query("deleteSubtasks", "true");
        }
        let mut changes = vec![FieldChange::new(&issue.key, issue.value("summary"), Value::Null)];
        for it in subtasks.as_array().into_iter().flatten() {
            changes.push(FieldChange::new(
                it["key"].as_str().unwrap_or_default(),
                it["fields"]["summary"].clone(),
                Value::Null,
            ));
        }
        Ok(Plan {
            tool: "jira_delete_issue",
            summary: format!("delete {} for good", issue.key),
            target: issue.key,
            changes,
            steps: vec![Step::from(request)],
            inverse: Inverse::None("a deleted issue does not come back".to_owned()),
            warnings: vec![],
        })
    }

    /// Plans to move an issue to another project of Cloud, with the type of the same name there.
    ///
    /// # Errors
    /// A project without that type.
    ///
    /// Source: Cloud `POST /rest/api/3/bulk/issues/move`.
    pub async fn plan_move(&self, key: &str, project: &str) -> Result<Plan, ToolError> {
        let issue = self.issue(key, "issuetype,project", &[]).await?;
        let kind = issue.value("issuetype");
        let types = self.issue_types(project).await?;
        let same = types.iter().find(|it| it["name"] == kind["name"]);
        let Some(target) = same.and_then(|it| it["id"].as_str()) else {
            let names: Vec<_> = types.iter().filter_map(|it| it["name"].as_str()).collect();
            let message =
                format!("the project {project} has no type {}, but {}", kind["name"], names.join(", "));
            return Err(ToolError::invalid_input(message).hint("change the type of the issue first"));
        };
        let request = Request::post(self.path(["bulk", "issues", "move"]))
            .json(&move_body(project, target, &issue.key));
        let old = issue.value("project");
        let back = move_body(
            old["key"].as_str().unwrap_or_default(),
            kind["id"].as_str().unwrap_or_default(),
            &issue.id,
        );
        let how = How::Send { method: "POST".to_owned(), body: back };
        Ok(Plan {
            tool: "jira_move_issue",
            summary: format!("move {} to {project}", issue.key),
            target: issue.key,
            changes: vec![FieldChange::new("project", old["key"].clone(), project)],
            steps: vec![Step::kept(request, "task")],
            inverse: Inverse::Steps(vec![Restore { path: self.path(["bulk", "issues", "move"]), how }]),
            warnings: vec!["the key changes, and components and versions that the new project lacks are dropped: taking the move back does not bring them back".to_owned()],
        })
    }
}

fn move_body(project: &str, issue_type: &str, issue: &str) -> Value {
    let mapping = json!({
        "issueIdsOrKeys": [issue], "inferFieldDefaults": true, "inferStatusDefaults": true, "inferClassificationDefaults": true, "inferSubtaskTypeDefault": true,
    });
    let targets = Map::from_iter([(format!("{project},{issue_type}"), mapping)]);
    json!({ "sendBulkNotification": false, "targetToSourcesMapping": targets })
}
