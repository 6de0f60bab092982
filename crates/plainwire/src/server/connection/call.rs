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
use tokio::time::Sleep;

use super::calls::Held;
use crate::runtime::Deadline;
use crate::server::asking::Sealer;
use crate::server::catalog::{Entry, Pace};
use crate::server::context::{Context, Signal, Signals};
use crate::server::handler::{Failing, OnCancel, Outcome, Refusal, Running, ToolError};
use crate::server::layer::{Kind, Response};

/// A call that panics instead of going on, once; ends when it is cancelled or its time is over.
///
/// Ready with `None` when it was dropped without an outcome.
pub(crate) struct Guarded {
    deadline: Option<Deadline>,
    /// How long a step may still run after the call was cancelled.
    grace: Option<Pin<Box<Sleep>>>,
    name: String,
    on_cancel: OnCancel,
    /// What the first step is reported to, if it was not taken yet.
    pace: Option<Arc<Pace>>,
    sealer: Arc<Sealer>,
    work: Work,
}

/// What there is to do for a call.
pub(crate) struct Work {
    pub(crate) context: Option<Context>,
    pub(crate) running: Running,
}

/// How long a step may run after its call was cancelled.
const GRACE: Duration = Duration::from_secs(5);

impl Guarded {
    pub(crate) fn new(
        entry: &Entry,
        work: Work,
        sealer: &Arc<Sealer>,
        timeout: Option<Duration>,
        pace: Option<Arc<Pace>>,
    ) -> Self {
        Self {
            deadline: timeout.map(Deadline::new),
            grace: None,
            name: entry.name.clone(),
            on_cancel: entry.on_cancel,
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
        if pace.was_slow() { crate::runtime::aside(first) } else { first() }
    }

    /// Whether the call was cancelled and ends by that.
    fn is_cancelled(&self) -> bool {
        !self.on_cancel.runs_on() && self.work.context.as_ref().is_some_and(Context::is_cancelled)
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
    /// With what was called, for messages.
    type Output = Option<(Outcome, String)>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Poller<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if this.is_cancelled() {
            return this.poll_cancelled(cx).map(|()| None);
        }
        if let Poll::Ready(outcome) = this.poll_work(cx) {
            return Poll::Ready(Some((outcome, std::mem::take(&mut this.name))));
        }
        // Cancelled just before it was known whom to wake.
        if this.is_cancelled() {
            return this.poll_cancelled(cx).map(|()| None);
        }
        let Some(deadline) = &mut this.deadline else { return Poll::Pending };
        ready!(deadline.poll(this.work.waited(), cx));
        // Work that runs elsewhere for the call can't be dropped: it is told.
        if let Some(context) = &this.work.context {
            context.cancel();
        }
        let outcome = Outcome::failed(ToolError::too_slow(&this.name, deadline.limit));
        Poll::Ready(Some((outcome, std::mem::take(&mut this.name))))
    }
}

impl Work {
    /// Goes on; a panic is an answer, and so are questions without which nothing more can be done.
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

impl Drop for Work {
    /// Tasks that the handler has started and that still ask would wait for ever.
    fn drop(&mut self) {
        if let Some(context) = &self.context {
            context.asking().release();
        }
    }
}

/// Polls a call; a panic is its answer.
fn poll_guarded(name: &str, running: &mut Running, cx: &mut Poller<'_>) -> Poll<Outcome> {
    catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx)))
        .unwrap_or_else(|panic| Poll::Ready(panicked(name, &*panic)))
}

/// The answer for a call that panicked. What it said stays in the log: it may hold anything.
pub(crate) fn panicked(name: &str, panic: &(dyn Any + Send)) -> Outcome {
    let said =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!("{name} panicked: {}", said.unwrap_or("(no text)"));
    Outcome::Error(Error::new(ErrorKind::Internal, format!("expected {name} to answer, but it panicked")))
}

/// How the answers of a connection are written.
#[derive(Clone)]
pub(crate) struct Writing {
    pub(crate) cache_hint: CacheHint,
    pub(crate) encoder: Encoder,
    pub(crate) kind: Option<Kind>,
    pub(crate) masks_errors: bool,
}

impl Writing {
    /// Finds the words for how a call of `named` ended.
    ///
    /// # Errors
    /// What is answered instead of a result.
    pub(crate) fn settle(&self, outcome: Outcome, named: &str, uri: &str) -> Result<Outcome, Refusal> {
        match outcome {
            Outcome::Error(error) => Err(Refusal::Error(error)),
            Outcome::Failed(error) => {
                let error = if self.masks_errors { error.masked(named) } else { *error };
                let failing = Failing { kind: self.kind, revision: self.encoder.revision(), uri };
                failing.say(error).map(|result| Outcome::Response(Response::Tool(result)))
            }
            other => Ok(other),
        }
    }

    /// Writes the JSON of `result`; nothing for what [`Self::settle`] refuses.
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

/// Runs a call that did not end at once, to its end, its deadline or its abortion. `uri` is that of a resource.
///
/// `end` is made before and not inside: a task that is aborted before its first poll runs none of its code.
pub(crate) async fn run(call: Guarded, writing: Writing, uri: String, end: End) {
    // In this order: the work is dropped before its end is reported.
    let (call, mut end) = (call, end);
    let Some((outcome, named)) = call.await else { return };
    let answer = writing.settle(outcome, &named, &uri).map(|outcome| {
        let mut body = Vec::new();
        writing.write(&outcome, &mut body);
        body
    });
    end.answered = true;
    drop(end.held.take());
    end.signals.answer(end.key, answer);
}

/// Reports the end of a call that was dropped.
pub(crate) struct End {
    answered: bool,
    /// Let go of before anybody hears of the end.
    held: Option<Held>,
    key: CallKey,
    signals: Signals,
}

impl End {
    pub(crate) fn new(key: CallKey, held: Option<Held>, signals: Signals) -> Self {
        Self { answered: false, held, key, signals }
    }
}

impl Drop for End {
    fn drop(&mut self) {
        drop(self.held.take());
        if !self.answered {
            self.signals.send(Signal::Ended(self.key));
        }
    }
}
