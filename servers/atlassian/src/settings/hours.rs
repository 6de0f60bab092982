//! Working hours, and the metrics of times that are computed by default.
//!
//! In: the variables that mcp-atlassian has for them. Out: [`WorkingHours`], and names of metrics.

use super::reader::Reader;
use crate::jira::hours::{Part, WorkingHours};
use crate::jira::sla::METRICS;

const START: &str = "JIRA_SLA_WORKING_HOURS_START";
const END: &str = "JIRA_SLA_WORKING_HOURS_END";
const DAYS: &str = "JIRA_SLA_WORKING_DAYS";
const ZONE: &str = "JIRA_SLA_TIMEZONE";

/// Reads the hours in which people work.
pub(super) fn read(reader: &mut Reader<'_>) -> WorkingHours {
    let is_usual = reader.switch("JIRA_SLA_WORKING_HOURS_ONLY").unwrap_or(false);
    let days = match reader.has(DAYS) {
        // A text that is no number is refused as a day that there is not.
        true => reader.list(DAYS).iter().map(|it| it.parse().unwrap_or(0)).collect(),
        false => vec![1, 2, 3, 4, 5],
    };
    let start = reader.text(START).unwrap_or("09:00");
    let end = reader.text(END).unwrap_or("17:00");
    match WorkingHours::read(start, end, &days, reader.text(ZONE).unwrap_or("UTC")) {
        Ok(mut hours) => {
            hours.is_usual = is_usual;
            hours
        }
        Err((Part::Days, _)) => {
            reader.unexpected(DAYS, "days from 1 for Monday to 7, such as `1,2,3,4,5`");
            WorkingHours::default()
        }
        Err((part, why)) => {
            // With the usual end, a start can be too late; with the usual start, an end too early.
            let name = match part {
                Part::Start => START,
                Part::End if reader.has(END) => END,
                Part::End => START,
                Part::Days => DAYS,
                Part::Zone => ZONE,
            };
            reader.problem(name, why);
            WorkingHours::default()
        }
    }
}

/// Reads the metrics that a call gets if it names none.
pub(super) fn metrics(reader: &mut Reader<'_>) -> Vec<String> {
    let name = "JIRA_SLA_METRICS";
    let metrics: Vec<String> = reader.list(name).iter().map(|it| it.to_ascii_lowercase()).collect();
    let is_known = |it: &String| METRICS.contains(&it.as_str());
    if metrics.is_empty() && reader.has(name) || !metrics.iter().all(is_known) {
        reader.unexpected(name, &format!("metrics among {}", METRICS.join(", ")));
    }
    metrics
}
