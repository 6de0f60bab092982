//! The in-flight table: the requests of the other side that are not answered yet, and the cancelled ones
//! whose work has not ended.
//!
//! Invariants: an id is in `ids` exactly as long as its request is open; a slot is taken until the request is
//! answered, or, once cancelled, until its work has ended. Keys carry a generation, so that a late answer
//! cannot reach the next request in the slot.

use std::collections::BTreeMap;

use crate::envelope::{Id, Params, begin_notification, end};
use crate::json::write::{self, Object};
use crate::model::LogLevel;
use crate::revision::{Feature, Revision};

/// The key of a request of the other side that is in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallKey {
    /// The index in `Inbound::slots`.
    slot: u32,
    /// The number of requests that have left the slot before this one came.
    generation: u32,
}

/// The frame that an answer goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// A frame of its own.
    Alone,
    /// The frame with all answers to the batch of this number.
    InBatch(u32),
}

/// A request of the other side whose answer is due.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) answer: Answer,
    pub(super) id: Id,
    /// Whether the request is `subscriptions/listen`, which is answered only when the server ends the
    /// subscription.
    pub(super) is_listen: bool,
    /// Whether the request is `tools/call`: since 2025-11-25, invalid arguments of a tool are reported in a
    /// result.
    pub(super) is_tool: bool,
    /// The progress that was reported most recently; negative infinity before the first.
    pub(super) last_progress: f64,
    /// The lowest level of log messages wanted for the request: from its `_meta` if it is modern; in a legacy
    /// session, the session's level at the time the request came in. `None` if no log messages may be sent
    /// for it.
    pub(super) log_level: Option<LogLevel>,
    /// The progress token as JSON; `None` if the request wants no progress.
    pub(super) progress_token: Option<Box<str>>,
    pub(super) revision: Revision,
}

impl Open {
    /// Creates a request that wants neither progress nor log messages.
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
enum SlotState {
    Free,
    Open(Open),
    /// The answer is no longer wanted, but the work has not ended yet.
    Cancelled,
}

#[derive(Debug, Default)]
pub(super) struct Inbound {
    /// The indices of the free slots.
    free: Vec<u32>,
    /// The keys of the open requests, by id.
    ids: BTreeMap<Id, CallKey>,
    /// For each slot, the number of requests that have left it (its generation), and its state.
    slots: Vec<(u32, SlotState)>,
}

impl Inbound {
    /// Adds a request and returns its key. The caller has checked by [`Self::holds`] that no open request has
    /// its id.
    pub(super) fn open(&mut self, open: Open) -> CallKey {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push((0, SlotState::Free));
            (self.slots.len() - 1) as u32
        });
        let (generation, state) = &mut self.slots[slot as usize];
        let key = CallKey { slot, generation: *generation };
        self.ids.insert(open.id.clone(), key);
        *state = SlotState::Open(open);
        key
    }

    /// Frees the slot of the request `key`. Returns the request if its answer is still due.
    pub(super) fn close(&mut self, key: CallKey) -> Option<Open> {
        let (generation, state) = self.slots.get_mut(key.slot as usize)?;
        if *generation != key.generation {
            return None;
        }
        let ended = std::mem::replace(state, SlotState::Free);
        *generation = generation.wrapping_add(1);
        self.free.push(key.slot);
        match ended {
            SlotState::Open(open) => {
                self.ids.remove(&open.id);
                Some(open)
            }
            SlotState::Free | SlotState::Cancelled => None,
        }
    }

    /// Marks the open request with this id as cancelled; its slot stays taken until [`Self::close`]. Returns
    /// its key, and the frame that its answer would have gone into; `None` if there is no such request.
    pub(super) fn cancel(&mut self, id: &Id) -> Option<(CallKey, Answer)> {
        let key = self.ids.remove(id)?;
        let (_, state) = self.slots.get_mut(key.slot as usize)?;
        match std::mem::replace(state, SlotState::Cancelled) {
            SlotState::Open(open) => Some((key, open.answer)),
            SlotState::Free | SlotState::Cancelled => None,
        }
    }

    /// Records progress of the request `key`. Returns the token and the revision if the progress should be
    /// sent; `None` if the progress does not increase, or if the request is no longer open or wants no
    /// progress.
    pub(super) fn advance(&mut self, key: CallKey, progress: f64) -> Option<(&str, Revision)> {
        match self.slots.get_mut(key.slot as usize)? {
            (generation, SlotState::Open(open)) if *generation == key.generation => {
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

    /// Returns whether there is an open request with this id.
    pub(super) fn holds(&self, id: &Id) -> bool {
        self.ids.contains_key(id)
    }

    /// Returns the request `key`, if its answer is still due.
    pub(super) fn get(&self, key: CallKey) -> Option<&Open> {
        match self.slots.get(key.slot as usize)? {
            (generation, SlotState::Open(open)) if *generation == key.generation => Some(open),
            _ => None,
        }
    }

    pub(super) fn revision(&self, key: CallKey) -> Option<Revision> {
        self.get(key).map(|open| open.revision)
    }

    /// Returns whether invalid arguments of the request `key` are reported in a result instead of an error.
    pub(super) fn answers_in_results(&self, key: CallKey) -> bool {
        self.get(key)
            .is_some_and(|open| open.is_tool && open.revision.has(Feature::InvalidArgumentsAreToolErrors))
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

/// Writes `notifications/progress`. `token` is JSON text.
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
