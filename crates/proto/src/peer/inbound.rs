//! The in-flight table: requests of the other side that are not answered yet.
//!
//! Invariants: an id is in `ids` exactly as long as its request is open; a slot is taken until the request is
//! answered, or, once cancelled, until its work has ended. Keys carry a generation, so that a late answer
//! cannot reach the next request in the slot.

use std::collections::BTreeMap;

use crate::envelope::{Id, Params, begin_notification, end};
use crate::json::write::{self, Object};
use crate::model::LogLevel;
use crate::revision::{Feature, Revision};

/// The key of a request that is in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallKey {
    slot: u32,
    generation: u32,
}

/// The frame that an answer goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Alone,
    InBatch(u32),
}

/// An open request.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) answer: Answer,
    pub(super) id: Id,
    /// Whether the request is `subscriptions/listen`, which is answered when the server ends.
    pub(super) is_listen: bool,
    /// Whether the request is `tools/call`, whose failures are results.
    pub(super) is_tool: bool,
    pub(super) last_progress: f64,
    /// The lowest level of log messages that the request's own `_meta` asks for, or the session's level at
    /// its start.
    pub(super) log_level: Option<LogLevel>,
    pub(super) progress_token: Option<Box<str>>,
    pub(super) revision: Revision,
}

impl Open {
    /// Creates a request without progress and log messages.
    pub(super) fn new(id: Id, answer: Answer, revision: Revision) -> Self {
        Self {
            answer,
            id,
            is_listen: false,
            is_tool: false,
            last_progress: f64::NEG_INFINITY,
            log_level: None,
            progress_token: None,
            revision,
        }
    }
}

#[derive(Debug)]
enum State {
    Free,
    Open(Open),
    /// The answer is no longer wanted, but the work has not ended yet.
    Cancelled,
}

#[derive(Debug, Default)]
pub(super) struct Inbound {
    free: Vec<u32>,
    ids: BTreeMap<Id, CallKey>,
    slots: Vec<(u32, State)>,
}

impl Inbound {
    /// Adds a request whose id is not in flight: the caller has checked [`Self::holds`].
    pub(super) fn open(&mut self, open: Open) -> CallKey {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push((0, State::Free));
            (self.slots.len() - 1) as u32
        });
        let (generation, state) = &mut self.slots[slot as usize];
        let key = CallKey { slot, generation: *generation };
        self.ids.insert(open.id.clone(), key);
        *state = State::Open(open);
        key
    }

    /// Ends a request. Returns it if its answer is still due.
    pub(super) fn close(&mut self, key: CallKey) -> Option<Open> {
        let (generation, state) = self.slots.get_mut(key.slot as usize)?;
        if *generation != key.generation {
            return None;
        }
        let ended = std::mem::replace(state, State::Free);
        *generation = generation.wrapping_add(1);
        self.free.push(key.slot);
        match ended {
            State::Open(open) => {
                self.ids.remove(&open.id);
                Some(open)
            }
            State::Free | State::Cancelled => None,
        }
    }

    /// Frees the id of a request; its slot stays taken until [`Self::close`].
    pub(super) fn cancel(&mut self, id: &Id) -> Option<(CallKey, Answer)> {
        let key = self.ids.remove(id)?;
        let (_, state) = self.slots.get_mut(key.slot as usize)?;
        match std::mem::replace(state, State::Cancelled) {
            State::Open(open) => Some((key, open.answer)),
            State::Free | State::Cancelled => None,
        }
    }

    /// Records progress. Returns the token and the revision if the progress should be sent.
    pub(super) fn advance(&mut self, key: CallKey, progress: f64) -> Option<(&str, Revision)> {
        match self.slots.get_mut(key.slot as usize)? {
            (generation, State::Open(open)) if *generation == key.generation => {
                // JSON has no infinity, and no value could increase after it.
                if !progress.is_finite() || progress <= open.last_progress {
                    return None;
                }
                open.last_progress = progress;
                Some((open.progress_token.as_deref()?, open.revision))
            }
            _ => None,
        }
    }

    /// Returns whether a request with this id is still to be answered.
    pub(super) fn holds(&self, id: &Id) -> bool {
        self.ids.contains_key(id)
    }

    /// Returns the request `key`, if its answer is still due.
    pub(super) fn get(&self, key: CallKey) -> Option<&Open> {
        match self.slots.get(key.slot as usize)? {
            (generation, State::Open(open)) if *generation == key.generation => Some(open),
            _ => None,
        }
    }

    pub(super) fn revision(&self, key: CallKey) -> Option<Revision> {
        self.get(key).map(|open| open.revision)
    }

    /// Returns whether invalid arguments of the request are reported in a result instead of an error.
    pub(super) fn answers_in_results(&self, key: CallKey) -> bool {
        self.get(key)
            .is_some_and(|open| open.is_tool && open.revision.has(Feature::InvalidArgumentsAreToolErrors))
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

/// Writes `notifications/progress`.
pub(super) fn write_progress(
    out: &mut Vec<u8>,
    token: &str,
    progress: f64,
    total: Option<f64>,
    message: Option<&str>,
) {
    begin_notification(out, "notifications/progress");
    let mut object = Object::open(out);
    object.raw("progressToken", token);
    write::number(object.name("progress"), progress);
    if let Some(total) = total.filter(|total| total.is_finite()) {
        write::number(object.name("total"), total);
    }
    object.maybe_string("message", message);
    object.close();
    end(out);
}

/// Reads the reason of a cancellation, shortened for logs.
pub(super) fn reason(frame: &str, params: Params) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Cancelled {
        reason: Option<String>,
    }
    let cancelled: Cancelled = serde_json::from_str(params.all?.text(frame)).ok()?;
    Some(crate::json::shorten(&cancelled.reason?).into_owned())
}
