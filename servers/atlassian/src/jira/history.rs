//! The statuses that an issue has had.
//!
//! In: the key of an issue. Out: its dates, and each stay in a status with when it began and ended.

use jiff::Timestamp;
use plainwire::ToolError;
use serde_json::Value;

use super::Jira;
use super::dialect::Changelog;
use super::hours::moment;
use super::issue::Issue;
use crate::rest::{Style, Upstream};

/// The largest number of entries of a changelog that are read.
const MAX_ENTRIES: usize = 10_000;

/// The fields of an issue that say when.
const FIELDS: &str = "summary,status,created,updated,duedate,resolutiondate,reporter,project";

/// The past of an issue.
#[derive(Clone, Debug)]
pub struct Past {
    /// The issue, with the fields that say when.
    pub issue: Issue,
    /// When it was made.
    pub created: Timestamp,
    /// When it was resolved, if it is.
    pub resolved: Option<Timestamp>,
    /// Its stays, the first one first. The last one goes on.
    pub stays: Vec<Stay>,
}

/// A time in a status.
#[derive(Clone, Debug, PartialEq)]
pub struct Stay {
    /// The id of the status.
    pub id: String,
    /// The name of the status.
    pub status: String,
    /// When it began.
    pub since: Timestamp,
    /// When it ended.
    pub until: Option<Timestamp>,
    /// The person who moved the issue into it; null for the first one.
    pub by: Value,
}

impl Jira {
    /// Returns the past of an issue.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn past(&self, key: &str) -> Result<Past, ToolError> {
        let is_inside = self.dialect.changelog == Changelog::Expand;
        let expand: &[&str] = if is_inside { &["changelog"] } else { &[] };
        let mut issue = self.issue(key, FIELDS, expand).await?;
        let log = match is_inside {
            true => issue.more.remove("changelog").unwrap_or_default()["histories"].take(),
            false => Value::Array(self.changelog_pages(&issue.key).await?),
        };
        let time = |field: &str| issue.value(field).as_str().and_then(moment);
        let created = time("created")
            .ok_or_else(|| ToolError::new("upstream", "the site did not say when the issue was made"))?;
        let status = issue.value("status");
        let stays = stays(created, &status, log.as_array().map(Vec::as_slice).unwrap_or_default());
        Ok(Past { resolved: time("resolutiondate"), created, stays, issue })
    }

    /// Source: Cloud `GET /rest/api/3/issue/{key}/changelog`.
    async fn changelog_pages(&self, key: &str) -> Result<Vec<Value>, Upstream> {
        let request = self.get(["issue", key, "changelog"]).query("maxResults", "100");
        Ok(self.site().pages(request, Style::StartAt { items: "values" }).collect(MAX_ENTRIES).await?.items)
    }
}

/// Returns the stays that the entries of a changelog tell.
fn stays(created: Timestamp, now: &Value, entries: &[Value]) -> Vec<Stay> {
    let mut moves: Vec<(Timestamp, &Value, &Value)> = entries
        .iter()
        .filter_map(|entry| Some((moment(entry["created"].as_str()?)?, entry)))
        .flat_map(|(time, entry)| {
            entry["items"].as_array().into_iter().flatten().map(move |item| (time, entry, item))
        })
        .filter(|(_, _, item)| item["field"] == "status")
        .collect();
    moves.sort_by_key(|(time, ..)| *time);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (id, status) = match moves.first() {
        Some((_, _, item)) => (text(&item["from"]), text(&item["fromString"])),
        None => (text(&now["id"]), text(&now["name"])),
    };
    let mut stays = vec![Stay { id, status, since: created, until: None, by: Value::Null }];
    for (time, entry, item) in moves {
        if let Some(last) = stays.last_mut() {
            last.until = Some(time);
        }
        let by = entry["author"].clone();
        stays.push(Stay {
            id: text(&item["to"]),
            status: text(&item["toString"]),
            since: time,
            until: None,
            by,
        });
    }
    stays
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{moment, stays};

    #[test]
    fn stays_are_in_the_order_of_time_whatever_that_of_the_changelog_is() {
        let item = |from: &str, to: &str| json!({ "field": "status", "from": "1", "fromString": from, "to": "2", "toString": to });
        let entries = [
            json!({ "created": "2026-11-03T00:00:00.000+0000", "author": {}, "items": [{ "field": "summary" }, item("Doing", "Done")] }),
            json!({ "created": "2026-11-02T00:00:00.000+0000", "author": {}, "items": [item("Open", "Doing")] }),
        ];
        let created = moment("2026-11-01T00:00:00.000+0000").unwrap();
        let found = stays(created, &json!({ "name": "Done" }), &entries);
        let told: Vec<_> = found.iter().map(|it| (it.status.as_str(), it.until.is_some())).collect();
        assert_eq!(told, [("Open", true), ("Doing", true), ("Done", false)]);
        assert_eq!(found[0].since, created);
    }
}
