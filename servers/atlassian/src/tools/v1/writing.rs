//! Changes by the names of `v1`. Each can be looked at first and taken back, as in `v2`.

use plainwire::Entries;
use plainwire::prelude::*;
use plainwire::serde_json::Map;

use super::twice;
use crate::jira::Jira;
use crate::tools::jira::comments::{self, AddComment};
use crate::tools::jira::issues::{self, CreateIssue, UpdateIssue};
use crate::tools::jira::transitions::{self, Transition};
use crate::write::{Change, Journal};

/// The tools of this file.
pub(super) fn entries() -> Entries {
    Entries::new()
        .tool(jira_create_issue)
        .tool(v1_jira_create_issue)
        .tool(jira_update_issue)
        .tool(v1_jira_update_issue)
        .tool(jira_assign_issue)
        .tool(v1_jira_assign_issue)
        .tool(jira_transition_issue)
        .tool(v1_jira_transition_issue)
        .tool(jira_add_comment)
        .tool(v1_jira_add_comment)
}

/// The type of an issue that does not say one.
const USUAL_TYPE: &str = "Task";

/// An issue to make.
#[data]
#[serde(rename_all = "camelCase")]
struct NewIssue {
    /// Such as SHOP.
    project_key: String,
    summary: String,
    /// Such as Bug or Epic. By default Task.
    issue_type: Option<String>,
    /// Markdown.
    description: Option<String>,
    /// Such as High. By default that of the site.
    priority: Option<String>,
    /// Only show what would be made.
    #[default(false)]
    preview: bool,
}

twice! {
    /// Makes an issue. Returns its key, its fields and an undo handle; preview shows it first.
    #[tool(additive, title = "Make an issue")]
    jira_create_issue | v1_jira_create_issue (it: NewIssue, jira, journal, context) {
        let create = CreateIssue {
            project_key: it.project_key,
            summary: it.summary,
            issue_type: given(it.issue_type).unwrap_or_else(|| USUAL_TYPE.to_owned()),
            assignee: None,
            description: given(it.description),
            components: Default::default(),
            additional_fields: fields([("priority", given(it.priority))]),
            raw: false,
            accept_loss: false,
            preview: it.preview,
            idempotency_key: None,
        };
        issues::jira_create_issue(create, jira, journal, context).await
    }
}

/// A change of an issue.
#[data]
#[serde(rename_all = "camelCase")]
struct EditIssue {
    /// Such as SHOP-1.
    issue_key: String,
    summary: Option<String>,
    /// Markdown: the description as it was read, edited.
    description: Option<String>,
    /// Such as High.
    priority: Option<String>,
    /// `me`, a name, an e-mail address or an account id; `unassigned` for no one.
    assignee: Option<String>,
    /// Only show what would change.
    #[default(false)]
    preview: bool,
}

twice! {
    /// Changes fields of an issue; what is not given stays. Returns what changed and an undo handle.
    #[tool(destructive, title = "Change an issue")]
    jira_update_issue | v1_jira_update_issue (it: EditIssue, jira, journal, context) {
        let values = [
            ("summary", it.summary),
            ("description", it.description),
            ("priority", it.priority),
            ("assignee", it.assignee),
        ];
        let update = UpdateIssue {
            issue_key: it.issue_key,
            fields: fields(values),
            additional_fields: Map::new(),
            components: None,
            attachments: None,
            description_section: None,
            based_on: None,
            return_fields: None,
            raw: false,
            accept_loss: false,
            preview: it.preview,
        };
        issues::jira_update_issue(update, jira, journal, context).await
    }
}

/// A new assignee.
#[data]
#[serde(rename_all = "camelCase")]
struct Assign {
    /// Such as SHOP-1.
    issue_key: String,
    /// An account id, `me`, a name or an e-mail address; nothing for no one.
    account_id: Option<String>,
    /// Only show what would change.
    #[default(false)]
    preview: bool,
}

twice! {
    /// Assigns an issue to a person, or to no one. Returns the change and an undo handle.
    #[tool(destructive, idempotent, title = "Assign an issue")]
    jira_assign_issue | v1_jira_assign_issue (it: Assign, jira, journal, context) {
        let assign = issues::Assign {
            issue_key: it.issue_key,
            person: it.account_id,
            argument: "accountId",
            preview: it.preview,
        };
        issues::assigned(assign, &jira, &journal, &context).await
    }
}

/// A step of an issue.
#[data]
#[serde(rename_all = "camelCase")]
struct Move {
    /// Such as SHOP-1.
    issue_key: String,
    /// The id or name of a transition, or the name of the status it leads to.
    transition: String,
    /// Only show what would change.
    #[default(false)]
    preview: bool,
}

twice! {
    /// Moves an issue to another status. Returns the change and an undo handle, which needs a transition that leads back.
    #[tool(destructive, title = "Move an issue to a status")]
    jira_transition_issue | v1_jira_transition_issue (it: Move, jira, journal, context) {
        let step = Transition {
            issue_key: it.issue_key,
            transition_id: it.transition,
            fields: Map::new(),
            comment: None,
            accept_loss: false,
            preview: it.preview,
        };
        transitions::moved(step, "transition", &jira, &journal, &context).await
    }
}

/// A comment to add.
#[data]
#[serde(rename_all = "camelCase")]
struct NewComment {
    /// Such as SHOP-1.
    issue_key: String,
    /// Markdown.
    comment: String,
    /// Only show what would be written.
    #[default(false)]
    preview: bool,
}

twice! {
    /// Adds a comment to an issue. Returns its id and an undo handle; preview shows it first.
    #[tool(additive, title = "Add a comment")]
    jira_add_comment | v1_jira_add_comment (it: NewComment, jira, journal, context) {
        let add = AddComment {
            issue_key: it.issue_key,
            body: it.comment,
            visibility: None,
            public: None,
            raw: false,
            accept_loss: false,
            preview: it.preview,
        };
        comments::jira_add_comment(add, jira, journal, context).await
    }
}

/// Returns a text that has one. A caller that fills each parameter means nothing by a blank one.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|it| !it.trim().is_empty())
}

/// Returns the fields that have a value.
fn fields<const N: usize>(values: [(&str, Option<String>); N]) -> Map<String, Value> {
    values.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value?)))).collect()
}
