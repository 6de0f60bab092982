//! What an issue has beside its fields: worklogs, watchers and links to pages.

use plainwire::ToolError;
use serde_json::{Value, json};

use super::Jira;
use super::shown::{Cast, moment};
use super::text::Rich;
use crate::rest::Style;

/// The largest number of worklogs that are read.
const MAX_WORKLOGS: usize = 5_000;

impl Jira {
    /// Returns something beside the fields of an issue by its name; nothing for the name of a field.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn extra(&self, name: &str, key: &str, cast: &mut Cast) -> Result<Option<Value>, ToolError> {
        match name {
            "worklog" | "worklogs" => self.worklogs(key, cast).await.map(Some),
            "watchers" => self.watchers(key, cast).await.map(Some),
            "remote_links" => self.remote_links(key).await.map(Some),
            _ => Ok(None),
        }
    }

    /// Returns all worklogs of an issue, with their sum in seconds.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/api/{v}/issue/{key}/worklog`.
    pub async fn worklogs(&self, key: &str, cast: &mut Cast) -> Result<Value, ToolError> {
        let request = self.get(["issue", key, "worklog"]);
        let page =
            self.site().pages(request, Style::StartAt { items: "worklogs" }).collect(MAX_WORKLOGS).await?;
        let seconds: i64 = page.items.iter().filter_map(|it| it["timeSpentSeconds"].as_i64()).sum();
        let all: Vec<_> = page.items.iter().map(|it| self.shown_worklog(it, cast)).collect();
        Ok(json!({ "total": page.total.unwrap_or(all.len() as u64), "seconds": seconds, "worklogs": all }))
    }

    /// Returns the view of a worklog.
    pub fn shown_worklog(&self, it: &Value, cast: &mut Cast) -> Value {
        let mut shown = json!({
            "id": it["id"], "author": cast.name(&it["author"]), "started": moment(it["started"].as_str().unwrap_or_default()),
            "time_spent": it["timeSpent"],
        });
        let raw = serde_json::value::to_raw_value(&it["comment"]).ok();
        if let Some(text) =
            raw.and_then(|raw| Rich::of_json(self.dialect().rich, &raw)).map(|it| it.markdown())
            && !text.is_empty()
        {
            shown["comment"] = json!(text);
        }
        shown
    }

    /// Returns the people who watch an issue.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/api/{v}/issue/{key}/watchers`.
    pub async fn watchers(&self, key: &str, cast: &mut Cast) -> Result<Value, ToolError> {
        let found: Value = self.site().json(self.get(["issue", key, "watchers"])).await?;
        let people: Vec<_> =
            found["watchers"].as_array().into_iter().flatten().map(|it| cast.name(it)).collect();
        Ok(json!({ "count": found["watchCount"], "is_watching": found["isWatching"], "people": people }))
    }

    /// Returns the links of an issue to pages.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/api/{v}/issue/{key}/remotelink`.
    pub async fn remote_links(&self, key: &str) -> Result<Value, ToolError> {
        let found: Value = self.site().json(self.get(["issue", key, "remotelink"])).await?;
        let all = found.as_array().into_iter().flatten().map(|it| {
            json!({ "id": it["id"], "url": it["object"]["url"], "title": it["object"]["title"], "relationship": it["relationship"] })
        });
        Ok(Value::Array(all.collect()))
    }
}
