//! Comments: reading, adding and changing them.

use plainwire::Entries;
use plainwire::prelude::*;

use super::losses;
use crate::jira::Jira;
use crate::jira::issue::Newest;
use crate::jira::shown::Cast;
use crate::jira::text::Rich;
use crate::rest::Request;
use crate::tools::args;
use crate::tools::write;
use crate::write::{Change, FieldChange, How, Inverse, Journal, Plan, Restore, Step};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new().tool(jira_get_comments).tool(jira_add_comment).tool(jira_edit_comment)
}

/// Comments of an issue.
#[data(kind = "jiraComments:v1")]
pub(crate) struct CommentsView {
    total: u64,
    /// The newest ones, the oldest of them first. Bodies are Markdown.
    comments: Vec<Value>,
}

/// Reads the newest comments of an issue. Returns authors, times and bodies as Markdown.
#[tool(read_only, title = "Comments of an issue")]
pub(crate) async fn jira_get_comments(
    #[argument("Such as SHOP-1.")] issue_key: String,
    #[argument("The largest number of comments, at most 100.", default = 25)] limit: u64,
    jira: State<Jira>,
) -> Result<CommentsView, ToolError> {
    let key = jira.key(&issue_key).await?;
    let found =
        jira.comments(key.as_str(), Newest(args::limit(Some(limit), 25, 100)), &mut Cast::default()).await?;
    Ok(CommentsView { total: found.total, comments: found.shown })
}

// A comment to add.
#[data]
pub(crate) struct AddComment {
    /// Such as SHOP-1.
    pub(crate) issue_key: String,
    /// Markdown.
    pub(crate) body: String,
    /// Who alone sees it: {"type": "role", "value": "Developers"}.
    pub(crate) visibility: Option<Value>,
    /// In a service desk: customers see it.
    pub(crate) public: Option<bool>,
    /// As Jira stores it, not as Markdown.
    #[default(false)]
    pub(crate) raw: bool,
    /// Write even if content is lost.
    #[default(false)]
    pub(crate) accept_loss: bool,
    /// Only show it.
    #[default(false)]
    pub(crate) preview: bool,
}

/// Adds a comment to an issue. Returns its id and an undo handle.
#[tool(additive, title = "Add a comment")]
pub(crate) async fn jira_add_comment(
    #[arguments] it: AddComment,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&it.issue_key).await?;
    let (rich, warnings) = jira.body(&it.body, it.raw, losses(it.accept_loss))?;
    let mut body = json!({ "body": rich.to_json() });
    if let Some(visibility) = visibility(it.visibility.as_ref())? {
        body["visibility"] = visibility;
    }
    if let Some(public) = it.public {
        body["properties"] = json!([{ "key": "sd.public.comment", "value": { "internal": !public } }]);
    }
    let request = Request::post(jira.path(["issue", key.as_str(), "comment"])).json(&body);
    let made = Restore {
        path: jira.path(["issue", key.as_str(), "comment", "{comment}"]),
        how: How::Delete { query: vec![] },
    };
    let plan = Plan {
        tool: "jira_add_comment",
        target: key.as_str().to_owned(),
        summary: format!("comment on {key}"),
        changes: vec![FieldChange::new("comment", Value::Null, rich.markdown())],
        steps: vec![Step::kept(request, "comment")],
        inverse: Inverse::Steps(vec![made]),
        warnings,
    };
    let mut change = write(&jira, &journal, &context, plan, it.preview).await?;
    if let Some(id) = change.result.pointer("/comment/id").cloned() {
        change.result = json!({ "comment_id": id });
    }
    Ok(change)
}

// A change of a comment.
#[data]
struct EditComment {
    /// Such as SHOP-1.
    issue_key: String,
    /// From jira_get_comments.
    comment_id: String,
    /// Markdown: the comment as it was read, edited.
    body: String,
    /// Who alone sees it: {"type": "role", "value": "Developers"}.
    visibility: Option<Value>,
    /// As Jira stores it, not as Markdown.
    #[default(false)]
    raw: bool,
    /// Write even if content is lost.
    #[default(false)]
    accept_loss: bool,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Changes a comment; what the edit did not touch stays. Returns the change and an undo handle.
#[tool(destructive, title = "Change a comment")]
async fn jira_edit_comment(
    #[arguments] it: EditComment,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&it.issue_key).await?;
    let comment = jira.comment(key.as_str(), &it.comment_id).await?;
    let before = Rich::of_json(jira.dialect().rich, &comment.body);
    let (rich, warnings) = match (&before, it.raw) {
        (Some(before), false) => {
            let edited = before.edited(&it.body, losses(it.accept_loss))?;
            (edited.rich, edited.accepted)
        }
        _ => jira.body(&it.body, it.raw, losses(it.accept_loss))?,
    };
    let old = before.map_or(Value::Null, |it| it.to_json());
    let mut body = json!({ "body": rich.to_json() });
    if let Some(visibility) = visibility(it.visibility.as_ref())? {
        body["visibility"] = visibility;
    }
    let path = jira.path(["issue", key.as_str(), "comment", &comment.id]);
    let shown = Rich::of_json(jira.dialect().rich, &comment.body).map(|it| it.markdown());
    let plan = Plan {
        tool: "jira_edit_comment",
        target: key.as_str().to_owned(),
        summary: format!("change the comment {} of {key}", comment.id),
        changes: vec![FieldChange::new(
            "comment",
            shown.map_or(Value::Null, |it| json!(it)),
            rich.markdown(),
        )],
        steps: vec![Step::from(Request::put(path.clone()).json(&body))],
        inverse: Inverse::Steps(vec![Restore {
            path,
            how: How::Body { member: "body".to_owned(), before: old, after: Value::Null },
        }]),
        warnings,
    };
    write(&jira, &journal, &context, plan, it.preview).await
}

/// Reads a visibility: an object, its JSON text, or the name of a role.
pub(super) fn visibility(given: Option<&Value>) -> Result<Option<Value>, ToolError> {
    match given {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => match serde_json::from_str::<Value>(text) {
            Ok(object @ Value::Object(_)) => Ok(Some(object)),
            _ => Ok(Some(json!({ "type": "role", "value": text }))),
        },
        Some(object @ Value::Object(_)) => Ok(Some(object.clone())),
        Some(other) => {
            Err(ToolError::invalid_input(format!("expected `visibility` to be an object, but found {other}")))
        }
    }
}
