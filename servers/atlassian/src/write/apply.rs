//! Making a change.
//!
//! In: a plan. Out: a [`Change`]. Each change leaves a line in the audit and a handle that takes it back.

use plainwire::audit::Audit;
use plainwire::prelude::*;
use serde_json::Map;

use super::undo::{How, Restore};
use super::{Change, Claim, Handles, Inverse, Plan, Record};
use crate::rest::{Request, Site, Upstream};
use crate::runtime;

/// The largest number of changes of others that an answer tells.
const MAX_TOLD: usize = 10;

/// What changes leave behind.
#[derive(Clone, Debug)]
pub struct Journal {
    /// The handles that take changes back.
    pub handles: Handles,
    /// The audit; each server has one, which may be off.
    pub audit: Audit,
}

/// The one who makes changes: a site, and the caller.
#[derive(Debug)]
pub struct Writer<'a> {
    /// The site.
    pub site: &'a Site,
    /// What changes leave behind.
    pub journal: &'a Journal,
    /// The account of the call, if it has one.
    pub principal: Option<String>,
    /// The id of the request.
    pub request: String,
    /// The time, in seconds since 1970.
    pub now: i64,
}

/// A plan that was carried out.
pub(super) struct Made {
    /// The answers that are kept.
    pub(super) kept: Map<String, Value>,
    /// What takes it back.
    pub(super) record: Record,
}

impl Writer<'_> {
    /// Makes a change, or shows it.
    ///
    /// # Errors
    /// Those of the site. What was made before the error is told in its details.
    pub async fn write(&self, plan: Plan, is_preview: bool) -> Result<Change, ToolError> {
        let mut change = Change {
            is_preview,
            summary: plan.summary.clone(),
            key: Some(plan.target.clone()).filter(|it| !it.is_empty()),
            changes: plan.changes.clone(),
            warnings: plan.warnings.clone(),
            ..Change::default()
        };
        if let Inverse::None(reason) = &plan.inverse {
            change.warnings.push(format!("atlassian_undo can't take this back: {reason}"));
        }
        if is_preview {
            return Ok(change);
        }
        let Made { kept, record } = self.carry_out(plan, &mut change.warnings).await?;
        self.keep(record, &mut change).await;
        change.result = Value::Object(kept);
        Ok(change)
    }

    /// Sends the requests of a plan, and reads what they have come to.
    pub(super) async fn carry_out(&self, plan: Plan, warnings: &mut Vec<String>) -> Result<Made, ToolError> {
        let mut kept = Map::new();
        let count = plan.steps.len();
        let line = self.line(plan.tool, &plan.target, &plan.changes);
        for (at, step) in plan.steps.into_iter().enumerate() {
            let request = step.request.with_segments(|it| id_in(&kept, it));
            let request = match step.with_answers {
                Some(add) => add(request, &kept),
                None => request,
            };
            let done: Result<Value, Upstream> = self.site.json(request).await;
            match done {
                Ok(answer) => {
                    if let Some(name) = step.keep {
                        kept.insert(name.to_owned(), answer);
                    }
                }
                Err(error) => {
                    line.failed(at, &error);
                    let error = ToolError::from(error);
                    return Err(if at == 0 { error } else { partly(error, at, count) });
                }
            }
        }
        line.done();
        let mut inverse = filled(plan.inverse, &kept);
        if let Inverse::Steps(steps) = &mut inverse {
            for step in steps {
                self.observe(step, warnings).await;
            }
        }
        let record = Record {
            tool: plan.tool.to_owned(),
            target: plan.target,
            summary: plan.summary,
            changes: plan.changes,
            inverse,
        };
        Ok(Made { kept, record })
    }

    /// Reads what a change has come to: for the comparison before it is taken back, and to tell what did not happen, or who wrote at the same
    /// time. An error only means that neither can be told.
    async fn observe(&self, step: &mut Restore, warnings: &mut Vec<String>) {
        let path = step.path.iter().map(String::as_str);
        match &mut step.how {
            How::Body { member, after, .. } => {
                let read: Result<Value, Upstream> = self.site.json(Request::get(path)).await;
                if let Ok(mut now) = read {
                    *after = now[member.as_str()].take();
                }
            }
            How::Fields { before, after, seen } => {
                let names: Vec<String> =
                    before.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
                let request =
                    Request::get(path).query("fields", names.join(",")).query("expand", "changelog");
                let read: Result<Value, Upstream> = self.site.json(request).await;
                let Ok(now) = read else {
                    warnings.push(
                        "the issue could not be read again, so it was not checked what changed".to_owned(),
                    );
                    return;
                };
                for name in &names {
                    after[name] = now["fields"][name].clone();
                    if plain(&before[name]) == plain(&after[name]) {
                        warnings.push(format!(
                            "the site took the change, but `{name}` has the same value as before"
                        ));
                    }
                }
                warnings.extend(others(&now, &names, *seen));
            }
            How::Members { before, after } | How::Whole { before, after, .. } => {
                let read: Result<Value, Upstream> = self.site.json(Request::get(path)).await;
                let Ok(now) = read else { return };
                for (name, value) in before.as_object().into_iter().flatten() {
                    after[name] = now[name].clone();
                    if value == &after[name] {
                        warnings.push(format!(
                            "the site took the change, but `{name}` has the same value as before"
                        ));
                    }
                }
            }
            How::Checked { .. }
            | How::Delete { .. }
            | How::Ranked { .. }
            | How::Send { .. }
            | How::Status { .. }
            | How::Unlink { .. } => {}
        }
    }

    /// Makes a change once for an idempotency key, if the call has one: a repeated call gets the result of the first one.
    ///
    /// # Errors
    /// Those of [`Self::write`]; a key of another call.
    pub async fn write_once(
        &self,
        plan: Plan,
        key: Option<&str>,
        arguments: &Value,
    ) -> Result<Change, ToolError> {
        let Some(key) = key else { return self.write(plan, false).await };
        let handles = &self.journal.handles;
        let call = match handles.claim(&self.owner(), plan.tool, key, arguments)? {
            Claim::Earlier(change) => return Ok(*change),
            Claim::New(call) => call,
        };
        let made = self.write(plan, false).await;
        match &made {
            Ok(change) => handles.made(&call, change),
            // Whether the thing was made is not known: the key stays taken.
            Err(error) if error.code() == "outcome_unknown" => {}
            Err(_) => handles.forget(&call),
        }
        made
    }

    /// Keeps what takes a change back, and puts its handle into the answer.
    pub(super) async fn keep(&self, record: Record, change: &mut Change) {
        if matches!(record.inverse, Inverse::None(_)) {
            return;
        }
        let (handles, owner, now) = (self.journal.handles.clone(), self.owner(), self.now);
        let kept = runtime::blocking(move || handles.keep(&owner, &record, now)).await;
        match kept {
            Ok(Ok(handle)) => {
                change.undo_expires =
                    jiff::Timestamp::from_second(handle.expires).ok().map(|it| it.to_string());
                change.undo = Some(handle.text);
            }
            Ok(Err(why)) => change.warnings.push(format!("there is no undo handle: {why}")),
            Err(_) => change.warnings.push("there is no undo handle".to_owned()),
        }
    }

    /// Returns the owner of handles and keys: an account at a site.
    pub fn owner(&self) -> String {
        format!("{} {}", self.site.base(), self.principal.as_deref().unwrap_or_default())
    }
}

/// Returns a sentence for each other change of the same fields between the reading and the end of a change: the history entries since `seen`,
/// of which one is our own. Jira has no way to refuse such a change, so it has to be told.
fn others(issue: &Value, fields: &[String], seen: u64) -> Vec<String> {
    let touches = |item: &Value| {
        let names = [&item["fieldId"], &item["field"]];
        names.into_iter().filter_map(Value::as_str).any(|it| fields.iter().any(|field| field == it))
    };
    let histories = issue["changelog"]["histories"].as_array().into_iter().flatten();
    let mut since: Vec<(u64, &Value, &Value)> = histories
        .filter_map(|it| Some((it["id"].as_str()?.parse().ok()?, it)))
        .filter(|(id, _)| *id > seen)
        .flat_map(|(id, it)| it["items"].as_array().into_iter().flatten().map(move |item| (id, it, item)))
        .filter(|(_, _, item)| touches(item))
        .collect();
    since.sort_by_key(|(id, ..)| *id);
    let entries: std::collections::BTreeSet<u64> = since.iter().map(|(id, ..)| *id).collect();
    if entries.len() < 2 {
        return Vec::new();
    }
    let told = since.iter().map(|(_, entry, item)| {
        format!(
            "`{}` was changed by several writers at once: {} set it from {} to {} at {}",
            item["field"].as_str().unwrap_or_default(),
            entry["author"]["displayName"].as_str().unwrap_or("someone"),
            item["fromString"],
            item["toString"],
            entry["created"].as_str().unwrap_or_default(),
        )
    });
    told.take(MAX_TOLD).collect()
}

/// Returns the newest entry of a changelog, as an issue with `expand=changelog` has it.
pub fn newest_entry(issue: &Value) -> u64 {
    let histories = issue["changelog"]["histories"].as_array().into_iter().flatten();
    histories.filter_map(|it| it["id"].as_str()?.parse().ok()).max().unwrap_or_default()
}

/// A value without what a site adds to it: addresses, avatars, names beside ids.
pub(super) fn plain(value: &Value) -> Value {
    match value {
        Value::Array(all) => Value::Array(all.iter().map(plain).collect()),
        Value::Object(members) => {
            for name in ["accountId", "id", "key", "name", "value"] {
                if let Some(id) = members.get(name).filter(|_| !members.contains_key("content")) {
                    return id.clone();
                }
            }
            Value::Object(members.iter().map(|(name, it)| (name.clone(), plain(it))).collect())
        }
        value => value.clone(),
    }
}

/// Puts ids that the site gave into the steps that take a change back.
fn filled(inverse: Inverse, kept: &Map<String, Value>) -> Inverse {
    let Inverse::Steps(mut steps) = inverse else { return inverse };
    for segment in steps.iter_mut().flat_map(|it| it.path.iter_mut()) {
        if let Some(id) = id_in(kept, segment) {
            *segment = id;
        }
    }
    Inverse::Steps(steps)
}

/// Returns the id in the answer that was kept under a name, for the segment `{name}` of a path.
fn id_in(kept: &Map<String, Value>, segment: &str) -> Option<String> {
    let answer = kept.get(segment.strip_prefix('{')?.strip_suffix('}')?)?;
    let id = answer
        .get("key")
        .or_else(|| answer.get("id"))
        .or_else(|| answer.get("issueId"))
        .or_else(|| answer.pointer("/0/id"))?;
    Some(id.as_str().map_or_else(|| id.to_string(), ToOwned::to_owned))
}

/// An error after some of the requests were carried out.
pub(super) fn partly(error: ToolError, done: usize, count: usize) -> ToolError {
    error.hint(format!("{done} of {count} requests were carried out before: read what is there now"))
}
