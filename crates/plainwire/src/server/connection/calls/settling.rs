//! The end of a call's start: the call is answered, or a task continues it.
//!
//! In: calls of entries, and the results of their first steps. Out: answers, through the peer, and tasks.

use std::sync::Arc;

use plainwire_proto::model::CacheHint;

use super::starting::{CallRequest, FirstStep, Start, Starts, Surroundings};
use super::stopping::CallTask;
use super::{Attached, Calls};
use crate::runtime::{Gate, Passage, spawn};
use crate::server::built::Built;
use crate::server::catalog::Entry;
use crate::server::catalog::pace::Pace;
use crate::server::connection::call::{AnswerWriter, CallFuture, CallWork, EndReport, GuardedCall};
use crate::server::context::SignalSource;
use crate::server::result::Outcome;

impl Calls {
    /// Starts the call `wanted` of `entry`, or records it in `starts`. A recorded call counts as running until
    /// [`Self::settle`].
    pub(super) fn begin<'f>(&mut self, starts: &mut Starts<'f>, entry: &Arc<Entry>, wanted: CallRequest<'f>) {
        let around = Surroundings {
            built: &self.built,
            caller: self.attached.caller(),
            gate: self.gate.get_or_insert_with(Gate::current),
            headers: &self.attached.headers,
            principal: self.principal.as_ref(),
            queue: SignalSource::Channel(&self.channel),
            session: self.peer.session_client(),
        };
        match starts {
            Starts::Later(starts) => {
                self.tasks.insert(wanted.key, CallTask::starting(entry.on_cancel));
                let start = Start::new(entry, wanted, self.attached.clone(), around);
                // Most messages begin one call, and a vector makes room for four.
                if starts.is_empty() {
                    starts.reserve_exact(1);
                }
                starts.push(start);
            }
            Starts::Now => {
                let step = wanted.first_step(entry, around);
                self.settle_step(entry, &wanted, self.attached.clone(), step);
            }
        }
    }

    /// Answers a recorded call, or continues it on a task, as the result of its first step demands.
    #[cfg(feature = "http")]
    pub(crate) fn settle(&mut self, start: &mut Start<'_>, step: FirstStep) {
        let attached = std::mem::take(&mut start.attached);
        let (key, starting) = (start.wanted.key, self.tasks.remove(&start.wanted.key));
        if !starting.is_some_and(|starting| starting.is_cancelled) {
            return self.settle_step(&start.entry, &start.wanted, attached, step);
        }
        if let FirstStep::Waits(work, pace) = step {
            self.continue_call(&start.entry, &start.wanted, attached, (work, pace));
        }
        // No task runs a call that has ended already, so its request is over at once.
        if self.stop(key).is_break() {
            self.peer.finished(key);
        }
    }

    fn settle_step(
        &mut self,
        entry: &Arc<Entry>,
        wanted: &CallRequest<'_>,
        attached: Attached,
        step: FirstStep,
    ) {
        match step {
            FirstStep::Waits(work, pace) => self.continue_call(entry, wanted, attached, (work, pace)),
            FirstStep::Ended { outcome, work } => {
                if let Some(context) = work.as_ref().and_then(|work| work.context.as_ref()) {
                    // Progress and log messages of the call are sent before its answer.
                    while let Some(signal) = self.channel.try_next() {
                        self.handle_signal(signal);
                    }
                    context.send_held_back(&mut self.peer);
                }
                self.answer(wanted, outcome, &entry.name);
            }
        }
    }

    fn continue_call(
        &mut self,
        entry: &Arc<Entry>,
        wanted: &CallRequest<'_>,
        attached: Attached,
        rest: (CallWork, Option<Arc<Pace>>),
    ) {
        let (gate, signals) = (self.gate.get_or_insert_with(Gate::current), self.channel.signals());
        let end = EndReport::new(wanted.key, attached, signals.clone());
        self.tasks.insert(wanted.key, continue_on_task((&self.built, gate), entry, wanted, rest, end));
    }

    /// Answers the call `wanted` with `outcome`. `named` is the kind and name of the entry, for messages.
    pub(super) fn answer(&mut self, wanted: &CallRequest<'_>, outcome: Outcome, named: &str) {
        let writer = writer(&self.built, wanted);
        match writer.settle(outcome, named, wanted.uri()) {
            Ok(outcome) => self.peer.respond(wanted.key, |out| writer.write(&outcome, out)),
            Err(refusal) => self.refuse(wanted.key, &refusal),
        }
    }
}

#[cfg(feature = "http")]
impl Start<'_> {
    /// Stops the call after its first step, because its connection ended meanwhile. A call that its
    /// [`OnCancel`](crate::server::context::OnCancel) lets run to its end is continued instead.
    pub(crate) fn abandon(self, step: FirstStep) {
        let end = EndReport::new(self.wanted.key, self.attached, self.signals);
        if let FirstStep::Waits(work, pace) = step {
            let task =
                continue_on_task((&self.built, &self.gate), &self.entry, &self.wanted, (work, pace), end);
            task.leave();
        }
    }
}

/// Continues a call on a task, which reports its end by `end`.
fn continue_on_task(
    (built, gate): (&Arc<Built>, &Arc<Gate>),
    entry: &Entry,
    wanted: &CallRequest<'_>,
    (work, pace): (CallWork, Option<Arc<Pace>>),
    end: EndReport,
) -> CallTask {
    let context = work.context.clone();
    let timeout = entry.timeout.or(built.timeout);
    let (way, reports) = ((&built.sealer, Passage::new(gate, end.lane())), (wanted.key, end.signals.clone()));
    let guarded = GuardedCall::new(entry, work, way, reports, timeout, pace);
    let work = CallFuture::new(guarded, writer(built, wanted), wanted.uri().to_owned(), end);
    let task = spawn(work);
    CallTask::new(task.abort_handle(), context, entry.on_cancel)
}

fn writer(built: &Built, wanted: &CallRequest<'_>) -> AnswerWriter {
    let encoder = built.config.encoder(wanted.meta.revision).clone();
    // Spec: 2026-07-28 caching, "Cache Key": a result that depends on answers must not be cached, neither for
    // other users nor for later requests.
    let asked = wanted.meta.request_state.is_some() || wanted.meta.input_responses.is_some();
    let hint = wanted.cache.unwrap_or(built.config.cache_hint);
    let cache_hint = if asked { CacheHint::default() } else { hint };
    AnswerWriter { cache_hint, encoder, kind: wanted.kind, masks_errors: built.masks_errors }
}
