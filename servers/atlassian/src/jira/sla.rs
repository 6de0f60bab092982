//! How long an issue took: the metrics of its past, and the agreements of a service desk.
//!
//! In: the past of an issue, and whether only working hours count. Out: lengths of time, in minutes and for people.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use plainwire::ToolError;
use serde_json::{Value, json};

use super::Jira;
use super::history::Past;
use super::hours::{WorkingHours, length, moment};
use crate::rest::{Kind, Request, Style, Upstream};

/// The metrics, by name.
pub const METRICS: [&str; 6] = [
    "cycle_time",
    "lead_time",
    "time_in_status",
    "due_date_compliance",
    "resolution_time",
    "first_response_time",
];

/// The number of comments among which the first answer is looked for.
const MAX_COMMENTS: u64 = 50;

/// The largest number of agreements of an issue.
const MAX_AGREEMENTS: usize = 50;

/// A way to count time.
#[derive(Clone, Copy, Debug)]
pub struct Count<'a> {
    /// The working hours that alone count, or else all.
    pub hours: Option<&'a WorkingHours>,
    /// The end of what goes on.
    pub now: Timestamp,
}

impl Count<'_> {
    /// Returns the seconds between two times.
    pub fn seconds(&self, from: Timestamp, to: Timestamp) -> i64 {
        match self.hours {
            Some(hours) => hours.seconds(from, to),
            None => (to.as_second() - from.as_second()).max(0),
        }
    }

    /// Returns a length of time for an answer.
    pub fn shown(&self, seconds: i64) -> Value {
        json!({ "minutes": seconds / 60, "time": self.text(seconds) })
    }

    /// Returns a length of time for people.
    pub fn text(&self, seconds: i64) -> String {
        length(seconds, self.hours.is_none())
    }

    fn between(&self, from: Timestamp, to: Timestamp) -> Value {
        self.shown(self.seconds(from, to))
    }
}

/// Returns how long an issue was in each status, and how often; the longest first.
pub fn in_statuses(past: &Past, count: Count<'_>) -> Vec<Value> {
    let mut sums: Vec<(&str, i64, u64)> = Vec::new();
    for stay in &past.stays {
        let seconds = count.seconds(stay.since, stay.until.unwrap_or(count.now));
        match sums.iter_mut().find(|it| it.0 == stay.status) {
            Some(sum) => (sum.1, sum.2) = (sum.1 + seconds, sum.2 + 1),
            None => sums.push((&stay.status, seconds, 1)),
        }
    }
    sums.sort_by_key(|it| std::cmp::Reverse(it.1));
    let all = sums.iter().map(|(status, seconds, visits)| {
        json!({ "status": status, "minutes": seconds / 60, "time": count.text(*seconds), "visits": visits })
    });
    all.collect()
}

impl Jira {
    /// Returns metrics of an issue by their names.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn metrics(
        &self,
        past: &Past,
        names: &[&str],
        count: Count<'_>,
    ) -> Result<BTreeMap<String, Value>, ToolError> {
        let mut all = BTreeMap::new();
        let unresolved = || json!({ "reason": "the issue is not resolved" });
        for name in names {
            let value = match *name {
                "cycle_time" => match past.resolved {
                    Some(end) => match self.first_work(past).await? {
                        Some(start) => count.between(start, end),
                        None => json!({ "reason": "the issue was never in progress" }),
                    },
                    None => unresolved(),
                },
                "lead_time" => {
                    let mut shown = count.between(past.created, past.resolved.unwrap_or(count.now));
                    shown["is_resolved"] = json!(past.resolved.is_some());
                    shown
                }
                "resolution_time" => {
                    past.resolved.map_or_else(unresolved, |end| count.between(past.created, end))
                }
                "time_in_status" => Value::Array(in_statuses(past, count)),
                "due_date_compliance" => self.due(past, count.now),
                "first_response_time" => match self.first_response(past).await? {
                    Some(time) => count.between(past.created, time),
                    None => json!({ "reason": "nobody but the reporter has commented on it or moved it" }),
                },
                _ => continue,
            };
            all.insert((*name).to_owned(), value);
        }
        Ok(all)
    }

    /// Returns when an issue first came into a status of the category in progress.
    async fn first_work(&self, past: &Past) -> Result<Option<Timestamp>, Upstream> {
        let statuses: Value = self.site().json(self.get(["status"])).await?;
        let is_work = |id: &str| {
            let status = statuses.as_array().into_iter().flatten().find(|it| it["id"] == id);
            status.is_some_and(|it| it["statusCategory"]["key"] == "indeterminate")
        };
        Ok(past.stays.iter().find(|it| is_work(&it.id)).map(|it| it.since))
    }

    /// Returns when somebody other than the reporter first commented on an issue, or moved it.
    async fn first_response(&self, past: &Past) -> Result<Option<Timestamp>, Upstream> {
        let reporter = past.issue.value("reporter")[self.dialect.person].clone();
        let is_other = |person: &Value| !person.is_null() && person[self.dialect.person] != reporter;
        let moved = past.stays.iter().find(|it| is_other(&it.by)).map(|it| it.since);
        let request = self.get(["issue", &past.issue.key, "comment"]).query("orderBy", "created");
        let comments: Value = self.site().json(request.query("maxResults", MAX_COMMENTS.to_string())).await?;
        let mut answers =
            comments["comments"].as_array().into_iter().flatten().filter(|it| is_other(&it["author"]));
        let answered = answers.next().and_then(|it| moment(it["created"].as_str()?));
        Ok(moved.into_iter().chain(answered).min())
    }

    /// Returns whether an issue was done by the end of the day on which it was due.
    fn due(&self, past: &Past, now: Timestamp) -> Value {
        let due = past.issue.value("duedate");
        let day: Option<Date> = due.as_str().and_then(|it| it.parse().ok());
        let Some(end) = day.and_then(|it| self.hours().end_of(it)) else {
            return json!({ "status": "no_due_date" });
        };
        let done = past.resolved.unwrap_or(now);
        let status = match (past.resolved, done <= end) {
            (Some(_), true) => "met",
            (Some(_), false) => "missed",
            (None, true) => "open",
            (None, false) => "overdue",
        };
        let margin = end.as_second() - done.as_second();
        let word = if margin >= 0 { "left" } else { "late" };
        json!({ "status": status, "due": due, "margin": format!("{} {word}", length(margin.abs(), true)) })
    }

    /// Returns the agreements of a service desk on the times of an issue; nothing for an issue that is no request, or whose desk does not
    /// show them to this account.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/servicedeskapi/request/{key}/sla`.
    pub async fn agreements(&self, past: &Past) -> Result<Vec<Value>, Upstream> {
        if past.issue.value("project")["projectTypeKey"] != "service_desk" {
            return Ok(Vec::new());
        }
        let request = Request::get(self.desk_path(["request", &past.issue.key, "sla"]));
        match self.site().pages(request, Style::ServiceDesk).collect(MAX_AGREEMENTS).await {
            Ok(page) => Ok(page.items.iter().map(shown_agreement).collect()),
            Err(error) if matches!(error.kind(), Kind::NotFound | Kind::Forbidden) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

fn shown_agreement(it: &Value) -> Value {
    let ongoing = &it["ongoingCycle"];
    let cycle = match ongoing.is_object() {
        true => ongoing,
        false => it["completedCycles"].as_array().and_then(|it| it.last()).unwrap_or(&Value::Null),
    };
    let state = match (ongoing.is_object(), ongoing["paused"] == true) {
        (true, true) => "paused",
        (true, false) => "running",
        (false, _) if cycle.is_object() => "completed",
        _ => "not_started",
    };
    let time = |name: &str| cycle[name]["friendly"].clone();
    json!({
        "name": it["name"], "state": state, "breached": cycle["breached"], "elapsed": time("elapsedTime"), "goal": time("goalDuration"),
        "remaining": time("remainingTime"),
    })
}
