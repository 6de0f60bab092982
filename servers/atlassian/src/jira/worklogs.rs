//! Time that people spent on issues: adding an entry.
//!
//! In: a duration such as `1h 30m`, and optionally a comment, a start and new estimates. Out: a plan, which takes back the entry and what
//! it does to the estimates.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use plainwire::ToolError;
use serde_json::{Value, json};

use super::Jira;
use super::text::Rich;
use crate::rest::Request;
use crate::write::{FieldChange, How, Inverse, Plan, Restore, Step, newest_entry};

/// The hour at which work starts that has only a day: then it is this day in nearly all time zones.
const NOON: i8 = 12;

/// An entry to add.
#[derive(Debug)]
pub struct Work<'a> {
    /// Such as `1h 30m`.
    pub time_spent: &'a str,
    /// The comment.
    pub comment: Option<Rich>,
    /// A time, with or without a zone, or a day.
    pub started: Option<&'a str>,
    /// A new original estimate.
    pub original_estimate: Option<&'a str>,
    /// A new remaining estimate, in place of one that is less by the time spent.
    pub remaining_estimate: Option<&'a str>,
}

/// Reads a time and returns it as Jira takes it, `2026-11-27T09:30:00.000+0000`. Without a zone it is UTC.
///
/// # Errors
/// Text that is no time.
pub fn started(text: &str) -> Result<String, ToolError> {
    let text = text.trim();
    let utc = |it: DateTime| it.to_zoned(TimeZone::UTC).map(|it| it.timestamp());
    let day = |it: Date| utc(it.at(NOON, 0, 0, 0));
    let read = match (text.parse::<Timestamp>(), text.len()) {
        (Ok(time), _) => Ok(time),
        (Err(_), 10) => text.parse::<Date>().and_then(day),
        (Err(_), _) => text.parse::<DateTime>().and_then(utc),
    };
    let time = read.map_err(|_| {
        ToolError::invalid_input(format!(
            "expected `started` to be a time such as 2026-11-27T09:30:00Z, but found {text:?}"
        ))
    })?;
    Ok(time.strftime("%Y-%m-%dT%H:%M:%S.%3f+0000").to_string())
}

impl Jira {
    /// Plans to add an entry to an issue.
    ///
    /// # Errors
    /// A start that is no time; those of the site.
    ///
    /// Source: `POST /rest/api/{v}/issue/{key}/worklog`.
    pub async fn plan_work(&self, key: &str, work: Work<'_>) -> Result<Plan, ToolError> {
        let issue = self.issue(key, "timetracking", &["changelog"]).await?;
        let before = issue.value("timetracking");
        let mut body = json!({ "timeSpent": work.time_spent });
        let mut shown = json!({ "time_spent": work.time_spent });
        if let Some(text) = work.started {
            body["started"] = json!(started(text)?);
            shown["started"] = body["started"].clone();
        }
        if let Some(comment) = &work.comment {
            body["comment"] = comment.to_json();
            shown["comment"] = json!(comment.markdown());
        }
        let mut changes = vec![FieldChange::new("worklog", Value::Null, shown)];
        let (issue_path, logs) =
            (self.path(["issue", &issue.key]), self.path(["issue", &issue.key, "worklog"]));
        let mut steps = Vec::new();
        if let Some(estimate) = work.original_estimate {
            changes.push(FieldChange::new("original estimate", before["originalEstimate"].clone(), estimate));
            let fields = json!({ "fields": { "timetracking": { "originalEstimate": estimate } } });
            steps.push(Step::from(Request::put(issue_path.clone()).json(&fields)));
        }
        let mut request = Request::post(logs.clone());
        if let Some(estimate) = work.remaining_estimate {
            changes.push(FieldChange::new(
                "remaining estimate",
                before["remainingEstimate"].clone(),
                estimate,
            ));
            request = request.query("adjustEstimate", "new").query("newEstimate", estimate);
        }
        steps.push(Step::kept(request.json(&body), "worklog"));
        // What the entry does to the estimate may not be what its deletion does: the estimate of before is given back.
        let remaining = before["remainingEstimateSeconds"].as_i64();
        let pair = |name: &str, value: String| (name.to_owned(), value);
        let query = match remaining {
            Some(seconds) => vec![
                pair("adjustEstimate", "new".to_owned()),
                pair("newEstimate", format!("{}m", seconds / 60)),
            ],
            None => vec![pair("adjustEstimate", "leave".to_owned())],
        };
        let path = logs.into_iter().chain(["{worklog}".to_owned()]).collect();
        let mut inverse = vec![Restore { path, how: How::Delete { query } }];
        if work.original_estimate.is_some() || (work.remaining_estimate.is_some() && remaining.is_none()) {
            let part = |name: &str| before.get(name).cloned().unwrap_or_default();
            let estimates = json!({ "originalEstimate": part("originalEstimate"), "remainingEstimate": part("remainingEstimate") });
            let seen = newest_entry(&json!(issue.more));
            let how = How::Fields { before: json!({ "timetracking": estimates }), after: json!({}), seen };
            inverse.push(Restore { path: issue_path, how });
        }
        Ok(Plan {
            tool: "jira_add_worklog",
            summary: format!("log {} on {}", work.time_spent, issue.key),
            target: issue.key,
            changes,
            steps,
            inverse: Inverse::Steps(inverse),
            warnings: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::started;

    #[test]
    fn a_start_may_have_a_zone_or_be_a_day() {
        for (text, expected) in [
            ("2026-11-27T09:30:00.000+0000", "2026-11-27T09:30:00.000+0000"),
            ("2026-11-27T09:30:00Z", "2026-11-27T09:30:00.000+0000"),
            ("2026-11-27T09:30+02:00", "2026-11-27T07:30:00.000+0000"),
            ("2026-11-27 09:30", "2026-11-27T09:30:00.000+0000"),
            (" 2026-11-27 ", "2026-11-27T12:00:00.000+0000"),
        ] {
            assert_eq!(started(text).unwrap(), expected, "{text}");
        }
        for text in ["", "yesterday", "2026-13-01", "27.11.2026"] {
            assert!(started(text).is_err(), "{text}");
        }
    }
}
