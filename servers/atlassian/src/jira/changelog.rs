//! Changelogs of issues.

use std::collections::BTreeMap;

use plainwire::ToolError;
use serde_json::{Value, json};

use super::Jira;
use super::search::Query;
use super::shown::{Cast, moment};
use crate::rest::{Page, Request, Style};

/// The largest number of logs that are read, where an issue has one in each page that it is on.
const MAX_LOGS: usize = 10_000;

/// The largest number of issues whose keys one search asks for.
const MAX_KEYS: usize = 100;

/// Returns the view of a changelog, the oldest entry first.
pub fn shown(log: &Value, cast: &mut Cast) -> Value {
    let mut all: Vec<&Value> = log["histories"].as_array().into_iter().flatten().collect();
    all.sort_by_key(|it| it["created"].as_str().unwrap_or_default().to_owned());
    json!({ "total": log["total"], "entries": all.iter().map(|it| entry(it, cast)).collect::<Vec<_>>() })
}

/// Returns the view of an entry.
pub fn entry(it: &Value, cast: &mut Cast) -> Value {
    let items =
        it["items"].as_array().into_iter().flatten().map(
            |item| json!({ "field": item["field"], "from": item["fromString"], "to": item["toString"] }),
        );
    let created = match &it["created"] {
        Value::Number(millis) => {
            let time = jiff::Timestamp::from_millisecond(millis.as_i64().unwrap_or_default());
            time.map_or_else(|_| millis.to_string(), |it| it.to_string())
        }
        created => moment(created.as_str().unwrap_or_default()),
    };
    json!({ "when": created, "who": cast.name(&it["author"]), "changes": items.collect::<Vec<_>>() })
}

impl Jira {
    /// Returns the changelogs of several issues, each with the id and the key of its issue: the newest entries, up to `most` of each issue.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: Cloud `POST /rest/api/3/changelog/bulkfetch`.
    pub async fn changelogs(
        &self,
        issues: &[String],
        fields: &[String],
        most: usize,
        cast: &mut Cast,
    ) -> Result<Value, ToolError> {
        let mut body = json!({ "issueIdsOrKeys": issues });
        if !fields.is_empty() {
            body["fieldIds"] = json!(fields);
        }
        let request = Request::post(self.path(["changelog", "bulkfetch"])).json(&body).reads();
        let page = self
            .site()
            .pages(request, Style::NextPageToken { items: "issueChangeLogs" })
            .collect(MAX_LOGS)
            .await?;
        let Page { items, next, .. } = page;
        // The log of an issue can go on in the next page.
        let mut logs: Vec<(&Value, Vec<&Value>)> = Vec::new();
        for it in &items {
            let entries = it["changeHistories"].as_array().into_iter().flatten();
            match logs.iter_mut().find(|(id, _)| **id == it["issueId"]) {
                Some((_, log)) => log.extend(entries),
                None => logs.push((&it["issueId"], entries.collect())),
            }
        }
        let ids: Vec<&str> = logs.iter().filter_map(|(id, _)| id.as_str()).collect();
        let keys = self.keys_of(&ids).await?;
        let is_complete = next.is_none() && logs.iter().all(|(_, log)| log.len() <= most);
        let issues = logs.iter().map(|(id, log)| {
            let newest = log.iter().skip(log.len().saturating_sub(most));
            let mut shown = json!({ "issue_id": id });
            if let Some(key) = id.as_str().and_then(|id| keys.get(id)) {
                shown["key"] = json!(key);
            }
            shown["entries"] = newest.map(|it| entry(it, cast)).collect();
            shown
        });
        let issues: Vec<_> = issues.collect();
        Ok(json!({ "issues": issues, "is_complete": is_complete }))
    }

    /// Returns the present keys of issues, by their ids. One that the index of the site lacks is left out.
    async fn keys_of(&self, ids: &[&str]) -> Result<BTreeMap<String, String>, ToolError> {
        let mut keys = BTreeMap::new();
        for ids in ids.chunks(MAX_KEYS) {
            let jql = self.limited(&format!("id in ({})", ids.join(", "))).await?;
            let limit = ids.len() as u64;
            let query = Query { jql, fields: "project".to_owned(), limit, start: 0, token: None };
            keys.extend(self.search(&query).await?.issues.into_iter().map(|it| (it.id, it.key)));
        }
        Ok(keys)
    }
}
