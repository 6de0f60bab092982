//! One call, guarded: a panic becomes an answer, a deadline ends it, and its end is always reported.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Poller, Poll, ready};
use std::time::Duration;

use plainwire_proto::codec::Encoder;
use plainwire_proto::error::{Error, ErrorKind};
use plainwire_proto::model::CacheHint;
use plainwire_proto::peer::CallKey;
use plainwire_proto::revision::Feature;
use tokio::time::{Instant, Sleep};

use crate::asking::Sealer;
use crate::catalog::{Entry, Pace};
use crate::context::{Context, Signal, Signals};
use crate::handler::{Outcome, Running};
use crate::result::ToolError;

/// A call that panics instead of going on, once; ends when it is cancelled or its time is over.
///
/// Ready with `None` when it was dropped without an outcome.
pub(super) struct Guarded {
    deadline: Option<Deadline>,
    /// How long a step may still run after the call was cancelled.
    grace: Option<Pin<Box<Sleep>>>,
    is_tool: bool,
    name: String,
    /// What the first step is reported to, if it was not taken yet.
    pace: Option<Arc<Pace>>,
    sealer: Arc<Sealer>,
    work: Work,
}

/// What there is to do for a call.
pub(super) struct Work {
    pub(super) context: Option<Context>,
    pub(super) running: Running,
}

/// How long a step may run after its call was cancelled.
const GRACE: Duration = Duration::from_secs(5);

impl Guarded {
    pub(super) fn new(
        entry: &Entry,
        work: Work,
        sealer: &Arc<Sealer>,
        timeout: Option<Duration>,
        pace: Option<Arc<Pace>>,
    ) -> Self {
        Self {
            deadline: timeout.map(Deadline::new),
            grace: None,
            is_tool: entry.is_tool,
            name: entry.name.clone(),
            pace,
            sealer: Arc::clone(sealer),
            work,
        }
    }

    fn poll_work(&mut self, cx: &mut Poller<'_>) -> Poll<Outcome> {
        let Some(pace) = self.pace.take() else { return self.work.poll(&self.name, &self.sealer, cx) };
        let mut first = || {
            let began = std::time::Instant::now();
            let polled = self.work.poll(&self.name, &self.sealer, cx);
            pace.note(began.elapsed());
            polled
        };
        if pace.was_slow() { super::aside(first) } else { first() }
    }

    fn is_cancelled(&self) -> bool {
        self.work.context.as_ref().is_some_and(Context::is_cancelled)
    }

    /// Lets a step of a cancelled call end, and nothing after it.
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

impl Future for Guarded {
    type Output = Option<Outcome>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Poller<'_>) -> Poll<Option<Outcome>> {
        let this = &mut *self;
        if this.is_cancelled() {
            return this.poll_cancelled(cx).map(|()| None);
        }
        if let Poll::Ready(outcome) = this.poll_work(cx) {
            return Poll::Ready(Some(outcome));
        }
        // Cancelled just before it was known whom to wake.
        if this.is_cancelled() {
            return this.poll_cancelled(cx).map(|()| None);
        }
        let Some(deadline) = &mut this.deadline else { return Poll::Pending };
        ready!(deadline.poll(this.work.waited(), cx));
        Poll::Ready(Some(timed_out(&this.name, deadline.limit, this.is_tool)))
    }
}

impl Work {
    /// Goes on; a panic is an answer, and so are questions without which nothing more can be done.
    pub(super) fn poll(&mut self, name: &str, sealer: &Sealer, cx: &mut Poller<'_>) -> Poll<Outcome> {
        let Some(context) = &self.context else { return poll_guarded(name, &mut self.running, cx) };
        let asking = context.asking();
        asking.watch(cx.waker());
        match poll_guarded(name, &mut self.running, cx) {
            Poll::Ready(outcome) => Poll::Ready(outcome),
            Poll::Pending => asking.take_round(sealer, super::unix).map_or(Poll::Pending, Poll::Ready),
        }
    }

    fn has_steps(&self) -> bool {
        self.context.as_ref().is_some_and(|context| context.asking().has_steps())
    }

    fn waited(&self) -> Duration {
        self.context.as_ref().map_or(Duration::ZERO, |context| context.asking().waited())
    }
}

impl Drop for Work {
    /// Tasks that the handler has started and that still ask would wait for ever.
    fn drop(&mut self) {
        if let Some(context) = &self.context {
            context.asking().release();
        }
    }
}

/// The end of a call's time, which does not pass while the call waits for a person.
struct Deadline {
    limit: Duration,
    sleep: Pin<Box<Sleep>>,
    /// How much waiting has been made up for.
    waited: Duration,
}

impl Deadline {
    fn new(limit: Duration) -> Self {
        Self { limit, sleep: Box::pin(tokio::time::sleep(limit)), waited: Duration::ZERO }
    }

    fn poll(&mut self, waited: Duration, cx: &mut Poller<'_>) -> Poll<()> {
        ready!(self.sleep.as_mut().poll(cx));
        let more = waited.saturating_sub(self.waited);
        if more.is_zero() {
            return Poll::Ready(());
        }
        self.waited = waited;
        // A moment at least: a call that still waits is looked at again and again.
        self.sleep.as_mut().reset(Instant::now() + more.max(Duration::from_millis(1)));
        self.sleep.as_mut().poll(cx)
    }
}

/// Polls a call; a panic is its answer.
fn poll_guarded(name: &str, running: &mut Running, cx: &mut Poller<'_>) -> Poll<Outcome> {
    catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx)))
        .unwrap_or_else(|panic| Poll::Ready(panicked(name, &*panic)))
}

/// The answer for a call that panicked. What it said stays in the log: it may hold anything.
pub(super) fn panicked(name: &str, panic: &(dyn Any + Send)) -> Outcome {
    let said =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!("{name} panicked: {}", said.unwrap_or("(no text)"));
    Outcome::Error(Error::new(ErrorKind::Internal, format!("expected {name} to answer, but it panicked")))
}

/// How the answers of a connection are written.
#[derive(Clone)]
pub(super) struct Writing {
    pub(super) cache_hint: CacheHint,
    pub(super) encoder: Encoder,
}

impl Writing {
    /// Returns the error that is the answer instead of a result, if it is one.
    pub(super) fn refusal(&self, outcome: &Outcome) -> Option<Error> {
        match outcome {
            Outcome::Error(error) => Some(error.clone()),
            // Spec: 2026-07-28 has an error for it; before, it is a failure like any other.
            Outcome::Unsupported { capability, otherwise } => {
                if self.encoder.revision().has(Feature::InputRequired) {
                    Some(Error::missing_capability(*capability))
                } else {
                    self.refusal(otherwise)
                }
            }
            _ => None,
        }
    }

    /// Writes the JSON of `result`; nothing for what is an error.
    pub(super) fn write(&self, outcome: &Outcome, out: &mut Vec<u8>) {
        match outcome {
            Outcome::Completion(result) => self.encoder.complete(out, result),
            Outcome::Error(_) => {}
            Outcome::InputRequired { requests, state } => {
                self.encoder.input_required(out, requests, Some(state));
            }
            Outcome::Prompt(result) => self.encoder.get_prompt(out, result),
            Outcome::Resource(result) => self.encoder.read_resource(out, result, self.cache_hint),
            Outcome::Tool(result) => self.encoder.call_tool(out, result),
            Outcome::Unsupported { otherwise, .. } => self.write(otherwise, out),
        }
    }
}

/// Runs a call that did not end at once, to its end, its deadline or its abortion.
pub(super) fn run(
    key: CallKey,
    call: Guarded,
    writing: Writing,
    signals: Signals,
) -> impl Future<Output = ()> + Send + 'static {
    // Made here and not inside: a task that is aborted before its first poll runs none of its code.
    let end = End { answered: false, key, signals };
    async move {
        // In this order: the work is dropped before its end is reported.
        let (call, mut end) = (call, end);
        let Some(outcome) = call.await else { return };
        let answer = match writing.refusal(&outcome) {
            Some(error) => Err(error),
            None => {
                let mut body = Vec::new();
                writing.write(&outcome, &mut body);
                Ok(body)
            }
        };
        end.answered = true;
        end.signals.answer(key, answer);
    }
}

fn timed_out(name: &str, timeout: Duration, is_tool: bool) -> Outcome {
    let error = ToolError::timeout(format!("expected {name} to end within {timeout:?}, but it did not"));
    if is_tool { Outcome::Tool(error.into_result()) } else { Outcome::refused(&error) }
}

/// Reports the end of a call that was dropped.
struct End {
    answered: bool,
    key: CallKey,
    signals: Signals,
}

impl Drop for End {
    fn drop(&mut self) {
        if !self.answered {
            self.signals.send(Signal::Ended(self.key));
        }
    }
}
