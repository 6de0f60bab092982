//! `request/{key}/sla`: how long a request took, and how long it may take.
//!
//! In: the history of a request. Out: two metrics, counted around the clock: the time to the first public
//! answer, and the time to the resolution, which stands still while the desk waits for the customer. Each has
//! one cycle.

use serde_json::{Value as Json, json};

use super::request::{Request, of_path};
use super::{address, date, page, require_agent};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};

const HOUR: i64 = 3_600_000;

/// The metrics: their ids, names and goals in milliseconds.
const METRICS: [(i64, &str, i64); 2] =
    [(1, "Time to first response", 8 * HOUR), (2, "Time to resolution", 5 * 24 * HOUR)];

/// The status in which the time to the resolution stands still.
const PAUSED: &str = "Waiting for customer";

pub(super) fn list(call: &Call<'_>) -> Result<Answer> {
    let request = of_path(call)?;
    require_agent(call, request.desk)?;
    page(call, &format!("request/{}/sla", call.param("key")), all(call, &request)?)
}

pub(super) fn get(call: &Call<'_>) -> Result<Answer> {
    let request = of_path(call)?;
    require_agent(call, request.desk)?;
    let found = all(call, &request)?.into_iter().find(|it| it["id"] == call.param("id"));
    Answer::ok(found.ok_or_else(|| Fault::missing("The SLA metric you are trying to view does not exist."))?)
}

/// Returns the metrics of a request.
pub(super) fn all(call: &Call<'_>, request: &Request) -> Result<Vec<Json>> {
    let cycles = [first_response(call, request)?, resolution(call, request)?];
    let metrics = METRICS.iter().zip(cycles).map(|((id, name, goal), cycle)| {
        let mut value = json!({
            "id": id.to_string(),
            "name": name,
            "_links": { "self": address(call, &format!("request/{}/sla/{id}", request.issue.id)) },
            "completedCycles": [],
        });
        if call.work.is_cloud() {
            value["slaDisplayFormat"] = json!("NEW_SLA_FORMAT");
        }
        let shown = cycle.shown(*goal, call.work.now);
        match cycle.stop {
            Some(_) => value["completedCycles"] = json!([shown]),
            None => value["ongoingCycle"] = shown,
        }
        value
    });
    Ok(metrics.collect())
}

/// A time that is measured. Times are in milliseconds since 1970, durations in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Cycle {
    start: i64,
    stop: Option<i64>,
    /// For how long it stood still.
    stood: i64,
    is_paused: bool,
}

impl Cycle {
    fn shown(self, goal: i64, now: i64) -> Json {
        let elapsed = self.stop.unwrap_or(now) - self.start - self.stood;
        let mut value = json!({
            "startTime": date(self.start),
            "breached": elapsed > goal,
            "goalDuration": duration(goal),
            "elapsedTime": duration(elapsed),
            "remainingTime": duration(goal - elapsed),
        });
        if !self.is_paused {
            value["breachTime"] = date(self.start + goal + self.stood);
        }
        match self.stop {
            Some(stop) => value["stopTime"] = date(stop),
            None => {
                value["paused"] = json!(self.is_paused);
                value["withinCalendarHours"] = json!(true);
            }
        }
        value
    }
}

fn duration(millis: i64) -> Json {
    let sign = if millis < 0 { "-" } else { "" };
    let minutes = millis.abs() / 60_000;
    let friendly = match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{sign}{minutes}m"),
        (hours, 0) => format!("{sign}{hours}h"),
        (hours, minutes) => format!("{sign}{hours}h {minutes}m"),
    };
    json!({ "millis": millis, "friendly": friendly })
}

fn resolved(request: &Request) -> Option<i64> {
    request.issue.number_of("resolutiondate").map(|it| it as i64)
}

/// The first response is the first public comment by a person of the house; a resolution counts too.
fn first_response(call: &Call<'_>, request: &Request) -> Result<Cycle> {
    let sql = "SELECT min(c.created) FROM comment c JOIN person p ON p.id = c.author_id
        WHERE c.issue_id = ?1 AND c.internal = 0 AND p.account_type <> 'customer' AND p.id IS NOT ?2";
    let reporter = request.issue.ref_of("reporter");
    let answered: Option<i64> = call.work.one(sql, (request.issue.id, reporter), |row| row.get(0))?.flatten();
    let stop = answered.into_iter().chain(resolved(request)).min();
    Ok(Cycle { start: request.issue.created, stop, stood: 0, is_paused: false })
}

fn resolution(call: &Call<'_>, request: &Request) -> Result<Cycle> {
    let stop = resolved(request);
    let end = stop.unwrap_or(call.work.now);
    let sql = "SELECT h.since, h.until FROM held h JOIN status s ON s.id = h.ref
        WHERE h.issue_id = ?1 AND h.field_id = 'status' AND s.name = ?2";
    let waits = call.work.all(sql, (request.issue.id, PAUSED), |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?))
    })?;
    let stood = waits.iter().map(|(since, until)| (until.unwrap_or(end).min(end) - since).max(0)).sum();
    let is_paused = stop.is_none() && waits.iter().any(|(_, until)| until.is_none());
    Ok(Cycle { start: request.issue.created, stop, stood, is_paused })
}
