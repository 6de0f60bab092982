//! One guarded call: a panic becomes an answer, a deadline ends the call, and its end is always reported.
//!
//! In: the future of a call. Out: its answer, or the report that it ended without one. Starting calls is the
//! work of [`super::calls`].

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Poller, Poll, ready};
use std::time::{Duration, Instant};

use plainwire_proto::codec::Encoder;
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::CacheHint;
use plainwire_proto::peer::CallKey;
use tokio::time::Sleep;

use super::calls::{Attached, Held};
use crate::runtime::panics::{self, Panic};
use crate::runtime::{Deadline, Passage};
use crate::server::asking::Sealer;
use crate::server::catalog::Entry;
use crate::server::catalog::pace::Pace;
use crate::server::context::{Context, OnCancel, Signal, Signals};
use crate::server::handler::Running;
use crate::server::result::{FailedCall, Kind, Outcome, Refusal, Response, ToolError};

/// The future of a call, with its deadline, cancellation and panics handled.
///
/// Resolves to `None` if the call was cancelled and has no outcome.
pub(crate) struct GuardedCall {
    deadline: Option<Deadline>,
    /// The timer for a [step](crate::Context::step) that still runs after the call was cancelled; `None`
    /// before the cancellation.
    grace: Option<Pin<Box<Sleep>>>,
    key: CallKey,
    /// The kind and name of the entry, such as "the tool `add`", for messages.
    name: String,
    on_cancel: OnCancel,
    /// The pace (the measurement of how slow calls begin) that records the first poll; `None` if that poll
    /// was recorded already.
    pace: Option<Arc<Pace>>,
    /// The way of the call's steps through the gate of the runtime, which limits how many steps run at a
    /// time.
    passage: Passage,
    sealer: Arc<Sealer>,
    signals: Signals,
    work: CallWork,
}

/// The future of a call, and its context if the handler took one.
pub(crate) struct CallWork {
    pub(crate) context: Option<Context>,
    pub(crate) running: Running,
}

/// The room that is reserved for the result of a call, in bytes. 192: enough for a sentence or a few numbers.
const SHORT: usize = 192;

/// The time that a running [step](crate::Context::step) has to end after its call was cancelled.
const GRACE: Duration = Duration::from_secs(5);

impl GuardedCall {
    pub(crate) fn new(
        entry: &Entry,
        work: CallWork,
        (sealer, passage): (&Arc<Sealer>, Passage),
        (key, signals): (CallKey, Signals),
        timeout: Option<Duration>,
        pace: Option<Arc<Pace>>,
    ) -> Self {
        Self {
            deadline: timeout.map(Deadline::new),
            grace: None,
            key,
            name: entry.name.clone(),
            on_cancel: entry.on_cancel,
            pace,
            passage,
            sealer: Arc::clone(sealer),
            signals,
            work,
        }
    }

    /// Makes the next step of the call, once the client has read enough of earlier answers and the gate lets the step
    /// pass.
    fn poll_work(&mut self, cx: &mut Poller<'_>) -> Poll<Outcome> {
        ready!(self.signals.poll_room(self.key, cx));
        let Self { name, pace, passage, sealer, work, .. } = self;
        let blocks = pace.as_ref().is_some_and(|pace| pace.blocks());
        let mut waker = Poller::from_waker(cx.waker());
        let step = || {
            let began = pace.take().map(|pace| (pace, Instant::now()));
            let polled = work.poll(name, sealer, &mut waker);
            if let Some((pace, began)) = began {
                pace.note(began.elapsed());
            }
            polled
        };
        ready!(passage.poll_step(cx, blocks, step))
    }

    /// Returns whether the call was cancelled and has to end because of that.
    fn is_cancelled(&self) -> bool {
        !self.on_cancel.runs_on() && self.work.context.as_ref().is_some_and(Context::is_cancelled)
    }

    /// Polls a cancelled call until its running [step](crate::Context::step) has ended, at most for
    /// [`GRACE`]. Ready at once if no step runs, so that no code after the step runs.
    fn poll_cancelled(&mut self, cx: &mut Poller<'_>) -> Poll<()> {
        if !self.work.has_steps() {
            return Poll::Ready(());
        }
        let grace = self.grace.get_or_insert_with(|| Box::pin(tokio::time::sleep(GRACE)));
        if grace.as_mut().poll(cx).is_ready() {
            tracing::warn!("{} was cancelled, and a step of it did not end within {GRACE:?}", self.name);
            return Poll::Ready(());
        }
        let over = self.poll_work(cx).is_ready();
        if over || !self.work.has_steps() { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Future for GuardedCall {
    /// The outcome, and the kind and name of the entry for messages; `None` if the call was cancelled.
    type Output = Option<(Outcome, String)>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Poller<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if this.is_cancelled() {
            return this.poll_cancelled(cx).map(|()| None);
        }
        if let Poll::Ready(outcome) = this.poll_work(cx) {
            return Poll::Ready(Some((outcome, std::mem::take(&mut this.name))));
        }
        // The call may have been cancelled just before its waker was registered.
        if this.is_cancelled() {
            return this.poll_cancelled(cx).map(|()| None);
        }
        let Some(deadline) = &mut this.deadline else { return Poll::Pending };
        ready!(deadline.poll(this.work.waited(), cx));
        // Work on other threads and tasks can't be dropped, so its context is cancelled.
        if let Some(context) = &this.work.context {
            context.cancel();
        }
        let outcome = Outcome::failed(ToolError::too_slow(&this.name, deadline.limit));
        Poll::Ready(Some((outcome, std::mem::take(&mut this.name))))
    }
}

impl CallWork {
    /// Polls the future once. A panic becomes an answer. If the handler now waits for answers of the client
    /// in the modern era, the outcome is the questions, and this run of the handler ends.
    pub(crate) fn poll(&mut self, name: &str, sealer: &Sealer, cx: &mut Poller<'_>) -> Poll<Outcome> {
        let Some(context) = &self.context else { return poll_guarded(name, &mut self.running, cx) };
        let asking = context.asking();
        asking.watch(cx.waker());
        match poll_guarded(name, &mut self.running, cx) {
            Poll::Ready(outcome) => Poll::Ready(outcome),
            Poll::Pending => {
                asking.take_round(sealer, crate::runtime::unix).map_or(Poll::Pending, Poll::Ready)
            }
        }
    }

    fn has_steps(&self) -> bool {
        self.context.as_ref().is_some_and(|context| context.asking().has_steps())
    }

    fn waited(&self) -> Duration {
        self.context.as_ref().map_or(Duration::ZERO, |context| context.asking().waited())
    }
}

impl Drop for CallWork {
    /// Releases the tasks that the handler started and that wait for an answer of the client: otherwise these
    /// tasks would wait for ever.
    fn drop(&mut self) {
        if let Some(context) = &self.context {
            context.asking().release();
        }
    }
}

/// Polls a call; a panic becomes its answer.
fn poll_guarded(name: &str, running: &mut Running, cx: &mut Poller<'_>) -> Poll<Outcome> {
    panics::catch(|| running.as_mut().poll(cx)).unwrap_or_else(|panic| Poll::Ready(panicked(name, panic)))
}

/// Returns the answer of a call that panicked. The text of the panic is only logged, because it may contain
/// anything.
pub(crate) fn panicked(name: &str, panic: Panic) -> Outcome {
    panic.log(name);
    Outcome::Error(Error::new(ErrorKind::Internal, format!("expected {name} to answer, but it panicked")))
}

/// A writer of the answer of one call.
#[derive(Clone)]
pub(crate) struct AnswerWriter {
    pub(crate) cache_hint: CacheHint,
    pub(crate) encoder: Encoder,
    /// The kind of entry; `None` for a completion.
    pub(crate) kind: Option<Kind>,
    pub(crate) masks_errors: bool,
}

impl AnswerWriter {
    /// Converts the outcome of a call into one that [`Self::write`] writes. `named` is the kind and name of
    /// the entry, for the log; `uri` is the URI of the resource, or empty.
    ///
    /// # Errors
    /// The error that answers the call instead of a result.
    pub(crate) fn settle(&self, outcome: Outcome, named: &str, uri: &str) -> Result<Outcome, Refusal> {
        match outcome {
            Outcome::Error(error) => Err(Refusal::Error(error)),
            Outcome::Failed(error) => {
                let error = if self.masks_errors { error.masked(named) } else { *error };
                let failed = FailedCall { kind: self.kind, revision: self.encoder.revision(), uri };
                failed.to_answer(error).map(|result| Outcome::Response(Response::Tool(result)))
            }
            other => Ok(other),
        }
    }

    /// Appends the JSON of the response's `result` to `out`. Writes nothing for outcomes that
    /// [`Self::settle`] refuses.
    pub(crate) fn write(&self, outcome: &Outcome, out: &mut Vec<u8>) {
        match outcome {
            Outcome::Completion(result) => self.encoder.complete(out, result),
            Outcome::Error(_) | Outcome::Failed(_) => {}
            Outcome::InputRequired { requests, state } => {
                self.encoder.input_required(out, requests, Some(state));
            }
            Outcome::Response(Response::Prompt(result)) => self.encoder.get_prompt(out, result),
            Outcome::Response(Response::Resource(result)) => {
                self.encoder.read_resource(out, result, self.cache_hint);
            }
            Outcome::Response(Response::Tool(result)) => self.encoder.call_tool(out, result),
        }
    }
}

/// The task of a call that did not finish in its first poll. Runs until the call ends, exceeds its deadline or
/// is aborted.
///
/// A struct, and no async function: an async function would keep its arguments up to three times, in a task
/// of more than 1,024 bytes, for which allocators take a slower path.
pub(crate) struct CallFuture {
    /// The call, dropped before its end is reported; `None` when it is over.
    call: Option<GuardedCall>,
    writer: AnswerWriter,
    /// The URI of the resource; empty for other calls.
    uri: String,
    /// Created before the task: a task that is aborted before its first poll runs none of its code.
    end: EndReport,
}

impl CallFuture {
    pub(crate) fn new(call: GuardedCall, writer: AnswerWriter, uri: String, end: EndReport) -> Self {
        Self { call: Some(call), writer, uri, end }
    }

    fn answer(&mut self, outcome: Outcome, named: &str) {
        let answer = self.writer.settle(outcome, named, &self.uri).map(|outcome| {
            let mut body = Vec::with_capacity(SHORT);
            self.writer.write(&outcome, &mut body);
            body
        });
        self.end.answer(answer);
    }
}

impl Future for CallFuture {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Poller<'_>) -> Poll<()> {
        let this = &mut *self;
        let Some(call) = &mut this.call else { return Poll::Ready(()) };
        // Many calls may wait for their first step when the answer to an earlier one is dropped.
        if call.pace.is_some()
            && let Err(error) = this.end.check()
        {
            this.call = None;
            this.end.answer(Err(Refusal::Error(error)));
            return Poll::Ready(());
        }
        let ended = ready!(Pin::new(call).poll(cx));
        this.call = None;
        if let Some((outcome, named)) = ended {
            this.answer(outcome, &named);
        }
        Poll::Ready(())
    }
}

/// A guard that reports the end of a call when the guard is dropped, unless the call was answered.
pub(crate) struct EndReport {
    answered: bool,
    /// The attachments of the call. The value that the call holds until it ends, such as a slot of its client, is
    /// dropped before the end is reported.
    attached: Attached,
    key: CallKey,
    pub(super) signals: Signals,
}

impl EndReport {
    pub(crate) fn new(key: CallKey, attached: Attached, signals: Signals) -> Self {
        Self { answered: false, attached, key, signals }
    }

    /// Returns the lane of the call's caller: a number. Waiting steps with the same lane queue up, and the
    /// lanes take turns.
    pub(crate) fn lane(&self) -> u64 {
        self.attached.lane()
    }

    /// Checks whether the call may begin.
    fn check(&self) -> Result<(), Error> {
        self.attached.budget.as_ref().map_or(Ok(()), |budget| budget.check())
    }

    /// Answers the call. The value that the call holds, such as a slot, is dropped before.
    fn answer(&mut self, answer: Result<Vec<u8>, Refusal>) {
        let (answer, claim) = self.claim(answer);
        self.answered = true;
        drop(self.attached.held.take());
        self.signals.answer(self.key, answer, claim);
    }

    /// Claims memory for the answer of the call. Without room for it, returns the error that takes its place.
    fn claim(&self, answer: Result<Vec<u8>, Refusal>) -> (Result<Vec<u8>, Refusal>, Option<Held>) {
        let (Some(budget), Ok(body)) = (&self.attached.budget, &answer) else { return (answer, None) };
        match budget.claim(body.len()) {
            Ok(claim) => (answer, Some(claim)),
            Err(error) => (Err(Refusal::Error(error)), None),
        }
    }
}

impl Drop for EndReport {
    fn drop(&mut self) {
        drop(self.attached.held.take());
        if !self.answered {
            self.signals.send(Signal::Ended(self.key));
        }
    }
}
