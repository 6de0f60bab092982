//! When things happened to an issue, and how long they took.

use std::collections::BTreeMap;

use plainwire::Entries;
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::jira::history::Past;
use crate::jira::hours::length;
use crate::jira::shown::{Cast, moment};
use crate::jira::sla::{Count, METRICS, in_statuses};
use crate::tools::args::Texts;

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new().tool(jira_get_issue_dates).tool(jira_get_issue_sla)
}

/// The dates of an issue.
#[data(kind = "jiraDates:v1")]
struct DatesView {
    key: String,
    status: Value,
    created: String,
    updated: Value,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    due: Value,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    resolved: Value,
    /// Each stay in a status, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    status_changes: Vec<Value>,
    /// The time in each status, the longest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    status_summary: Vec<Value>,
}

/// Reads when an issue was made, changed, due and resolved. Returns its history of statuses, with the time spent in each.
#[tool(read_only, title = "Dates of an issue")]
async fn jira_get_issue_dates(
    #[argument("Such as SHOP-1.")] issue_key: String,
    #[argument("Whether to list each stay in a status.", default = true)] include_status_changes: bool,
    #[argument("Whether to sum the time in each status.", default = true)] include_status_summary: bool,
    jira: State<Jira>,
) -> Result<DatesView, ToolError> {
    let key = jira.key(&issue_key).await?;
    let past = jira.past(key.as_str()).await?;
    let count = Count { hours: None, now: jiff::Timestamp::now() };
    let changes = if include_status_changes { changes(&past, count) } else { Vec::new() };
    let summary = if include_status_summary { in_statuses(&past, count) } else { Vec::new() };
    let issue = &past.issue;
    let time = |field: &str| issue.value(field).as_str().map_or(Value::Null, |it| json!(moment(it)));
    Ok(DatesView {
        status: issue.value("status")["name"].clone(),
        created: time("created").as_str().unwrap_or_default().to_owned(),
        updated: time("updated"),
        due: time("duedate"),
        resolved: time("resolutiondate"),
        status_changes: changes,
        status_summary: summary,
        key: past.issue.key,
    })
}

fn changes(past: &Past, count: Count<'_>) -> Vec<Value> {
    let mut cast = Cast::default();
    let all = past.stays.iter().map(|stay| {
        let end = stay.until.unwrap_or(count.now);
        let since = stay.since.strftime("%Y-%m-%dT%H:%MZ").to_string();
        let mut shown = json!({ "status": stay.status, "since": since, "time": length(count.seconds(stay.since, end), true) });
        if !stay.by.is_null() {
            shown["by"] = cast.name(&stay.by);
        }
        shown
    });
    all.collect()
}

/// How long an issue took.
#[data(kind = "jiraSla:v1")]
struct SlaView {
    key: String,
    metrics: BTreeMap<String, Value>,
    /// The hours that alone were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    working_hours: Option<String>,
    /// The agreements of the service desk on its times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    service_desk: Vec<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    status_changes: Vec<Value>,
}

// The metrics to compute.
#[data]
struct GetSla {
    /// Such as SHOP-1.
    issue_key: String,
    /// Any of cycle_time, lead_time, time_in_status, due_date_compliance, resolution_time, first_response_time. By default all, or those of
    /// the settings.
    #[serde(default)]
    metrics: Texts,
    /// Count working hours only.
    working_hours_only: Option<bool>,
    /// Add the history of statuses.
    #[default(false)]
    include_raw_dates: bool,
}

/// Computes how long an issue took: from creation (lead), from first work (cycle), in each status. Returns times, and SLAs of service desks.
#[tool(read_only, title = "Times and SLAs of an issue")]
async fn jira_get_issue_sla(#[arguments] it: GetSla, jira: State<Jira>) -> Result<SlaView, ToolError> {
    let wanted = if it.metrics.all().is_empty() { jira.usual_metrics() } else { it.metrics.all() };
    let names = match wanted {
        [] => METRICS.to_vec(),
        names => {
            let known = |name: &String| METRICS.iter().find(|it| it.eq_ignore_ascii_case(name)).copied();
            let read = names.iter().map(|name| {
                known(name).ok_or_else(|| {
                    ToolError::invalid_input(format!(
                        "expected metrics among {}, but found {name:?}",
                        METRICS.join(", ")
                    ))
                })
            });
            read.collect::<Result<_, _>>()?
        }
    };
    let key = jira.key(&it.issue_key).await?;
    let past = jira.past(key.as_str()).await?;
    let hours = Some(jira.hours()).filter(|hours| it.working_hours_only.unwrap_or(hours.is_usual));
    let count = Count { hours, now: jiff::Timestamp::now() };
    let metrics = jira.metrics(&past, &names, count).await?;
    let service_desk = jira.agreements(&past).await?;
    let status_changes =
        if it.include_raw_dates { changes(&past, Count { hours: None, ..count }) } else { Vec::new() };
    Ok(SlaView {
        key: past.issue.key,
        metrics,
        working_hours: hours.map(ToString::to_string),
        service_desk,
        status_changes,
    })
}
