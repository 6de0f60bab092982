//! The requests in the body of an HTTP request, until each is answered.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;

use crate::dev::changes;
use crate::output;

/// The requests of one HTTP request: one, or those of a batch.
pub(super) struct Asked {
    began: Instant,
    /// The ids of the requests that were refused, or answered with an error.
    pub(super) failed: Vec<Value>,
    /// The unanswered requests, by the id as JSON: the id, the method, and the name for the developer.
    open: BTreeMap<String, (Value, String, String)>,
}

impl Asked {
    /// Returns the requests in a message or a batch.
    pub(super) fn of(message: &Value) -> Self {
        let open = each(message).filter_map(|it| {
            Some((it.get("id")?.clone(), it["method"].as_str()?.to_owned(), changes::name(it)))
        });
        Self {
            began: Instant::now(),
            failed: Vec::new(),
            open: open.map(|it| (it.0.to_string(), it)).collect(),
        }
    }

    /// Shows the answers in a message of the server. Returns the message that the client gets instead if it differs.
    pub(super) fn answered(&mut self, text: &str) -> Option<String> {
        if self.open.is_empty() {
            return None;
        }
        let mut message: Value = serde_json::from_str(text).ok()?;
        let mut is_changed = false;
        let frames = match &mut message {
            Value::Array(frames) => &mut frames[..],
            frame => std::slice::from_mut(frame),
        };
        for frame in frames.iter_mut().filter(|frame| frame.get("method").is_none()) {
            let Some((_, method, name)) = self.open.remove(&frame["id"].to_string()) else { continue };
            if frame.get("error").is_some() {
                self.failed.push(frame["id"].clone());
            }
            let has_failed = frame.get("error").is_some() || frame["result"]["isError"] == true;
            output::note(&changes::said(&method, &name, has_failed, self.began.elapsed().as_millis()));
            is_changed |= changes::announce(&method, frame);
        }
        is_changed.then(|| message.to_string())
    }

    /// Shows that the server has refused the requests with this HTTP status.
    pub(super) fn refused(&mut self, status: &str) {
        for (id, method, name) in std::mem::take(&mut self.open).into_values() {
            self.failed.push(id);
            let name = format!("{name} ({status})");
            output::note(&changes::said(&method, &name, true, self.began.elapsed().as_millis()));
        }
    }

    /// Returns the errors that answer the requests whose server is gone, and shows which these are.
    pub(super) fn lost(&mut self, why: &str) -> Vec<String> {
        let open = std::mem::take(&mut self.open);
        let lost = open.into_values().map(|(id, method, name)| {
            let said = changes::said(&method, &name, true, self.began.elapsed().as_millis());
            output::note(&format!("{said}: {why}"));
            changes::unanswered(&id, &method, why)
        });
        lost.collect()
    }
}

/// Returns the messages of a batch, or the only message.
pub(super) fn each(message: &Value) -> impl Iterator<Item = &Value> {
    match message {
        Value::Array(batch) => batch.iter(),
        message => std::slice::from_ref(message).iter(),
    }
}
