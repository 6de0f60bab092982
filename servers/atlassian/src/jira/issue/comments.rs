//! Comments of issues.

use plainwire::prelude::*;
use serde_json::value::RawValue;

use crate::jira::Jira;
use crate::jira::shown::{Cast, moment};
use crate::jira::text::Rich;
use crate::rest::Upstream;

/// A comment, as Jira answers it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    /// The id.
    pub id: String,
    /// Its author.
    #[serde(default)]
    pub author: Value,
    /// The body, which keeps its text.
    pub body: Box<RawValue>,
    /// When it was written.
    #[serde(default)]
    pub created: String,
    /// When it was changed.
    #[serde(default)]
    pub updated: String,
    /// The group or role that alone sees it.
    #[serde(default)]
    pub visibility: Option<Value>,
    /// Whether customers of a service desk see it.
    #[serde(default)]
    pub jsd_public: Option<bool>,
}

/// A page of comments.
#[derive(Debug, Deserialize)]
struct Page {
    total: u64,
    comments: Vec<Comment>,
}

/// Comments of an issue for a reader.
#[derive(Debug)]
pub struct Comments {
    /// The number of all comments.
    pub total: u64,
    /// Some of them, the oldest first.
    pub shown: Vec<Value>,
}

/// The newest comments of an issue.
#[derive(Clone, Copy, Debug)]
pub struct Newest(pub u64);

impl Jira {
    /// Returns comments of an issue: the newest ones, in the order in which they were written.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/api/{v}/issue/{key}/comment`.
    pub async fn comments(&self, key: &str, newest: Newest, cast: &mut Cast) -> Result<Comments, Upstream> {
        let page = |start: u64| {
            let request = self.get(["issue", key, "comment"]).query("orderBy", "created");
            request.query("startAt", start.to_string()).query("maxResults", newest.0.to_string())
        };
        let mut found: Page = self.site().json(page(0)).await?;
        if found.total > newest.0 {
            // One more request, and not all pages: only the end is wanted.
            found = self.site().json(page(found.total - newest.0)).await?;
        }
        let shown = found.comments.iter().map(|it| self.shown_comment(it, cast)).collect();
        Ok(Comments { total: found.total, shown })
    }

    /// Returns one comment of an issue.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn comment(&self, key: &str, id: &str) -> Result<Comment, Upstream> {
        self.site().json(self.get(["issue", key, "comment", id])).await
    }

    /// Returns the view of a comment.
    pub fn shown_comment(&self, comment: &Comment, cast: &mut Cast) -> Value {
        let body = Rich::of_json(self.dialect().rich, &comment.body).map(|it| it.markdown());
        let mut shown = json!({
            "id": comment.id, "author": cast.name(&comment.author), "created": moment(&comment.created),
            "body": body.unwrap_or_default(),
        });
        if comment.updated != comment.created {
            shown["updated"] = json!(moment(&comment.updated));
        }
        if let Some(visibility) = &comment.visibility {
            shown["visible_to"] = visibility["value"].clone();
        }
        if comment.jsd_public == Some(false) {
            shown["internal"] = json!(true);
        }
        shown
    }
}
